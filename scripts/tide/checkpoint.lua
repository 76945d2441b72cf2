-- tide.checkpoint: the same as tide.autograd.checkpoint.
return require "tide.autograd.checkpoint"

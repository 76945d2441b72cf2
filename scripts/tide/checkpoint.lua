-- tide.checkpoint: the same as tide.autograd.checkpoint.

--- fn(...), recomputed in backward instead of saved.
---@name checkpoint
---@like autograd.checkpoint in autograd/checkpoint.lua
---@example
--- local x = tide.ones(2):requires_grad_()
--- tide.checkpoint(function(x) return x * x end, x):sum():backward()
--- x.grad --> {2.0, 2.0}
return require "tide.autograd.checkpoint"

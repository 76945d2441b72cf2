-- tide.Trainer: the same as tide.training.Trainer.
return require "tide.training.trainer"

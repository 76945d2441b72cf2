-- The table `tide.optim`: optimizers.
return require "tide.nn.optim"

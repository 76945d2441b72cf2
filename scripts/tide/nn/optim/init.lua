-- The table `tide.optim`: optimizers.
local lazy_table = require "tide.internal.lazy_table"

return lazy_table("tide.nn.optim", {
  ASGD = "asgd",
  Adadelta = "adadelta",
  Adafactor = "adafactor",
  Adagrad = "adagrad",
  Adam = "adam",
  AdamW = "adamw",
  Adamax = "adamax",
  LBFGS = "lbfgs",
  Muon = "muon",
  NAdam = "nadam",
  Optimizer = "optimizer",
  RAdam = "radam",
  RMSprop = "rmsprop",
  Rprop = "rprop",
  SGD = "sgd",
  lr_scheduler = "lr_scheduler",
  swa_utils = "swa_utils",
}, nil, "tide.optim")

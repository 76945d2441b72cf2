-- The table `tide.loggers`: write training metrics to files, also for TensorBoard.
return require "tide.training.loggers"

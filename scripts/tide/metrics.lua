-- The table `tide.metrics`: metrics of the quality of predictions.
return require "tide.training.metrics"

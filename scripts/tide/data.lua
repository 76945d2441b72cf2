-- The table `tide.data`: data sets and loaders.
local lazy_table = require "tide.internal.lazy_table"

return lazy_table("tide.data", {
  DataLoader = "data_loader",
  TensorDataset = "tensor_dataset",
  digits = "digits",
})

-- The table `tide.data`: data sets, samplers, loaders and readers of files.
local lazy_table = require "tide.internal.lazy_table"

return lazy_table("tide.data", {
  ChainDataset = "chain_dataset",
  ConcatDataset = "concat_dataset",
  DataLoader = "data_loader",
  ListDataset = "list_dataset",
  StackDataset = "stack_dataset",
  TensorDataset = "tensor_dataset",
  default_collate = "default_collate",
  digits = "digits",
  get_worker_info = "get_worker_info",
  read_csv = "read_csv",
  read_jsonl = "read_jsonl",
}, {
  dataset = {"Dataset", "IterableDataset"},
  samplers = {
    "Sampler", "SequentialSampler", "RandomSampler", "SubsetRandomSampler",
    "WeightedRandomSampler", "BatchSampler", "DistributedSampler",
  },
  subset = {"Subset", "random_split"},
})

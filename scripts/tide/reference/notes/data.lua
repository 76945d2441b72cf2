-- Shapes, errors and kin of data sets, loaders and metrics.
return {
  {
    of = "TensorDataset ListDataset StackDataset ConcatDataset ChainDataset",
    counts = "positions of samples",
    see = "data.DataLoader data.TensorDataset data.ListDataset data.Subset data.random_split",
  },
  {of = "default_collate", see = "data.DataLoader"},
}

-- Shapes, errors and kin of data sets, loaders and metrics.
return {
  {
    of = "tide.data.DataLoader",
    counts = "positions of samples",
    waits = "only for its workers",
    errors = "options that exclude each other; an error in a sample names its position",
    see = "data.TensorDataset data.Subset data.RandomSampler data.default_collate",
  },
  {
    of = "TensorDataset ListDataset StackDataset ConcatDataset ChainDataset Subset random_split",
    counts = "positions of samples",
    see = "data.DataLoader data.TensorDataset data.ListDataset data.Subset data.random_split",
  },
  {
    of = "RandomSampler SequentialSampler SubsetRandomSampler WeightedRandomSampler BatchSampler "
      .. "DistributedSampler",
    counts = "the positions given",
    see = "data.DataLoader data.RandomSampler data.WeightedRandomSampler data.BatchSampler",
  },
  {
    of = "read_csv read_jsonl",
    errors = "name the file and the line",
    see = "data.read_csv data.read_jsonl data.TensorDataset",
  },
  {of = "default_collate", see = "data.DataLoader"},
  {
    of = "Accuracy TopKAccuracy Precision Recall F1 ConfusionMatrix AUROC AveragePrecision",
    shapes = "predictions (n) of classes or (n, classes) of scores, targets (n)",
    counts = "classes",
    waits = "only where the figure is read",
    see = "metrics.Accuracy metrics.F1 metrics.ConfusionMatrix metrics.Collection",
  },
  {of = "Precision", formula = "true positives / (true positives + false positives)"},
  {of = "Recall", formula = "true positives / (true positives + false negatives)"},
  {of = "F1", formula = "2 precision recall / (precision + recall)"},
  {
    of = "R2Score",
    formula = "1 - sum of (target - x)^2 / sum of (target - mean)^2",
    see = "metrics.MeanSquaredError",
  },
  {of = "Perplexity", formula = "exp(mean cross entropy)", see = "nn.CrossEntropyLoss"},
  {
    of = "CSVLogger TensorBoardLogger SummaryWriter",
    waits = "at most once a second, when it writes",
    see = "loggers.CSVLogger loggers.TensorBoardLogger loggers.SummaryWriter tide.Trainer",
  },
  {
    of = "MNIST FashionMNIST KMNIST CIFAR10 CIFAR100 ImageFolder DatasetFolder FakeData Digits",
    counts = "targets, as classes",
    errors = "files that are missing are named, with where they come from",
    see = "data.DataLoader vision.transforms.Compose vision.datasets.ImageFolder",
  },
  {
    of = "nms batched_nms",
    counts = "the positions of the boxes that stay",
    see = "vision.ops.nms vision.ops.box_iou",
  },
  {
    of = "box_iou",
    formula = "area of the intersection / area of the union",
    see = "vision.ops.nms vision.ops.box_convert",
  },
}

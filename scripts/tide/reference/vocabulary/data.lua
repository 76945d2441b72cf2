-- What parameters of data sets, loaders, files, metrics and loggers mean.
return {
  {
    of = "tide.np.*",
    path = "string: name of the file",
    tensor = "tensor: the tensor",
    tensors = "table: tensors by name",
    name = 'string: name of a file in the program, such as "digits"',
  },
  {
    of = "tide.metrics.* metric:*",
    predictions = "tensor: predicted classes, scores of the classes (n, classes), or numbers",
    targets = "tensor: classes from 1, or 0 and 1, or numbers",
    task = '"multiclass" | "binary" | "multilabel" = nil: what targets are; nil goes by their shape',
    num_classes = "integer = nil: how many classes; nil goes by the scores",
    top_k = "integer: right if the target is among so many best classes",
    k = "integer = 5: so many best classes",
    average = '"micro" | "macro" | "weighted" | "none" = "macro": over all samples, over classes, over classes by '
      .. 'their number, or one figure for each class',
    threshold = "number: a score from it on is a yes",
    ignore_index = "integer = nil: targets of this value do not count",
    zero_division = "number: the figure of a class that nothing was taken for",
    normalize = '"none" | "true" | "pred" | "all": counts, or shares of rows, of columns, of all',
    squared = "boolean = true: false gives the root",
    multioutput = '"uniform_average" | "raw_values" | "variance_weighted" = "uniform_average": how columns are '
      .. 'combined',
  },
}

-- Parameters of data sets, loaders, files, metrics and loggers.
return {
  {
    of = "tide.np.*",
    path = "string: name of the file",
    tensor = "tensor: the tensor",
    tensors = "table: tensors by name",
    name = 'string: name of an embedded file, such as "digits"',
  },
  {
    of = "tide.metrics.* metric:*",
    predictions = "tensor: predicted classes, scores of the classes (n, classes), or numbers",
    targets = "tensor: classes from 1, or 0 and 1, or numbers",
    task = '"multiclass" | "binary" | "multilabel" = nil: the kind of targets; nil infers it from their shape',
    num_classes = "integer = nil: number of classes; nil infers it from the scores",
    top_k = "integer: correct if the target is among the k best classes",
    k = "integer = 5: number of best classes",
    average = '"micro" | "macro" | "weighted" | "none" = "macro": over all samples, over classes, over classes '
      .. 'weighted by their number, or one result for each class',
    threshold = "number: scores of at least this are positive",
    ignore_index = "integer = nil: targets of this value are ignored",
    zero_division = "number: the result if the denominator is 0",
    normalize = '"none" | "true" | "pred" | "all": counts, or fractions of rows, of columns, of all',
    squared = "boolean = true: false returns the root",
    multioutput = '"uniform_average" | "raw_values" | "variance_weighted" = "uniform_average": how columns are '
      .. 'combined',
  },
}

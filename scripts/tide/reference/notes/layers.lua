-- Formulas and shapes of layers, their errors, and related names.
return {
  {
    of = "linear",
    formula = "y = x W' + b",
    shapes = "x (..., in_features) -> (..., out_features); weight (out_features, in_features), bias (out_features)",
    errors = "a last dimension of x that is not in_features",
    see = "nn.Linear nn.LazyLinear nn.Dense nn.Bilinear F.linear",
  },
  {
    of = "embedding",
    formula = "y = weight[x]",
    shapes = "x (...) of indices -> (..., embedding_dim)",
    counts = "x and padding_idx, from 1 to num_embeddings",
    errors = "an index out of range raises when a result is read, with the line of the lookup",
    see = "nn.Embedding nn.EmbeddingBag F.embedding F.one_hot",
  },
  {
    of = "embedding_bag",
    shapes = "x (n, length) -> (n, embedding_dim); with offsets x (total) -> (bags, embedding_dim)",
    counts = "x, offsets and padding_idx",
    see = "nn.EmbeddingBag nn.Embedding F.embedding_bag",
  },
  {
    of = "conv1d",
    formula = "y[n, o, t] = b[o] + sum over c, i of w[o, c, i] x[n, c, stride t + dilation i - padding]",
    shapes = "x (n, in_channels, length) -> (n, out_channels, (length + 2 padding - dilation (kernel_size - 1) - 1) "
      .. "// stride + 1); n is optional",
    see = "nn.Conv1d nn.LazyConv1d nn.ConvTranspose1d F.conv1d",
  },
  {
    of = "conv2d",
    formula = "y[n, o, p, q] = b[o] + sum over c, i, j of w[o, c, i, j] x[n, c, stride p + dilation i - padding, "
      .. "stride q + dilation j - padding]",
    shapes = "x (n, in_channels, height, width) -> (n, out_channels, (size + 2 padding - dilation (kernel_size - 1) "
      .. "- 1) // stride + 1 for height and width); n is optional",
    errors = "channels of x that are not in_channels, a window larger than the padded x",
    see = "nn.Conv2d nn.LazyConv2d nn.ConvTranspose2d nn.MaxPool2d F.conv2d",
  },
  {
    of = "conv3d",
    formula = "as Conv2d, with depth",
    shapes = "x (n, in_channels, depth, height, width) -> (n, out_channels, (size + 2 padding - dilation "
      .. "(kernel_size - 1) - 1) // stride + 1 for each)",
    see = "nn.Conv3d nn.LazyConv3d nn.ConvTranspose3d F.conv3d",
  },
  {
    of = "conv_transpose1d conv_transpose2d conv_transpose3d",
    formula = "the gradient of a convolution with respect to its input",
    shapes = "x (n, in_channels, size...) -> (n, out_channels, (size - 1) stride - 2 padding + dilation (kernel_size "
      .. "- 1) + output_padding + 1 for each)",
    see = "nn.ConvTranspose2d nn.Conv2d F.conv_transpose2d nn.Upsample",
  },
  {
    of = "max_pool1d max_pool2d max_pool3d",
    formula = "y = the maximum of each window",
    shapes = "x (n, channels, size...) -> (n, channels, (size + 2 padding - dilation (kernel_size - 1) - 1) // "
      .. "stride + 1 for each); rounded up with ceil_mode",
    counts = "the positions of return_indices, in the flattened channel",
    see = "nn.MaxPool2d nn.AvgPool2d nn.AdaptiveMaxPool2d nn.MaxUnpool2d F.max_pool2d",
  },
  {
    of = "avg_pool1d avg_pool2d avg_pool3d",
    formula = "y = the mean of each window",
    shapes = "x (n, channels, size...) -> (n, channels, (size + 2 padding - kernel_size) // stride + 1 for each); "
      .. "rounded up with ceil_mode",
    see = "nn.AvgPool2d nn.MaxPool2d nn.AdaptiveAvgPool2d F.avg_pool2d",
  },
  {
    of = "adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d "
      .. "adaptive_max_pool3d",
    shapes = "x (n, channels, size...) -> (n, channels, output_size...), for any size of x",
    see = "nn.AdaptiveAvgPool2d nn.AdaptiveMaxPool2d nn.AvgPool2d",
  },
  {
    of = "batch_norm",
    formula = "y = (x - mean) / sqrt(var + eps) * weight + bias, mean and var over all dimensions except 2; "
      .. "running = (1 - momentum) running + momentum batch",
    shapes = "x (n, num_features, ...) -> the same",
    waits = "only with momentum = false, in training",
    errors = "a single value per channel in training, which has no variance",
    see = "nn.BatchNorm2d nn.LayerNorm nn.GroupNorm nn.InstanceNorm2d F.batch_norm module:eval",
  },
  {
    of = "instance_norm",
    formula = "y = (x - mean) / sqrt(var + eps) * weight + bias, mean and var of each channel of each sample",
    shapes = "x (n, num_features, ...) -> the same",
    see = "nn.InstanceNorm2d nn.BatchNorm2d F.instance_norm",
  },
  {
    of = "layer_norm",
    formula = "y = (x - mean) / sqrt(var + eps) * weight + bias, mean and var over the last dimensions",
    shapes = "x (..., normalized_shape) -> the same",
    see = "nn.LayerNorm nn.RMSNorm nn.BatchNorm1d F.layer_norm",
    errors = "last dimensions of x that are not normalized_shape",
  },
  {
    of = "rms_norm",
    formula = "y = x / sqrt(mean(x^2) + eps) * weight, the mean over the last dimensions",
    shapes = "x (..., normalized_shape) -> the same",
    see = "nn.RMSNorm nn.LayerNorm F.rms_norm",
  },
  {
    of = "group_norm",
    formula = "y = (x - mean) / sqrt(var + eps) * weight + bias, mean and var of each group of channels of each sample",
    shapes = "x (n, num_channels, ...) -> the same",
    see = "nn.GroupNorm nn.LayerNorm F.group_norm",
    errors = "num_groups must divide num_channels",
  },
  {of = "normalize", see = "nn.LayerNorm", formula = "y = x / max(||x||_p, eps)"},
  {
    of = "dropout",
    formula = "y = x m / (1 - p), m is 0 with probability p, else 1; y = x in evaluation mode",
    see = "nn.Dropout nn.Dropout2d F.dropout module:eval tide.manual_seed",
  },
  {
    of = "dropout1d dropout2d dropout3d",
    formula = "y = x m / (1 - p), one m for each channel; y = x in evaluation mode",
    see = "nn.Dropout nn.Dropout2d F.dropout2d",
  },
  {
    of = "alpha_dropout feature_alpha_dropout",
    formula = "dropped values become -1.758 and all are scaled, so that mean and variance are preserved",
    see = "nn.AlphaDropout nn.SELU",
  },
  {
    of = "scaled_dot_product_attention",
    formula = "softmax(q k' * scale + mask) v",
    shapes = "query (..., length, features), key (..., others, features), value (..., others, values) -> (..., "
      .. "length, values)",
    see = "nn.MultiheadAttention F.softmax",
  },
  {
    of = "interpolate",
    shapes = "x (n, channels, size...) -> (n, channels, size or floor(scale_factor size))",
    see = "nn.Upsample F.interpolate nn.ConvTranspose2d",
    errors = "exactly one of size and scale_factor must be given",
  },
  {
    of = "pixel_shuffle",
    shapes = "x (n, channels r^2, height, width) -> (n, channels, height r, width r), r the factor",
    see = "nn.PixelShuffle nn.PixelUnshuffle",
  },
  {
    of = "pixel_unshuffle",
    shapes = "x (n, channels, height r, width r) -> (n, channels r^2, height, width), r the factor",
    see = "nn.PixelUnshuffle nn.PixelShuffle",
  },
  {
    of = "cosine_similarity",
    formula = "x1 . x2 / max(||x1|| ||x2||, eps)",
    see = "nn.CosineSimilarity F.cosine_similarity nn.PairwiseDistance",
  },
  {
    of = "pairwise_distance",
    formula = "||x1 - x2 + eps||_p",
    see = "nn.PairwiseDistance F.pairwise_distance tide.cdist",
  },
  {of = "celu celu_", formula = "max(0, x) + min(0, alpha (exp(x / alpha) - 1))", see = "nn.CELU nn.ELU F.celu"},
  {of = "elu elu_", formula = "x if x > 0, else alpha (exp(x) - 1)", see = "nn.ELU nn.SELU F.elu"},
  {
    of = "gelu",
    formula = "x P(x), P the normal distribution; with tanh 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))",
    see = "nn.GELU nn.SiLU F.gelu",
  },
  {of = "hardsigmoid", formula = "clamp(x / 6 + 1 / 2, 0, 1)", see = "nn.Hardsigmoid nn.Sigmoid"},
  {of = "hardswish", formula = "x clamp(x / 6 + 1 / 2, 0, 1)", see = "nn.Hardswish nn.SiLU"},
  {of = "hardtanh hardtanh_", formula = "clamp(x, min_val, max_val)", see = "nn.Hardtanh nn.ReLU6 nn.Tanh"},
  {
    of = "leaky_relu leaky_relu_",
    formula = "x if x > 0, else negative_slope x",
    see = "nn.LeakyReLU nn.PReLU F.leaky_relu",
  },
  {of = "logsigmoid", formula = "-log(1 + exp(-x))", see = "nn.LogSigmoid nn.Sigmoid"},
  {of = "mish", formula = "x tanh(softplus(x))", see = "nn.Mish nn.SiLU"},
  {of = "relu relu_", formula = "max(0, x)", see = "nn.ReLU nn.LeakyReLU nn.GELU F.relu"},
  {of = "relu6", formula = "min(max(0, x), 6)", see = "nn.ReLU6 nn.ReLU"},
  {of = "rrelu rrelu_", formula = "x if x > 0, else a x, a uniform in lower..upper", see = "nn.RReLU nn.LeakyReLU"},
  {of = "selu selu_", formula = "1.0507 (x if x > 0, else 1.67326 (exp(x) - 1))", see = "nn.SELU nn.AlphaDropout"},
  {of = "silu", formula = "x sigmoid(x)", see = "nn.SiLU nn.GELU"},
  {of = "sigmoid", formula = "1 / (1 + exp(-x))", see = "nn.Sigmoid nn.Tanh nn.BCEWithLogitsLoss"},
  {
    of = "softmax",
    see = "nn.Softmax nn.LogSoftmax F.softmax nn.CrossEntropyLoss",
    formula = "exp(x_i) / sum over j of exp(x_j)",
  },
  {of = "log_softmax", formula = "x_i - log(sum over j of exp(x_j))", see = "nn.LogSoftmax nn.NLLLoss F.log_softmax"},
  {of = "softmin", formula = "softmax(-x)", see = "nn.Softmin nn.Softmax"},
  {of = "softplus", see = "nn.Softplus nn.ReLU", formula = "log(1 + exp(beta x)) / beta"},
  {of = "softsign", formula = "x / (1 + |x|)", see = "nn.Softsign nn.Tanh"},
  {of = "tanh", see = "nn.Tanh nn.Sigmoid", formula = "(exp(x) - exp(-x)) / (exp(x) + exp(-x))"},
  {of = "threshold threshold_", formula = "x if x > threshold, else value", see = "nn.Threshold nn.ReLU"},
  {of = "squareplus", formula = "(x + sqrt(x^2 + 4)) / 2", see = "nn.Softplus nn.ReLU"},
  {of = "uniform_", formula = "uniform in a..b", see = "nn.init.normal_ nn.init.xavier_uniform_"},
}

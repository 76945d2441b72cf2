-- Formulas and shapes of layers, their errors and their kin.
return {
  {
    of = "Linear LazyLinear linear",
    formula = "y = x W' + b",
    shapes = "x (..., in_features) -> (..., out_features); weight (out_features, in_features), "
      .. "bias (out_features)",
    errors = "a last dimension of x that is not in_features",
    see = "nn.Linear nn.LazyLinear nn.Dense nn.Bilinear F.linear",
  },
  {
    of = "Bilinear bilinear",
    formula = "y[k] = x1' A[k] x2 + b[k]",
    shapes = "x1 (..., in1_features), x2 (..., in2_features) -> (..., out_features)",
    see = "nn.Bilinear F.bilinear nn.Linear",
  },
  {
    of = "Dense",
    formula = "y = activation(x W' + b)",
    shapes = "x (n, ...) -> (n, units); with flatten = false (..., features) -> (..., units)",
    see = "nn.Linear nn.LazyLinear",
  },
  {
    of = "Sequential",
    errors = "what a child raises names it, as net[2]",
    see = "nn.ModuleList nn.ModuleDict nn.Module",
  },
  {
    of = "ModuleList ModuleDict ParameterList ParameterDict",
    see = "nn.Sequential nn.Module nn.Parameter",
  },
  {
    of = "Module",
    see = "nn.Sequential module:parameters module:state_dict module:to module:summary",
  },
  {
    of = "Embedding embedding",
    formula = "y = weight[x]",
    shapes = "x (...) of positions -> (..., embedding_dim)",
    counts = "x and padding_idx, from 1 to num_embeddings",
    errors = "a position out of range raises when a result is read, with the line that looked it "
      .. "up",
    see = "nn.Embedding nn.EmbeddingBag F.embedding F.one_hot",
  },
  {
    of = "EmbeddingBag embedding_bag",
    shapes = "x (n, length) -> (n, embedding_dim); with offsets x (total) -> (bags, embedding_dim)",
    counts = "x, offsets and padding_idx",
    see = "nn.EmbeddingBag nn.Embedding F.embedding_bag",
  },
  {
    of = "Conv1d LazyConv1d conv1d",
    formula = "y[n, o, t] = b[o] + sum over c, i of w[o, c, i] x[n, c, stride t + dilation i - "
      .. "padding]",
    shapes = "x (n, in_channels, length) -> (n, out_channels, (length + 2 padding - dilation "
      .. "(kernel_size - 1) - 1) // stride + 1); x may lack n",
    see = "nn.Conv1d nn.LazyConv1d nn.ConvTranspose1d F.conv1d",
  },
  {
    of = "Conv2d LazyConv2d conv2d",
    formula = "y[n, o, p, q] = b[o] + sum over c, i, j of w[o, c, i, j] x[n, c, stride p + "
      .. "dilation i - padding, stride q + dilation j - padding]",
    shapes = "x (n, in_channels, height, width) -> (n, out_channels, (size + 2 padding - dilation "
      .. "(kernel_size - 1) - 1) // stride + 1 for height and width); x may lack n",
    errors = "channels of x that are not in_channels, a window larger than the padded x",
    see = "nn.Conv2d nn.LazyConv2d nn.ConvTranspose2d nn.MaxPool2d F.conv2d",
  },
  {
    of = "Conv3d LazyConv3d conv3d",
    formula = "as Conv2d, with depth",
    shapes = "x (n, in_channels, depth, height, width) -> (n, out_channels, (size + 2 padding - "
      .. "dilation (kernel_size - 1) - 1) // stride + 1 for each)",
    see = "nn.Conv3d nn.LazyConv3d nn.ConvTranspose3d F.conv3d",
  },
  {
    of = "ConvTranspose1d ConvTranspose2d ConvTranspose3d LazyConvTranspose1d LazyConvTranspose2d "
      .. "LazyConvTranspose3d conv_transpose1d conv_transpose2d conv_transpose3d",
    formula = "the gradient of a convolution with respect to its input",
    shapes = "x (n, in_channels, size...) -> (n, out_channels, (size - 1) stride - 2 padding + "
      .. "dilation (kernel_size - 1) + output_padding + 1 for each)",
    see = "nn.ConvTranspose2d nn.Conv2d F.conv_transpose2d nn.Upsample",
  },
  {
    of = "MaxPool1d MaxPool2d MaxPool3d max_pool1d max_pool2d max_pool3d",
    formula = "y = the maximum of each window",
    shapes = "x (n, channels, size...) -> (n, channels, (size + 2 padding - dilation (kernel_size "
      .. "- 1) - 1) // stride + 1 for each); rounded up with ceil_mode",
    counts = "positions that return_indices gives, in one channel taken as a vector",
    see = "nn.MaxPool2d nn.AvgPool2d nn.AdaptiveMaxPool2d nn.MaxUnpool2d F.max_pool2d",
  },
  {
    of = "AvgPool1d AvgPool2d AvgPool3d avg_pool1d avg_pool2d avg_pool3d",
    formula = "y = the mean of each window",
    shapes = "x (n, channels, size...) -> (n, channels, (size + 2 padding - kernel_size) // "
      .. "stride + 1 for each); rounded up with ceil_mode",
    see = "nn.AvgPool2d nn.MaxPool2d nn.AdaptiveAvgPool2d F.avg_pool2d",
  },
  {
    of = "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d "
      .. "AdaptiveMaxPool2d AdaptiveMaxPool3d adaptive_avg_pool1d adaptive_avg_pool2d "
      .. "adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d",
    shapes = "x (n, channels, size...) -> (n, channels, output_size...), whatever the sizes of x",
    see = "nn.AdaptiveAvgPool2d nn.AdaptiveMaxPool2d nn.AvgPool2d",
  },
  {
    of = "LPPool1d LPPool2d LPPool3d lp_pool1d lp_pool2d lp_pool3d",
    formula = "y = (sum over the window of x^p)^(1/p)",
    shapes = "x (n, channels, size...) -> (n, channels, (size - kernel_size) // stride + 1 for each)",
    see = "nn.LPPool2d nn.AvgPool2d F.lp_pool2d",
  },
  {
    of = "MaxUnpool1d MaxUnpool2d MaxUnpool3d max_unpool1d max_unpool2d max_unpool3d",
    shapes = "x and indices (n, channels, size...) -> (n, channels, (size - 1) stride - 2 padding "
      .. "+ kernel_size for each)",
    see = "nn.MaxUnpool2d nn.MaxPool2d F.max_unpool2d",
  },
  {
    of = "FractionalMaxPool2d FractionalMaxPool3d fractional_max_pool2d fractional_max_pool3d",
    errors = "exactly one of output_size and output_ratio must be given",
    see = "nn.FractionalMaxPool2d nn.MaxPool2d",
  },
  {
    of = "BatchNorm1d BatchNorm2d BatchNorm3d LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d "
      .. "batch_norm",
    formula = "y = (x - mean) / sqrt(var + eps) * weight + bias, mean and var over all but "
      .. "dimension 2; running = (1 - momentum) running + momentum batch",
    shapes = "x (n, num_features, ...) -> the same",
    waits = "only with momentum = false, in training",
    errors = "one value for each channel in training, as there is no variance",
    see = "nn.BatchNorm2d nn.LayerNorm nn.GroupNorm nn.InstanceNorm2d F.batch_norm module:eval",
  },
  {
    of = "InstanceNorm1d InstanceNorm2d InstanceNorm3d LazyInstanceNorm1d LazyInstanceNorm2d "
      .. "LazyInstanceNorm3d instance_norm",
    formula = "y = (x - mean) / sqrt(var + eps) * weight + bias, mean and var of each channel of "
      .. "each sample",
    shapes = "x (n, num_features, ...) -> the same",
    see = "nn.InstanceNorm2d nn.BatchNorm2d F.instance_norm",
  },
  {
    of = "LayerNorm layer_norm",
    formula = "y = (x - mean) / sqrt(var + eps) * weight + bias, mean and var over the last "
      .. "dimensions",
    shapes = "x (..., normalized_shape) -> the same",
    errors = "last dimensions of x that are not normalized_shape",
    see = "nn.LayerNorm nn.RMSNorm nn.BatchNorm1d F.layer_norm",
  },
  {
    of = "RMSNorm rms_norm",
    formula = "y = x / sqrt(mean(x^2) + eps) * weight, the mean over the last dimensions",
    shapes = "x (..., normalized_shape) -> the same",
    see = "nn.RMSNorm nn.LayerNorm F.rms_norm",
  },
  {
    of = "GroupNorm group_norm",
    formula = "y = (x - mean) / sqrt(var + eps) * weight + bias, mean and var of each group of "
      .. "channels of each sample",
    shapes = "x (n, num_channels, ...) -> the same",
    errors = "num_groups must divide num_channels",
    see = "nn.GroupNorm nn.LayerNorm F.group_norm",
  },
  {
    of = "LocalResponseNorm local_response_norm",
    formula = "y[c] = x[c] / (k + alpha / size * sum over size neighbouring channels of x^2)^beta",
    see = "nn.LocalResponseNorm F.local_response_norm",
  },
  {of = "normalize", formula = "y = x / max(||x||_p, eps)", see = "nn.LayerNorm"},
  {
    of = "Dropout dropout",
    formula = "y = x m / (1 - p), m is 0 with probability p, else 1; y = x in evaluation mode",
    see = "nn.Dropout nn.Dropout2d F.dropout module:eval tide.manual_seed",
  },
  {
    of = "Dropout1d Dropout2d Dropout3d dropout1d dropout2d dropout3d",
    formula = "y = x m / (1 - p), one m for each channel; y = x in evaluation mode",
    see = "nn.Dropout nn.Dropout2d F.dropout2d",
  },
  {
    of = "AlphaDropout FeatureAlphaDropout alpha_dropout feature_alpha_dropout",
    formula = "dropped values become -1.758 and all are scaled, so that mean and variance stay",
    see = "nn.AlphaDropout nn.SELU",
  },
  {
    of = "RNN",
    formula = "h = tanh(W_ih x + b_ih + W_hh h + b_hh)",
    shapes = "x (length, n, input_size), h (layers, n, hidden_size) -> output (length, n, "
      .. "hidden_size), h; with bidirectional twice the layers and features; batch_first puts n "
      .. "in front",
    see = "nn.LSTM nn.GRU nn.RNNCell nn.utils.rnn.pack_padded_sequence",
  },
  {
    of = "LSTM",
    formula = "i, f, o = sigmoid(W x + U h + b), g = tanh(W x + U h + b); c = f c + i g; h = o "
      .. "tanh(c), W, U, b of each gate in the order i, f, g, o",
    shapes = "x (length, n, input_size), {h, c} (layers, n, hidden_size) -> output (length, n, "
      .. "hidden_size), {h, c}; with bidirectional twice the layers and features; batch_first "
      .. "puts n in front; h has proj_size if that is given",
    see = "nn.GRU nn.RNN nn.LSTMCell nn.utils.rnn.pack_padded_sequence",
  },
  {
    of = "GRU",
    formula = "r, z = sigmoid(W x + U h + b); g = tanh(W x + b + r (U h + c)); h = (1 - z) g + z h",
    shapes = "x (length, n, input_size), h (layers, n, hidden_size) -> output (length, n, "
      .. "hidden_size), h; with bidirectional twice the layers and features; batch_first puts n "
      .. "in front",
    see = "nn.LSTM nn.RNN nn.GRUCell",
  },
  {
    of = "RNNCell GRUCell",
    shapes = "x (n, input_size), h (n, hidden_size) -> h",
    see = "nn.RNN nn.GRU nn.LSTMCell",
  },
  {
    of = "LSTMCell",
    shapes = "x (n, input_size), {h, c} (n, hidden_size) -> h, c",
    see = "nn.LSTM nn.RNNCell",
  },
  {
    of = "MultiheadAttention multi_head_attention_forward",
    formula = "concat(softmax(q_i k_i' / sqrt(embed_dim / num_heads) + mask) v_i) W_o + b_o over "
      .. "the heads i",
    shapes = "query (length, n, embed_dim), key and value (others, n, ...) -> (length, n, "
      .. "embed_dim), weights (n, length, others); batch_first puts n in front",
    errors = "embed_dim must be a multiple of num_heads",
    see = "F.scaled_dot_product_attention nn.TransformerEncoderLayer",
  },
  {
    of = "scaled_dot_product_attention",
    formula = "softmax(q k' * scale + mask) v",
    shapes = "query (..., length, features), key (..., others, features), value (..., others, "
      .. "values) -> (..., length, values)",
    see = "nn.MultiheadAttention F.softmax",
  },
  {
    of = "TransformerEncoderLayer TransformerDecoderLayer TransformerEncoder TransformerDecoder "
      .. "Transformer",
    shapes = "(length, n, d_model) -> the same; batch_first puts n in front",
    see = "nn.Transformer nn.TransformerEncoder nn.TransformerEncoderLayer nn.TransformerDecoder "
      .. "nn.MultiheadAttention",
  },
  {of = "Flatten Unflatten", see = "nn.Flatten nn.Unflatten x:flatten x:unflatten"},
  {
    of = "Upsample UpsamplingBilinear2d UpsamplingNearest2d upsample interpolate",
    shapes = "x (n, channels, size...) -> (n, channels, size or floor(scale_factor size))",
    errors = "exactly one of size and scale_factor must be given",
    see = "nn.Upsample F.interpolate nn.ConvTranspose2d",
  },
  {
    of = "PixelShuffle pixel_shuffle",
    shapes = "x (n, channels r^2, height, width) -> (n, channels, height r, width r), r the factor",
    see = "nn.PixelShuffle nn.PixelUnshuffle",
  },
  {
    of = "PixelUnshuffle pixel_unshuffle",
    shapes = "x (n, channels, height r, width r) -> (n, channels r^2, height, width), r the factor",
    see = "nn.PixelUnshuffle nn.PixelShuffle",
  },
  {
    of = "Unfold",
    shapes = "x (n, channels, height, width) -> (n, channels * window, number of windows)",
    see = "nn.Fold F.unfold",
  },
  {
    of = "Fold",
    shapes = "x (n, channels * window, number of windows) -> (n, channels, height, width)",
    see = "nn.Unfold F.fold",
  },
  {
    of = "CosineSimilarity cosine_similarity",
    formula = "x1 . x2 / max(||x1|| ||x2||, eps)",
    see = "nn.CosineSimilarity F.cosine_similarity nn.PairwiseDistance",
  },
  {
    of = "PairwiseDistance pairwise_distance",
    formula = "||x1 - x2 + eps||_p",
    see = "nn.PairwiseDistance F.pairwise_distance tide.cdist",
  },
  -- Activations
  {
    of = "CELU celu celu_",
    formula = "max(0, x) + min(0, alpha (exp(x / alpha) - 1))",
    see = "nn.CELU nn.ELU F.celu",
  },
  {
    of = "ELU elu elu_",
    formula = "x if x > 0, else alpha (exp(x) - 1)",
    see = "nn.ELU nn.SELU F.elu",
  },
  {
    of = "GELU gelu",
    formula = "x P(x), P the normal distribution; with tanh 0.5 x (1 + tanh(sqrt(2 / pi) (x + "
      .. "0.044715 x^3)))",
    see = "nn.GELU nn.SiLU F.gelu",
  },
  {of = "GLU glu", formula = "a sigmoid(b), a and b the halves of x", see = "nn.GLU F.glu"},
  {
    of = "Hardshrink hardshrink",
    formula = "x if |x| > lambd, else 0",
    see = "nn.Hardshrink nn.Softshrink",
  },
  {
    of = "Softshrink softshrink",
    formula = "sign(x) max(|x| - lambd, 0)",
    see = "nn.Softshrink nn.Hardshrink",
  },
  {
    of = "Hardsigmoid hardsigmoid",
    formula = "clamp(x / 6 + 1 / 2, 0, 1)",
    see = "nn.Hardsigmoid nn.Sigmoid",
  },
  {
    of = "Hardswish hardswish",
    formula = "x clamp(x / 6 + 1 / 2, 0, 1)",
    see = "nn.Hardswish nn.SiLU",
  },
  {
    of = "Hardtanh hardtanh hardtanh_",
    formula = "clamp(x, min_val, max_val)",
    see = "nn.Hardtanh nn.ReLU6 nn.Tanh",
  },
  {
    of = "LeakyReLU leaky_relu leaky_relu_",
    formula = "x if x > 0, else negative_slope x",
    see = "nn.LeakyReLU nn.PReLU F.leaky_relu",
  },
  {of = "LogSigmoid logsigmoid", formula = "-log(1 + exp(-x))", see = "nn.LogSigmoid nn.Sigmoid"},
  {of = "Mish mish", formula = "x tanh(softplus(x))", see = "nn.Mish nn.SiLU"},
  {of = "PReLU prelu", formula = "x if x > 0, else weight x", see = "nn.PReLU nn.LeakyReLU"},
  {of = "ReLU relu relu_", formula = "max(0, x)", see = "nn.ReLU nn.LeakyReLU nn.GELU F.relu"},
  {of = "ReLU6 relu6", formula = "min(max(0, x), 6)", see = "nn.ReLU6 nn.ReLU"},
  {
    of = "RReLU rrelu rrelu_",
    formula = "x if x > 0, else a x, a uniform in lower..upper",
    see = "nn.RReLU nn.LeakyReLU",
  },
  {
    of = "SELU selu selu_",
    formula = "1.0507 (x if x > 0, else 1.67326 (exp(x) - 1))",
    see = "nn.SELU nn.AlphaDropout",
  },
  {of = "SiLU silu", formula = "x sigmoid(x)", see = "nn.SiLU nn.GELU"},
  {
    of = "Sigmoid sigmoid",
    formula = "1 / (1 + exp(-x))",
    see = "nn.Sigmoid nn.Tanh nn.BCEWithLogitsLoss",
  },
  {
    of = "Softmax softmax",
    formula = "exp(x_i) / sum over j of exp(x_j)",
    see = "nn.Softmax nn.LogSoftmax F.softmax nn.CrossEntropyLoss",
  },
  {
    of = "LogSoftmax log_softmax",
    formula = "x_i - log(sum over j of exp(x_j))",
    see = "nn.LogSoftmax nn.NLLLoss F.log_softmax",
  },
  {of = "Softmin softmin", formula = "softmax(-x)", see = "nn.Softmin nn.Softmax"},
  {of = "Softplus softplus", formula = "log(1 + exp(beta x)) / beta", see = "nn.Softplus nn.ReLU"},
  {of = "Softsign softsign", formula = "x / (1 + |x|)", see = "nn.Softsign nn.Tanh"},
  {
    of = "Tanh tanh",
    formula = "(exp(x) - exp(-x)) / (exp(x) + exp(-x))",
    see = "nn.Tanh nn.Sigmoid",
  },
  {of = "Tanhshrink tanhshrink", formula = "x - tanh(x)", see = "nn.Tanhshrink"},
  {
    of = "Threshold threshold threshold_",
    formula = "x if x > threshold, else value",
    see = "nn.Threshold nn.ReLU",
  },
  {
    of = "gumbel_softmax",
    formula = "softmax((logits + g) / tau), g = -log(-log(uniform))",
    see = "F.softmax",
  },
  {
    of = "xavier_uniform_",
    formula = "uniform in -a..a, a = gain sqrt(6 / (fan_in + fan_out))",
    see = "nn.init.xavier_normal_ nn.init.kaiming_uniform_ nn.init.calculate_gain",
  },
  {
    of = "xavier_normal_",
    formula = "normal, std = gain sqrt(2 / (fan_in + fan_out))",
    see = "nn.init.xavier_uniform_ nn.init.calculate_gain",
  },
  {
    of = "kaiming_uniform_",
    formula = "uniform in -b..b, b = gain sqrt(3 / fan)",
    see = "nn.init.kaiming_normal_ nn.init.calculate_gain",
  },
  {
    of = "kaiming_normal_",
    formula = "normal, std = gain / sqrt(fan)",
    see = "nn.init.kaiming_uniform_ nn.init.calculate_gain",
  },
  {
    of = "clip_grad_norm_",
    formula = "grad = grad min(1, max_norm / (total norm + 1e-6))",
    see = "nn.utils.clip_grad_value_ nn.utils.get_total_norm",
  },
  {
    of = "weight_norm",
    formula = "w = g v / ||v||",
    see = "nn.utils.spectral_norm nn.utils.remove_weight_norm",
  },
  {
    of = "spectral_norm",
    formula = "w = w / (largest singular value of w)",
    see = "nn.utils.weight_norm nn.utils.remove_spectral_norm",
  },
  {
    of = "module:state_dict module:load_state_dict",
    see = "module:state_dict module:load_state_dict tide.save tide.load",
  },
  {of = "module:train module:eval", see = "module:train module:eval nn.Dropout nn.BatchNorm2d"},
  {
    of = "module:to module:cpu module:cuda module:float module:double module:half module:bfloat16",
    see = "module:to x:to tide.accelerator",
  },
  {
    of = "module:parameters module:named_parameters",
    see = "module:parameters module:named_parameters module:buffers optim.SGD",
  },
  {
    of = "ConstantPad1d ConstantPad2d ConstantPad3d CircularPad1d CircularPad2d CircularPad3d "
      .. "ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d "
      .. "ReplicationPad3d ZeroPad1d ZeroPad2d ZeroPad3d",
    shapes = "x (n, channels, size...) -> (n, channels, front + size + behind for each)",
    see = "nn.ConstantPad2d nn.ReflectionPad2d nn.ReplicationPad2d nn.CircularPad2d F.pad",
  },
  {
    of = "FractionalMaxPool2d FractionalMaxPool3d fractional_max_pool2d fractional_max_pool3d",
    shapes = "x (n, channels, size...) -> (n, channels, output_size or floor(output_ratio size)...)",
  },
  {
    of = "ChannelShuffle channel_shuffle",
    shapes = "x (n, channels, ...) -> the same",
    see = "nn.ChannelShuffle F.channel_shuffle nn.PixelShuffle",
  },
  {of = "Softmax2d", formula = "softmax over the channels of each place", see = "nn.Softmax"},
  {of = "Squareplus squareplus", formula = "(x + sqrt(x^2 + 4)) / 2", see = "nn.Softplus nn.ReLU"},
  {of = "uniform_", formula = "uniform in a..b", see = "nn.init.normal_ nn.init.xavier_uniform_"},
  {of = "trunc_normal_", formula = "normal (mean, std), drawn again outside of a..b"},
}

-- Default options: layers have PyTorch's defaults, and functions use them.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local close, equal = test.close, test.same_type
local nn, F = tide.nn, tide.nn.functional

-- {class, arguments without a default, fields}: the defaults of torch.nn, with dimensions and
-- positions counted from 1.
local fields = {
  {"CELU", {}, {alpha = 1, inplace = false}}, {"ELU", {}, {alpha = 1, inplace = false}},
  {"GLU", {}, {dim = -1}}, {"GELU", {}, {approximate = "none"}}, {"Hardshrink", {}, {lambd = 0.5}},
  {"Hardtanh", {}, {min_val = -1, max_val = 1, inplace = false}},
  {"LeakyReLU", {}, {negative_slope = 0.01, inplace = false}}, {"ReLU", {}, {inplace = false}},
  {"RReLU", {}, {lower = 1 / 8, upper = 1 / 3, inplace = false}},
  {"Softplus", {}, {beta = 1, threshold = 20}}, {"Softshrink", {}, {lambd = 0.5}},
  {"HuberLoss", {}, {reduction = "mean", delta = 1}},
  {"SmoothL1Loss", {}, {reduction = "mean", beta = 1}},
  {"PoissonNLLLoss", {}, {log_input = true, full = false, eps = 1e-8, reduction = "mean"}},
  {"GaussianNLLLoss", {}, {full = false, eps = 1e-6, reduction = "mean"}},
  {"KLDivLoss", {}, {reduction = "mean", log_target = false}},
  {"CrossEntropyLoss", {}, {ignore_index = -100, reduction = "mean", label_smoothing = 0}},
  {"NLLLoss", {}, {ignore_index = -100, reduction = "mean"}},
  {"MultiMarginLoss", {}, {p = 1, margin = 1, reduction = "mean"}},
  {"HingeEmbeddingLoss", {}, {margin = 1, reduction = "mean"}},
  {"MarginRankingLoss", {}, {margin = 0, reduction = "mean"}},
  {"CosineEmbeddingLoss", {}, {margin = 0, reduction = "mean"}},
  {"TripletMarginLoss", {}, {margin = 1, p = 2, eps = 1e-6, swap = false, reduction = "mean"}},
  {"CTCLoss", {}, {blank = 1, reduction = "mean", zero_infinity = false}},
  {"MaxPool1d", {2}, {padding = 0, dilation = 1, return_indices = false, ceil_mode = false}},
  {"MaxPool2d", {2}, {padding = 0, dilation = 1, return_indices = false, ceil_mode = false}},
  {"MaxPool3d", {2}, {padding = 0, dilation = 1, return_indices = false, ceil_mode = false}},
  {"AvgPool1d", {2}, {padding = 0, ceil_mode = false, count_include_pad = true}},
  {"AvgPool2d", {2}, {padding = 0, ceil_mode = false, count_include_pad = true}},
  {"AvgPool3d", {2}, {padding = 0, ceil_mode = false, count_include_pad = true}},
  {"LPPool1d", {2, 3}, {ceil_mode = false}},
  {"AdaptiveMaxPool2d", {2}, {return_indices = false}},
  {"BatchNorm1d", {2}, {eps = 1e-5, momentum = 0.1, affine = true, track_running_stats = true}},
  {"BatchNorm2d", {2}, {eps = 1e-5, momentum = 0.1, affine = true, track_running_stats = true}},
  {"BatchNorm3d", {2}, {eps = 1e-5, momentum = 0.1, affine = true, track_running_stats = true}},
  {"InstanceNorm1d", {2}, {eps = 1e-5, momentum = 0.1, affine = false,
    track_running_stats = false}},
  {"InstanceNorm3d", {2}, {eps = 1e-5, momentum = 0.1, affine = false,
    track_running_stats = false}},
  {"LayerNorm", {2}, {eps = 1e-5}}, {"GroupNorm", {1, 2}, {eps = 1e-5}},
  {"LocalResponseNorm", {2}, {alpha = 1e-4, beta = 0.75, k = 1}},
  {"PReLU", {}, {}}, {"MultiheadAttention", {4, 2}, {batch_first = false}},
}

-- {call, the same call with its defaults written out}.
local calls = {
  {"F.elu(x)", "F.elu(x, 1)"}, {"F.celu(x)", "F.celu(x, 1)"},
  {"F.hardshrink(x)", "F.hardshrink(x, 0.5)"}, {"F.softshrink(x)", "F.softshrink(x, 0.5)"},
  {"F.hardtanh(x)", "F.hardtanh(x, -1, 1)"}, {"F.leaky_relu(x)", "F.leaky_relu(x, 0.01)"},
  {"F.softplus(x * 9)", "F.softplus(x * 9, 1, 20)"}, {"F.glu(x)", "F.glu(x, -1)"},
  {"F.rrelu(x)", "F.rrelu(x, 1 / 8, 1 / 3)"},
  {"F.gelu(x)", "F.gelu(x, {approximate = 'none'})"},
  {"F.huber_loss(x, y)", "F.huber_loss(x, y, {delta = 1, reduction = 'mean'})"},
  {"F.smooth_l1_loss(x, y)", "F.smooth_l1_loss(x, y, {beta = 1, reduction = 'mean'})"},
  {"F.poisson_nll_loss(x, y:abs())",
    "F.poisson_nll_loss(x, y:abs(), {log_input = true, full = false, reduction = 'mean'})"},
  {"F.poisson_nll_loss(x * 0, y:abs(), {log_input = false})",
    "F.poisson_nll_loss(x * 0, y:abs(), {log_input = false, eps = 1e-8})"},
  {"F.gaussian_nll_loss(x, y, y * 0)",
    "F.gaussian_nll_loss(x, y, y * 0, {full = false, eps = 1e-6, reduction = 'mean'})"},
  {"F.kl_div(x, y:softmax(2))",
    "F.kl_div(x, y:softmax(2), {reduction = 'mean', log_target = false})"},
  {"F.cross_entropy(x, classes)",
    "F.cross_entropy(x, classes, {ignore_index = -100, reduction = 'mean', label_smoothing = 0})"},
  {"F.multi_margin_loss(x, classes)",
    "F.multi_margin_loss(x, classes, {p = 1, margin = 1, reduction = 'mean'})"},
  {"F.hinge_embedding_loss(x, y:sign())",
    "F.hinge_embedding_loss(x, y:sign(), {margin = 1, reduction = 'mean'})"},
  {"F.margin_ranking_loss(x, y, y:sign())",
    "F.margin_ranking_loss(x, y, y:sign(), {margin = 0, reduction = 'mean'})"},
  {"F.cosine_embedding_loss(x, y, signs)",
    "F.cosine_embedding_loss(x, y, signs, {margin = 0, reduction = 'mean'})"},
  {"F.triplet_margin_loss(x, y, x + 1)",
    "F.triplet_margin_loss(x, y, x + 1, {margin = 1, p = 2, eps = 1e-6, swap = false})"},
  {"F.layer_norm(x, {4})", "F.layer_norm(x, {4}, nil, nil, 1e-5)"},
  {"F.group_norm(image, 2)", "F.group_norm(image, 2, nil, nil, 1e-5)"},
  {"F.batch_norm(image, mean, variance)",
    "F.batch_norm(image, mean, variance, {training = false, eps = 1e-5})"},
  {"F.batch_norm(image, nil, nil, {training = true})",
    "F.batch_norm(image, nil, nil, {training = true, eps = 1e-5, momentum = 0.1})"},
  {"F.instance_norm(image)", "F.instance_norm(image, {eps = 1e-5, use_input_stats = true})"},
  {"F.local_response_norm(image, 3)", "F.local_response_norm(image, 3, 1e-4, 0.75, 1)"},
  {"F.max_pool2d(image, 2)",
    "(F.max_pool2d(image, 2, {stride = 2, padding = 0, dilation = 1, ceil_mode = false}))"},
  {"F.avg_pool2d(image, 2, {padding = 1})",
    "F.avg_pool2d(image, 2, {stride = 2, padding = 1, count_include_pad = true})"},
  {"F.cosine_similarity(x, y)", "F.cosine_similarity(x, y, 2, 1e-8)"},
  {"F.pairwise_distance(x, y)", "F.pairwise_distance(x, y, 2, 1e-6, false)"},
  {"F.normalize(x)", "F.normalize(x, 2, 2, 1e-12)"},
}

describe("defaults of layers", function()
  for _, case in ipairs(fields) do
    local class, arguments, expected = table.unpack(case)
    it(("are PyTorch's: %s"):format(class), function()
      local layer = nn[class](table.unpack(arguments))
      for name, value in pairs(expected) do
        local got = layer[name]
        if type(value) == "number" then got, value = got + 0.0, value + 0.0 end
        equal({[name] = got}, {[name] = value})
      end
    end)
  end
  it("are PyTorch's: Transformer", function()
    local model = nn.Transformer({d_model = 4, nhead = 2, dim_feedforward = 3})
    equal({#model.encoder.layers, #model.decoder.layers}, {6, 6})
    for _, layer in ipairs {model.encoder.layers[1], model.decoder.layers[1]} do
      equal({layer.norm_first, layer.self_attn.batch_first}, {false, false})
      close({layer.norm1.eps, layer.dropout1.p}, {1e-5, 0.1})
    end
    equal(nn.TransformerEncoderLayer(4, 2).linear1.weight.shape, {2048, 4})
  end)
end)

describe("defaults of functions", function(device)
  for _, case in ipairs(calls) do
    it(("are PyTorch's: %s"):format(case[1]), function()
      local place = {dtype = "float64", device = device}
      local iota = tide.arange(12, place)
      local given = {
        F = F, x = (iota * 1.7):sin():reshape(3, 4) * 3, y = (iota * 0.9):cos():reshape(3, 4),
        classes = tide.tensor({2, 4, 1}, {device = device}),
        signs = tide.tensor({1, -1, 1}, {device = device}),
        mean = iota[{{1, 4}}] / 5, variance = iota[{{1, 4}}] / 3 + 0.1,
        image = (tide.arange(2 * 4 * 25, place) * 1.3):sin():reshape(2, 4, 5, 5),
      }
      local got = load("return " .. case[1], "=call", "t", given)()
      close(got, load("return " .. case[2], "=call", "t", given)(), {rtol = 0, atol = 0})
    end)
  end
end)

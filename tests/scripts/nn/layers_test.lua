-- Layers: each compared with its composition, an adjoint, or a plain loop.
local tide = require "tide"
local test = require "tide.test"
local class = require "tide.class"
local describe, it = test.describe, test.it
local close, equal, raises = test.close, test.same_type, test.raises
local nn, F = tide.nn, tide.nn.functional
local loose = {rtol = 1e-4, atol = 1e-5}

local function numbers(device, ...)
  local shape, count = {...}, 1
  for _, size in ipairs(shape) do count = count * size end
  local iota = tide.arange(count, {dtype = "float64"})
  return (iota * iota * 0.37 + iota * 1.3 + 0.2):sin():reshape(shape):to(device)
end

local function inner(a, b) return (a * b):sum():item() end

describe("convolution layers", function(device)
  it("transposed are the adjoints of convolutions, with every option", function()
    for dims, sizes in pairs {{7}, {6, 7}, {5, 6, 7}} do
      local kernel, stride, pad, dilation = 2, 2, 1, 2
      local x = numbers(device, 2, 4, table.unpack(sizes))
      local weight = numbers(device, 6, 2, table.unpack({kernel, 3, 2}, 1, dims))
      local y = F[("conv%dd"):format(dims)](x, weight, nil, stride, pad, dilation, 2)
      local dy = numbers(device, table.unpack(y.shape))
      local extra = {}
      for d = 1, dims do
        local least = (y:size(d + 2) - 1) * stride - 2 * pad + dilation * (weight:size(d + 2) - 1)
        extra[d] = sizes[d] - least - 1
      end
      local back = F[("conv_transpose%dd"):format(dims)](dy, weight, nil, stride, pad, extra, 2,
        dilation)
      equal(back.shape, x.shape)
      close(inner(back, x), inner(y, dy), {rtol = 1e-9})
    end
  end)
  it("agree with functions of their parameters", function()
    local layer = nn.Conv1d(4, 6, 3, {stride = 2, padding = 1, groups = 2, dtype = "float64",
      device = device})
    equal(layer.weight.shape, {6, 2, 3})
    local x = numbers(device, 2, 4, 9)
    close(layer(x), F.conv1d(x, layer.weight, layer.bias, 2, 1, 1, 2))
    local up = nn.ConvTranspose2d(3, 4, 3, {stride = 2, dtype = "float64", device = device})
    equal(up.weight.shape, {3, 4, 3, 3})
    local image = numbers(device, 1, 3, 5, 5)
    equal(up(image).shape, {1, 4, 11, 11})
    equal(up(image, {12, 11}).shape, {1, 4, 12, 11})
    raises("the sizes from 11 to 12 are possible", up, image, {13, 11})
  end)
  it("support other padding modes than zeros", function()
    local layer = nn.Conv2d(1, 1, 3, {padding = 1, padding_mode = "circular", bias = false,
      device = device, dtype = "float64"})
    local x = numbers(device, 1, 1, 4, 5)
    close(layer(x), F.conv2d(F.pad(x, {1, 1, 1, 1}, "circular"), layer.weight))
    local same = nn.Conv1d(1, 1, 4, {padding = "same", padding_mode = "replicate",
      device = device, dtype = "float64"})
    equal(same(numbers(device, 1, 1, 9)).shape, {1, 1, 9})
    local image, tap = tide.tensor({{{{1, 2}, {3, 4}}}}, {device = device}):float(), tide.ones({1, 1, 2, 3})
    -- The extra padding of an even kernel is after the last elements.
    equal(F.conv2d(image, tap:to(device), {padding = "same"}):tolist(), {{{{10.0, 10.0}, {7.0, 7.0}}}})
    equal(F.conv2d(image, tap:mT():contiguous():to(device), {padding = "same"}):tolist(),
      {{{{10.0, 6.0}, {10.0, 6.0}}}})
    raises("padding_mode must be", nn.Conv2d, 1, 1, 3, {padding_mode = "none"})
  end)
  it("infer their channels from the first batch", function()
    local layer = nn.LazyConv2d(4, 3):to(device)
    raises("has none before its first input", layer.parameters, layer)
    equal(layer(numbers(device, 2, 5, 6, 6):float()).shape, {2, 4, 4, 4})
    equal(layer.weight.shape, {4, 5, 3, 3})
    equal(#layer:parameters(), 2)
  end)
end)

describe("pooling layers", function(device)
  --- The windows of a volume, by indexing.
  local function windows(x, kernel, stride, fn)
    local result = {}
    for d = 1, x:size(3) - kernel + 1, stride do
      for h = 1, x:size(4) - kernel + 1, stride do
        for w = 1, x:size(5) - kernel + 1, stride do
          local window = x:narrow(3, d, kernel):narrow(4, h, kernel):narrow(5, w, kernel)
          result[#result + 1] = fn(window:flatten(3))
        end
      end
    end
    return tide.stack(result, -1)
  end

  it("over volumes return the maximum and the mean of each window", function()
    local x = numbers(device, 2, 3, 5, 6, 7)
    local largest = nn.MaxPool3d(2, {stride = 2})(x)
    close(largest:flatten(3), windows(x, 2, 2, function(w) return (w:max(-1)) end))
    local mean = nn.AvgPool3d(3, {stride = 1})(x)
    close(mean:flatten(3), windows(x, 3, 1, function(w) return w:mean(-1) end), {rtol = 1e-9})
  end)
  it("over volumes return positions in the flattened volume", function()
    local x = numbers(device, 2, 3, 5, 6, 7)
    local values, places = F.max_pool3d(x, 3, 2, 1, {return_indices = true})
    close(x:flatten(3):gather(3, places:flatten(3)), values:flatten(3))
  end)
  it("over volumes count padding or not", function()
    local x = tide.ones({1, 1, 4, 4, 4}, {device = device})
    close(F.avg_pool3d(x, 2, 2, 1, {count_include_pad = false}), tide.ones(1, 1, 3, 3, 3))
    equal(F.avg_pool3d(x, 2, 2, 1)[{1, 1, 1, 1, 1}]:item(), 0.125)
    equal(F.avg_pool3d(x, 2, 2, {divisor_override = 4})[{1, 1, 1, 1, 1}]:item(), 2.0)
  end)
  it("adapt to a size", function()
    local x = numbers(device, 2, 3, 4, 6, 8)
    close(nn.AdaptiveAvgPool3d({2, 3, 4})(x), F.avg_pool3d(x, 2), {rtol = 1e-9})
    close((nn.AdaptiveMaxPool3d(1)(x)):flatten(2), x:amax({3, 4, 5}))
  end)
end)

describe("normalization layers", function(device)
  it("update running statistics, and use them in evaluation mode", function()
    local layer = nn.BatchNorm2d(3, {momentum = 0.5}):to(device)
    local x = numbers(device, 4, 3, 5, 5):float() * 2 + 1
    local y = layer(x)
    close(y:mean({1, 3, 4}), tide.zeros(3), {atol = 1e-5})
    close(layer.running_mean, x:mean({1, 3, 4}) * 0.5, loose)
    close(layer.running_var, x:var({1, 3, 4}) * 0.5 + 0.5, loose)
    equal(layer.num_batches_tracked:item(), 1)
    layer:eval()
    local mean, var = layer.running_mean:reshape(1, 3, 1, 1), layer.running_var:reshape(1, 3, 1, 1)
    close(layer(x), (x - mean) / (var + 1e-5):sqrt(), loose)
    equal(layer.num_batches_tracked:item(), 1)
    raises("expected an input of 4 dimensions, got 2", layer, tide.ones({2, 3}, {device = device}))
  end)
  it("without momentum average all batches", function()
    local layer = nn.BatchNorm1d(2, {momentum = false}):to(device)
    local a, b = numbers(device, 5, 2):float(), numbers(device, 5, 2):float() * 3
    layer(a)
    layer(b)
    close(layer.running_mean, (a:mean(1) + b:mean(1)) / 2, loose)
  end)
  it("save their statistics in the state", function()
    local names = {}
    for name in pairs(nn.BatchNorm1d(2):state_dict()) do names[#names + 1] = name end
    table.sort(names)
    equal(names, {"bias", "num_batches_tracked", "running_mean", "running_var", "weight"})
  end)
  it("of layers, groups and instances have parameters", function()
    local x = numbers(device, 2, 4, 6):float()
    equal(#nn.LayerNorm({4, 6}):parameters(), 2)
    close(nn.LayerNorm({4, 6}):to(device)(x), F.layer_norm(x, {4, 6}), loose)
    close(nn.GroupNorm(2, 4):to(device)(x), F.group_norm(x, 2), loose)
    close(nn.RMSNorm(6):to(device)(x), F.rms_norm(x, {6}), loose)
    equal(#nn.InstanceNorm1d(4):parameters(), 0)
    close(nn.InstanceNorm1d(4):to(device)(x), F.instance_norm(x), loose)
    local single = nn.InstanceNorm1d(4):to(device)(x[1])
    close(single, F.instance_norm(x)[1], loose)
    raises("3 channels do not divide into 2 groups", nn.GroupNorm, 2, 3)
  end)
end)

describe("recurrent layers", function(device)
  local function run_cell(cell, x, state)
    local outputs = {}
    for t = 1, #x do
      local result = table.pack(cell(x[t], state))
      outputs[t], state = result[1], result
    end
    return tide.stack(outputs), state
  end

  for _, name in ipairs {"RNN", "LSTM", "GRU"} do
    it(name .. " agrees with the steps of its cell", function()
      local layer = nn[name](5, 4, {device = device, dtype = "float64"})
      local cell = nn[name .. "Cell"](5, 4, {device = device, dtype = "float64"})
      local state = {}
      for key, tensor in pairs(layer:state_dict()) do state[key:gsub("_l0", "")] = tensor end
      cell:load_state_dict(state)
      local x = numbers(device, 6, 3, 5)
      local y, last = layer(x)
      local expected, final = run_cell(cell, x)
      close(y, expected, {rtol = 1e-9})
      if name == "LSTM" then
        close(last[1][1], final[1], {rtol = 1e-9})
        close(last[2][1], final[2], {rtol = 1e-9})
      else
        close(last[1], final[1], {rtol = 1e-9})
      end
    end)
    it(name .. " continues from a state, batch first, and without a batch dimension", function()
      local layer = nn[name](5, 4, 2, {device = device, dtype = "float64", batch_first = true,
        bidirectional = false})
      local x = numbers(device, 3, 6, 5)
      local whole = layer(x)
      local first, state = layer(x:narrow(2, 1, 4))
      local second = layer(x:narrow(2, 5, 2), state)
      close(tide.cat({first, second}, 2), whole, {rtol = 1e-9})
      close((layer(x[2])), whole[2], {rtol = 1e-9})
    end)
  end
  it("support both directions", function()
    local both = nn.GRU(3, 2, {bidirectional = true, device = device, dtype = "float64"})
    local back = nn.GRU(3, 2, {device = device, dtype = "float64"})
    local state = {}
    for key, tensor in pairs(both:state_dict()) do
      local plain = key:match "^(.*)_reverse$"
      if plain then state[plain] = tensor end
    end
    back:load_state_dict(state)
    local x = numbers(device, 5, 2, 3)
    local y, last = both(x)
    equal(y.shape, {5, 2, 4})
    close(y[{{}, {}, {3, 4}}], back(x:flip(1)):flip(1), {rtol = 1e-9})
    close(last[2], y[{1, {}, {3, 4}}], {rtol = 1e-9})
  end)
  it("name their parameters as PyTorch does, and report wrong sizes", function()
    local names = {}
    for name in nn.LSTM(3, 4, {proj_size = 2}):named_parameters() do names[#names + 1] = name end
    equal(names, {"weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0", "weight_hr_l0"})
    raises("the input has 2 features, the layer expects 3", nn.GRU(3, 2), tide.ones(4, 1, 2))
    raises("expected an initial state of shape (1, 1, 2), got (1, 2)", nn.GRU(3, 2),
      tide.ones(4, 1, 3), tide.ones(1, 2))
  end)
end)

describe("attention", function(device)
  local options = {device = device, dtype = "float64", batch_first = true}

  it("has the same output with and without weights", function()
    local layer = nn.MultiheadAttention(8, 2, options)
    local x = numbers(device, 3, 5, 8)
    local y, weights = layer(x, x, x)
    local fast, none = layer(x, x, x, {need_weights = false})
    close(fast, y, {rtol = 1e-9})
    equal(none, nil)
    equal(weights.shape, {3, 5, 5})
    close(weights:sum(-1), tide.ones(3, 5):double(), {rtol = 1e-9})
    equal((select(2, layer(x, x, x, {average_attn_weights = false}))).shape, {3, 2, 5, 5})
    close((layer(x[2], x[2], x[2])), y[2], {rtol = 1e-9})
  end)
  it("ignores masked positions", function()
    local layer = nn.MultiheadAttention(8, 2, options)
    local x, memory = numbers(device, 2, 4, 8), numbers(device, 2, 6, 8)
    local hidden = tide.zeros({2, 6}, {dtype = "bool", device = device})
    hidden[{{}, {5, 6}}] = true
    local y = layer(x, memory, memory, {key_padding_mask = hidden})
    local short = memory:narrow(2, 1, 4)
    close(y, (layer(x, short, short)), {rtol = 1e-9})
    local mask = nn.Transformer.generate_square_subsequent_mask(4,
      {device = device, dtype = "float64"})
    local causal = layer(x, x, x, {attn_mask = mask})
    close(causal[{{}, {1, 2}}], (layer(x[{{}, {1, 2}}], x[{{}, {1, 2}}], x[{{}, {1, 2}}],
      {attn_mask = mask[{{1, 2}, {1, 2}}]})), {rtol = 1e-9})
  end)
  it("accepts keys and values of other sizes, and learned ones", function()
    local layer = nn.MultiheadAttention(8, 2, {kdim = 3, vdim = 5, add_bias_kv = true,
      add_zero_attn = true, device = device, dtype = "float64", batch_first = true})
    local y, weights = layer(numbers(device, 2, 4, 8), numbers(device, 2, 6, 3),
      numbers(device, 2, 6, 5))
    equal(y.shape, {2, 4, 8})
    equal(weights.shape, {2, 4, 8})
    raises("embed_dim 8 is not divisible by num_heads 3", nn.MultiheadAttention, 8, 3)
  end)
  it("makes transformers, whose layers start equal but are independent", function()
    local small = {dim_feedforward = 16, dropout = 0, device = device, dtype = "float64",
      batch_first = true}
    local layer = nn.TransformerEncoderLayer(8, 2, small)
    local stack = nn.TransformerEncoder(layer, 2, nn.LayerNorm(8, {dtype = "float64",
      device = device}))
    local x = numbers(device, 2, 5, 8)
    close(stack(x), stack.norm(layer(layer(x))), {rtol = 1e-9})
    test.is_false(rawequal(stack.layers[1].linear1.weight, stack.layers[2].linear1.weight))
    equal(#stack:parameters(), 2 * #layer:parameters() + 2)
    local model = nn.Transformer({d_model = 8, nhead = 2, num_encoder_layers = 1,
      num_decoder_layers = 2, dim_feedforward = 16, dropout = 0, batch_first = true}):to(device)
    local y = model(x:float(), x:float():narrow(2, 1, 3))
    equal(y.shape, {2, 3, 8})
    y:sum():backward()
    for name, parameter in model:named_parameters() do
      if not parameter.grad then error(name .. " has no gradient") end
    end
  end)
end)

describe("other layers", function(device)
  it("look rows up, keep padding at zero and limit norms", function()
    local layer = nn.Embedding(6, 3, {padding_idx = -1, device = device})
    equal(layer.padding_idx, 6)
    close(layer.weight[6], tide.zeros(3))
    local rows = layer(tide.tensor({{1, 6}, {2, 2}}, {device = device}))
    equal(rows.shape, {2, 2, 3})
    rows:sum():backward()
    close(layer.weight.grad:sum(2), {3, 6, 0, 0, 0, 0})
    local limited = nn.Embedding.from_pretrained(numbers(device, 4, 3) * 9, {freeze = true})
    test.is_false(limited.weight.requires_grad)
    limited.max_norm = 1.0
    limited(tide.tensor({1, 1, 3}, {device = device}))
    test.is_true(limited.weight[3]:norm():item() < 1.0001)
    test.is_true(limited.weight[2]:norm():item() > 2)
  end)
  it("report which size is not an integer", function()
    raises("Linear: in_features: expected an integer, got 2.5", nn.Linear, 2.5, 1)
    raises("Conv1d: argument 2 (out_channels): expected integer, got string", nn.Conv1d, 1, "x", 3)
    raises("GRU: hidden_size must be non-negative, got -1", nn.GRU, 1, -1)
    equal(nn.Linear(16 / 2, 4).weight.shape, {4, 8})
  end)
  it("report which argument is not a tensor", function()
    raises("softshrink: argument 1 (x): expected tensor, got number", F.softshrink, 1)
    raises("poisson_nll_loss: argument 2 (target): expected tensor, got boolean", F.poisson_nll_loss,
      tide.ones(2), true)
    raises("expected scores (n, classes) and targets (n)", F.multi_margin_loss, tide.ones(2, 3),
      tide.ones(3))
  end)
  it("combine bags of rows", function()
    local weight = numbers(device, 5, 2)
    local flat = tide.tensor({1, 2, 3, 3, 5}, {device = device})
    local starts = tide.tensor({1, 3, 4}, {device = device})
    local bags = F.embedding_bag(flat, weight, {offsets = starts, mode = "sum"})
    close(bags, tide.stack({weight[1] + weight[2], weight[3], weight[3] + weight[5]}))
    local ends = tide.cat {starts, tide.tensor({flat:numel() + 1}, {device = device})}
    close(F.embedding_bag(flat, weight, {offsets = ends, mode = "sum", include_last_offset = true}),
      bags)
    close(F.embedding_bag(flat:narrow(1, 1, 4):reshape(2, 2), weight),
      tide.stack({(weight[1] + weight[2]) / 2, weight[3]}))
    close(F.embedding_bag(flat, weight, {offsets = starts, mode = "max"})[1],
      weight[1]:maximum(weight[2]))
    -- Padding is not counted in a bag; per-sample weights apply to sums.
    local pairs_of = tide.tensor({{1, 2}, {3, 3}}, {device = device})
    close(F.embedding_bag(pairs_of, weight, {padding_idx = 2, mode = "mean"}),
      tide.stack({weight[1], weight[3]}))
    local shares = tide.tensor({{0.5, 2}, {1, 3}}, {dtype = "float64", device = device})
    for _, padding in ipairs {false, 5} do
      close(F.embedding_bag(pairs_of, weight, {mode = "sum", per_sample_weights = shares,
        padding_idx = padding or nil}),
        tide.stack({weight[1] * 0.5 + weight[2] * 2, weight[3] * 4}))
    end
  end)
  it("activate in place with inplace", function()
    local x = numbers(device, 4)
    local expected = x:relu()
    local y = nn.ReLU({inplace = true})(x)
    test.is_true(rawequal(x, y) or x == y)
    close(x, expected)
    local z = numbers(device, 4):requires_grad_()
    F.leaky_relu(z * 2, 0.5, true):sum():backward()
    close(z.grad, tide.where(z:detach():gt(0), 2.0, tide.ones_like(z)))
  end)
  it("shrink, and drop entire channels", function()
    local x = tide.tensor({-2.0, -0.25, 0.5, 3.0}, {device = device})
    close(F.hardshrink(x), {-2.0, 0, 0, 3.0})
    close(F.softshrink(x), {-1.5, 0, 0, 2.5})
    close(F.threshold(x, 0.4, -1), {-1, -1, 0.5, 3})
    local dropped = nn.Dropout3d(0.5)(tide.ones({8, 8, 2, 3, 2}, {device = device}))
    local means = dropped:mean({3, 4, 5})
    test.is_true((means:eq(0):logical_or(means:eq(2))):all():item())
    test.is_true(means:sum():item() > 0)
    close(nn.Dropout3d(0.5):eval()(x), x)
  end)
  it("compute losses", function()
    local x, target = numbers(device, 3, 4), tide.tensor({2, 4, 1}, {device = device})
    local total = 0
    local rows = x:tolist()
    for i, row in ipairs(rows) do
      local place = target[i]:item()
      for j, value in ipairs(row) do
        if j ~= place then total = total + math.max(0, 1 - row[place] + value) end
      end
    end
    close(nn.MultiMarginLoss()(x, target), total / 12)
    local counts = tide.tensor({0.0, 2.0, 5.0}, {device = device, dtype = "float64"})
    local rates = tide.tensor({0.5, 1.0, 2.0}, {device = device, dtype = "float64"})
    close(nn.PoissonNLLLoss({log_input = false, eps = 0})(rates, counts),
      (rates - counts * rates:log()):mean())
    close(nn.SoftMarginLoss()(rates, tide.ones_like(rates)), (1 + (-rates):exp()):log():mean())
    close(nn.MultiLabelSoftMarginLoss()(x, x:gt(0):double()),
      F.binary_cross_entropy_with_logits(x, x:gt(0):double()))
  end)
  it("register the parameters of lists and tables", function()
    local list = nn.ModuleList({nn.Linear(2, 3), nn.Linear(3, 4)})
    list:append(nn.Linear(4, 5)):insert(1, nn.Linear(1, 2))
    equal(#list, 4)
    equal({list[1].in_features, list[4].out_features}, {1, 5})
    equal(#list:parameters(), 8)
    local dict = nn.ModuleDict({b = nn.Linear(1, 1), a = nn.ReLU()})
    equal(dict:keys(), {"a", "b"})
    equal(dict.b.in_features, 1)
    raises("is the name of a method", nn.ModuleDict, {to = nn.ReLU()})
    local parameters = nn.ParameterList({tide.ones(2), tide.zeros(3)})
    equal(#parameters:parameters(), 2)
    equal(parameters[2].shape, {3})
  end)
  it("call hooks before and after forward", function()
    local layer = nn.Linear(2, 1, {bias = false})
    local seen = {}
    local remove = layer:register_forward_pre_hook(function(_, inputs)
      seen[#seen + 1] = inputs.n
      return inputs[1] * 2
    end)
    layer:register_forward_hook(function(_, _, y) return y + 1 end)
    local x = tide.ones(1, 2)
    close(layer(x), F.linear(x * 2, layer.weight) + 1)
    remove()
    close(layer(x), F.linear(x, layer.weight) + 1)
    equal(seen, {1})
  end)
  it("call hooks of backward, which may change gradients", function()
    local net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
    local x = tide.rand(4, 2)
    local function gradient()
      net:zero_grad()
      net(x):square():sum():backward()
      return net[1].weight.grad
    end
    local plain = gradient()
    local order = {}
    local function note(name, change)
      return function(module, first, second)
        local last = second or first
        order[#order + 1] = {name, #first, last[1].shape}
        return change and change(first)
      end
    end
    local removes = {
      net[2]:register_full_backward_hook(note("after", function(g) return {g[1] * 2} end)),
      net[2]:register_full_backward_pre_hook(note("before", function(g) return g[1] * 3 end)),
      net[1]:register_full_backward_hook(note("first")), -- its input needs no gradient
    }
    close(gradient(), plain * 6)
    equal(order, {{"before", 1, {4, 3}}, {"after", 1, {4, 3}}, {"first", 0, {4, 3}}})
    for _, remove in ipairs(removes) do remove() end
    close(gradient(), plain)
    equal(#order, 3)
  end)
  it("pass gradients of several inputs and outputs to hooks of backward", function()
    local Pair = class("Pair", nn.Module)
    function Pair:forward(a, factor, b) return a * factor, a * b end
    local pair, seen = Pair(), nil
    pair:register_full_backward_hook(function(_, inputs, outputs) seen = {inputs, outputs} end)
    local a, b = tide.tensor {2.0}:requires_grad_(), tide.tensor {5.0}:requires_grad_()
    local u, v = pair(a, 3, b);
    (u + v * 10):sum():backward()
    equal({a.grad:item(), b.grad:item()}, {53.0, 20.0})
    equal({seen[1][1]:item(), seen[1][2], seen[1][3]:item()}, {53.0, nil, 20.0})
    equal({seen[2][1]:item(), seen[2][2]:item()}, {1.0, 10.0})
    equal({(tide.no_grad(function() return (pair(a, 1, b)) end)):item()}, {2.0})
  end)
  it("fuse the batch norm after them into their weights", function()
    local pairs_of = {
      {nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), {2, 3, 6, 6}},
      {nn.ConvTranspose2d(3, 4, 3, {bias = false}), nn.BatchNorm2d(4, {affine = false}),
        {2, 3, 6, 6}, true},
      {nn.Linear(3, 4, {bias = false}), nn.BatchNorm1d(4), {8, 3}},
    }
    for _, case in ipairs(pairs_of) do
      local layer, norm, shape, transpose = table.unpack(case)
      local utils = nn.utils
      local fuse = #shape == 2 and utils.fuse_linear_bn_eval or utils.fuse_conv_bn_eval
      raises("must be in evaluation", fuse, layer, norm, transpose)
      norm(layer(tide.rand(shape))) -- statistics that differ from 0 and 1
      layer:eval()
      norm:eval()
      local x = tide.rand(shape)
      close(fuse(layer, norm, transpose)(x), norm(layer(x)), {rtol = 1e-4, atol = 1e-5})
    end
  end)
  it("are found by path, and cloned", function()
    local net = nn.Sequential(nn.Linear(2, 3), nn.Sequential(nn.Linear(3, 1)))
    equal(net:get_submodule("1.0").in_features, 3)
    test.is_true(rawequal(net:get_parameter("1.0.weight"), net[2][1].weight))
    raises("there is no module 2", net.get_submodule, net, "2")
    local copy = net:clone()
    test.identical(copy[2][1].weight:detach(), net[2][1].weight:detach())
    tide.no_grad(function() copy[2][1].weight:zero_() end)
    test.is_true(net[2][1].weight:abs():sum():item() > 0)
    test.is_true(class.is_a(copy, nn.Sequential))
  end)
  it("pad sequences to one length and separate them again", function()
    local utils = nn.utils.rnn
    local a, b = tide.tensor({1.0, 2.0, 3.0}), tide.tensor({4.0})
    close(utils.pad_sequence({a, b}, {batch_first = true, padding_value = -1}),
      {{1, 2, 3}, {4, -1, -1}})
    close(utils.pad_sequence({a, b}), {{1, 4}, {2, 0}, {3, 0}})
    equal(#utils.unpad_sequence(utils.pad_sequence({a, b}), {3, 1})[2], 1)
    close(utils.pad_sequence({a, b}, {padding_side = "left"}), {{1, 0}, {2, 0}, {3, 4}})
    close(utils.unpad_sequence(utils.pad_sequence({a, b}, {batch_first = true}), {3, 1},
      {batch_first = true})[2], {4})
  end)
  it("reject values that are not a list of sequences", function()
    local utils = nn.utils.rnn
    local a = tide.ones({3}, {device = device})
    local function refuses(message, name, ...) raises(name .. ": " .. message, utils[name], ...) end
    refuses("argument 1 (sequences): expected table of tensors, got number", "pad_sequence", 255)
    refuses("sequences: the list is empty", "pad_sequence", {})
    refuses("sequences: element 2: expected tensor, got number", "pad_sequence", {a, 4})
    refuses("sequence 2 has no dimensions", "pad_sequence", {a, a:sum()})
    refuses("padding_side must be", "pad_sequence", {a}, {padding_side = "up"})
    refuses("option 'padding_value': expected number", "pad_sequence", {a}, {padding_value = "x"})
    refuses("argument 1 (padded): expected tensor, got number", "unpad_sequence", 255, {})
    refuses("argument 2 (lengths): expected table of integers or tensor, got nothing", "unpad_sequence", a)
    refuses("argument 2 (lengths): expected table of integers or tensor, got number", "unpad_sequence", a, 3)
    refuses("padded: expected at least 2 dimensions, got 1", "unpad_sequence", a, {3})
    local padded = utils.pad_sequence {a, a}
    refuses("3 lengths for 2 sequences", "unpad_sequence", padded, {1, 2, 3})
    refuses("length 2: expected an integer in 0..3, got 9", "unpad_sequence", padded, {1, 9})
  end)
end)

describe("weights computed from others", function(device)
  local function layer_and_input()
    local layer = nn.Linear(3, 2, {dtype = "float64", device = device})
    local iota = tide.arange(6, {dtype = "float64", device = device})
    tide.no_grad(function()
      layer.weight:copy_((iota * 0.7 + 1):sin():reshape(2, 3))
      layer.bias:zero_()
    end)
    return layer, tide.tensor({{1.0, 2, 3}}, {dtype = "float64", device = device})
  end

  it("weight_norm trains length and direction", function()
    local layer, x = layer_and_input()
    local before = layer(x):detach()
    test.is_true(rawequal(nn.utils.weight_norm(layer), layer))
    close(layer(x), before, {rtol = 1e-12})
    layer(x):square():sum():backward()
    close(layer.weight_g.grad, {{32.11718360719582}, {29.343665950930898}}, {rtol = 1e-12})
    close(layer.weight_v.grad, {{-8.738746911928748, -2.327916170742557, 14.304132033210982},
      {-9.286775742769864, -0.9004070748713952, 0.16855837338341292}}, {rtol = 1e-11})
    local names = {}
    for name in pairs(layer:state_dict()) do names[#names + 1] = name end
    table.sort(names)
    equal(names, {"bias", "weight_g", "weight_v"})
    tide.no_grad(function() layer.weight_g:mul_(2) end)
    close(layer(x), before * 2, {rtol = 1e-12})
    close(layer:clone()(x), before * 2, {rtol = 1e-12})
    nn.utils.remove_weight_norm(layer)
    equal(#layer:parameters(), 2)
    close(layer(x), before * 2, {rtol = 1e-12})
    raises("is not computed by weight_norm", nn.utils.remove_weight_norm, layer)
  end)
  it("spectral_norm follows the largest singular value in training", function()
    local layer, x = layer_and_input()
    nn.utils.spectral_norm(layer)
    layer.weight_u:copy_(tide.tensor({0.6, 0.8}, {dtype = "float64", device = device}))
    layer.weight_v:copy_(tide.tensor({1.0, 0.0, 0.0}, {dtype = "float64", device = device}))
    local y = layer(x)
    close(y, {{7.251036638320089, -6.150248547471037}}, {rtol = 1e-12})
    close(layer.weight_u, {0.6806734161330251, 0.7325869918103909}, {rtol = 1e-12})
    y:square():sum():backward()
    close(layer.weight_orig.grad, {{-127.11032064843799, 14.180248432241882, 169.19087743081593},
      {-178.51955689175202, -68.16783462742237, 56.950348592309325}}, {rtol = 1e-11})
    for _ = 1, 60 do layer(x) end
    close(tide.linalg.svdvals(layer.weight:detach())[1], 1, {rtol = 1e-9})
    layer:eval()
    test.identical(layer(x):detach(), layer(x):detach())
    equal(#nn.utils.remove_spectral_norm(layer):parameters(), 2)
    equal(#layer:buffers(), 0)
    local up = nn.utils.spectral_norm(nn.ConvTranspose2d(3, 5, 2))
    equal(up.weight_u.shape, {5})
    raises("weight is already computed", nn.utils.weight_norm, nn.utils.weight_norm(nn.Linear(2, 2)))
    raises("the module has no parameter kernel", nn.utils.weight_norm, layer, "kernel")
  end)
end)

-- Layers composed in Lua of others: unpooling, power and fractional pooling, losses of pairs and of
-- many classes. Values are PyTorch's.
local tide = require "tide"
local test = require "tide.test"

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local check_gradient = dofile(here .. "/../support/gradient.lua")
local describe, it = test.describe, test.it
local close, equal, raises = test.close, test.same_type, test.raises
local F, nn, nan = tide.nn.functional, tide.nn, 0 / 0

describe("pools", function(device)
  local function numbers(values)
    return tide.tensor(values, {dtype = "float64", device = device})
  end
  --- sin(1), sin(2), ... in a shape.
  local function waves(...)
    local count = 1
    for _, size in ipairs {...} do count = count * size end
    return tide.range(1, count, 1, {dtype = "float64", device = device}):sin():reshape(...)
  end

  it("of one dimension accept integers if positions are requested", function()
    local x = tide.tensor({{{3, 1, 2, 5}}}, {device = device})
    local values, places = F.max_pool1d(x, 2, {return_indices = true})
    equal({values:tolist(), places:tolist(), values.dtype}, {{{{3, 5}}}, {{{1, 4}}}, "int64"})
  end)
  it("reject empty images, for any number of dimensions", function()
    local calls = {
      max_pool = function(pool, x) return pool(x, 1) end,
      avg_pool = function(pool, x) return pool(x, 1) end,
      lp_pool = function(pool, x) return pool(x, 2, 1) end,
      adaptive_avg_pool = function(pool, x) return pool(x, 2) end,
      adaptive_max_pool = function(pool, x) return pool(x, 2) end,
      fractional_max_pool = function(pool, x) return pool(x, 1, {output_size = 1}) end,
    }
    -- Which of (n, 0, 2, ...) and (0, 2, ...) PyTorch accepts; (0, c, 2, ...) is not a batch for all.
    local no_channels = {adaptive_avg_pool1d = true, adaptive_avg_pool2d = true}
    local no_plane = {
      adaptive_avg_pool1d = true, adaptive_avg_pool2d = true, adaptive_avg_pool3d = true,
      adaptive_max_pool1d = true, adaptive_max_pool2d = true, adaptive_max_pool3d = true,
      fractional_max_pool2d = true, fractional_max_pool3d = true,
    }
    for kind, call in pairs(calls) do
      for dims = kind == "fractional_max_pool" and 2 or 1, 3 do
        local name = ("%s%dd"):format(kind, dims)
        local function pooled(accepted, ...)
          local shape = {...}
          for _ = 1, dims - 1 do table.insert(shape, #shape, 2) end
          local x = tide.zeros(shape, {device = device})
          if not accepted then return raises("there are no elements", call, F[name], x) end
          equal(call(F[name], x):numel(), 0)
        end
        pooled(true, 0, 3, 2)
        pooled(false, 0, 3, 0)
        pooled(false, 2, 3, 0)
        pooled(false, 3, 0)
        pooled(no_channels[name], 2, 0, 2)
        pooled(no_plane[name], 0, 2)
      end
    end
  end)
  it("put maxima back at their positions", function()
    local x = waves(1, 2, 4, 4)
    local values, places = F.max_pool2d(x, 2, {return_indices = true})
    local y = F.max_unpool2d(values, places, 2)
    close(y:flatten()[{{1, 8}}], {0, 0.9092974268256817, 0, 0, 0, 0, 0, 0.9893582466233818})
    equal(y.shape, {1, 2, 4, 4})
    equal(y:sum():item(), values:sum():item())
    equal(F.max_unpool2d(values, places, 2, {output_size = {5, 5}}).shape, {1, 2, 5, 5})
    raises("an output of size 6 is not possible: expected 3 to 5", F.max_unpool2d, values, places,
      2, {output_size = {6, 6}})
    for dims, shape in ipairs {{2, 9}, {2, 4, 6}, {1, 2, 4, 4, 2}} do
      local input = waves(table.unpack(shape))
      local pooled, at = nn[("MaxPool%dd"):format(dims)](2, {return_indices = true})(input)
      local back = nn[("MaxUnpool%dd"):format(dims)](2)(pooled, at, input.shape)
      equal(back.shape, input.shape)
      close(back:gt(0):logical_and(back:ne(input)):sum(), 0)
    end
    check_gradient(function(v) return F.max_unpool2d(v, places, 2) end, values)
  end)
  it("reject positions of another shape, and inputs without a plane", function()
    local x = waves(1, 2, 2, 2)
    local places = tide.ones({1, 2, 2, 2}, {dtype = "int64", device = device})
    raises("max_unpool2d: expected values and positions of the same shape with 3 or 4 dimensions",
      F.max_unpool2d, x, places[1], 2)
    raises("max_unpool2d: expected values and positions of the same shape with 3 or 4 dimensions, got " ..
      "(2, 2) and (2, 2)", F.max_unpool2d, x[{1, 1}], places[{1, 1}], 2)
  end)
  it("compute the norm of each window", function()
    local x = waves(1, 2, 4, 4)
    close(F.lp_pool2d(x, 2, 2):flatten(), {1.5913843074120586, 1.415318340387384,
      1.2742228560827684, 1.3392734987043433, 1.4793032094118956, 1.5466393732798454,
      1.419728424254077, 1.2063841287888841}, {rtol = 1e-12})
    close(F.lp_pool1d(x[1], 3, 2):flatten()[{{1, 4}}],
      {1.1045678322725065, nan, nan, 1.0777884886703935}, {rtol = 1e-12})
    close(nn.LPPool3d(1, 2)(waves(1, 2, 2, 2):abs()), {{{{waves(8):abs():sum():item()}}}})
    check_gradient(function(v) return F.lp_pool2d(v, 2, 2) end, x)
  end)
  it("choose windows by the samples of fractional pooling", function()
    local samples = numbers {{{0.3, 0.7}, {0.1, 0.9}}}
    local values, places = F.fractional_max_pool2d(waves(1, 2, 7, 6), 2,
      {output_size = {3, 4}, _random_samples = samples, return_indices = true})
    equal(places:flatten():tolist(), {8, 8, 10, 6, 20, 27, 28, 29, 32, 33, 40, 41, 2, 3, 10, 11, 14,
      15, 16, 23, 37, 33, 34, 35})
    close(values:flatten(), waves(1, 2, 42):gather(3, places:flatten(3)):flatten())
    values, places = F.fractional_max_pool3d(waves(1, 1, 5, 6, 7), 2,
      {output_size = {2, 3, 4}, _random_samples = numbers {{{0.3, 0.7, 0.45}}},
        return_indices = true})
    equal(places:flatten():tolist(), {8, 52, 13, 14, 58, 59, 27, 27, 71, 39, 33, 77, 127, 171, 139,
      140, 190, 185, 146, 146, 197, 165, 209, 209})
    close(values:flatten(), waves(210):gather(1, places:flatten()))
    local x = waves(2, 3, 9, 9)
    tide.manual_seed(5)
    local one = nn.FractionalMaxPool2d(2, {output_ratio = 0.5})(x)
    tide.manual_seed(5)
    test.identical(nn.FractionalMaxPool2d(2, {output_size = 4})(x), one)
    equal(F.fractional_max_pool2d(x[1], 3, {output_size = 1}).shape, {3, 1, 1})
    raises("9 windows of size 2 do not fit into size 9", F.fractional_max_pool2d, x, 2, {output_size = 9})
    raises("either output_size or output_ratio is required", F.fractional_max_pool2d, x, 2)
  end)
  it("return positions by a named option, too", function()
    local x = waves(1, 2, 6)
    local values, places = F.max_pool1d_with_indices(x, 2, {stride = 1})
    close(x:gather(3, places), values)
    local best, at = F.adaptive_max_pool1d_with_indices(x, 2)
    close(x:gather(3, at), best)
  end)
end)

describe("activations", function(device)
  it("rrelu draws random slopes in training and otherwise uses their mean", function()
    local x = tide.full({1000}, -1.0, {device = device})
    close(F.rrelu(x)[1], -11 / 48)
    local layer = nn.RReLU(0.1, 0.3)
    local drawn = -layer(x)
    test.is_true(drawn:min():item() >= 0.1 and drawn:max():item() <= 0.3)
    close(drawn:mean(), 0.2, {atol = 0.01})
    close(layer:eval()(x)[1], -0.2)
    close(layer(-x), -x)
    raises("lower is larger than upper", F.rrelu, x, 0.5, 0.1)
  end)
  it("have in-place forms", function()
    local x = tide.tensor({-1.0, 2.0}, {device = device})
    test.is_true(rawequal(F.relu_(x), x))
    close(x, {0, 2})
    close(F.threshold_(x, 1, 7), {7, 2})
    close(x, {7, 2})
  end)
  it("Softmax2d is computed over channels", function()
    local x = tide.arange(8, {dtype = "float32", device = device}):reshape(2, 2, 2)
    close(nn.Softmax2d()(x), F.softmax(x, 1))
    raises("expected an input of 3 or 4 dimensions", nn.Softmax2d(), x[1])
  end)
end)

describe("distances and margins", function(device)
  local function numbers(values)
    return tide.tensor(values, {dtype = "float64", device = device})
  end

  it("pdist returns the upper triangle of all distances", function()
    local x = tide.arange(12, {dtype = "float64", device = device}):reshape(4, 3):cos()
    close(F.pdist(x), {2.4239038099257413, 0.34707497156478345, 2.3941537776898336,
      2.4430514694616825, 0.34434833692937794, 2.4620741139667124}, {rtol = 1e-12})
    close(F.pdist(x, 1), {3.883747445342566, 0.5240764645633278, 3.7110766313644623,
      3.7868708777295677, 0.5435266304037845, 3.6142000637514644}, {rtol = 1e-12})
    close(F.pdist(x, math.huge), {1.9899924966004454, 0.27064680273852887, 1.911130261884677,
      1.9501627832508115, 0.2792364874751755, 1.871300548535043}, {rtol = 1e-12})
    check_gradient(F.pdist, x)
    -- In the composed form, the distance of a row to itself has no second derivative.
    if x.device.type ~= "cuda" then
      test.is_true(tide.autograd.gradgradcheck(F.pdist, {x:clone():requires_grad_()}))
    end
    equal(F.pdist(x[{{1, 1}}]).shape, {0})
    local one = x[{{1, 1}}]:clone():requires_grad_()
    F.pdist(one):sum():backward()
    equal(one.grad:tolist(), {{0.0, 0.0, 0.0}})
    raises("pdist: expected 2 dimensions, got (3)", F.pdist, x[1])
  end)
  it("multilabel_margin_loss reads classes up to the first end mark", function()
    local scores = numbers {{0.1, 0.2, 0.4, 0.8}, {0.3, -0.2, 0.5, 0.1}}
    local target = tide.tensor({{4, 1, -1, 2}, {2, -1, 1, 3}}, {device = device})
    close(F.multilabel_margin_loss(scores, target, {reduction = "none"}), {0.85, 1.125})
    close(nn.MultiLabelMarginLoss()(scores, target), 0.9875)
    close(F.multilabel_margin_loss(scores[1], target[1]), 0.85)
    check_gradient(function(v) return F.multilabel_margin_loss(v, target) end, scores)
    raises("expected scores and targets of the same shape", F.multilabel_margin_loss, scores, target[1])
  end)
  it("triplet margins accept any distance", function()
    local a = tide.arange(12, {dtype = "float64", device = device}):reshape(4, 3):cos()
    local loss = F.triplet_margin_with_distance_loss(a, a:flip(1) * 0.5, a * 0.9,
      {swap = true, margin = 0.7})
    close(loss, 2.3940620785120585, {rtol = 1e-12})
    close(F.triplet_margin_loss(a, a:flip(1) * 0.5, a * 0.9, {swap = true, margin = 0.7}), loss)
    close(nn.TripletMarginLoss({swap = true, margin = 0.7, eps = 0})(a, a:flip(1) * 0.5, a * 0.9),
      loss, {rtol = 1e-5})
    local manhattan = function(x, y) return (x - y):abs():sum(2) end
    close(nn.TripletMarginWithDistanceLoss({distance_function = manhattan})(
      numbers {{0, 0}}, numbers {{1, 2}}, numbers {{1, 0}}), 3)
  end)
  it("the adaptive softmax has PyTorch's probabilities", function()
    local net = nn.AdaptiveLogSoftmaxWithLoss(4, 7, {2, 4},
      {div_value = 2, dtype = "float64", device = device})
    local names, shapes, k = {}, {}, 0
    for name, weight in net:named_parameters() do
      names[#names + 1], shapes[#shapes + 1] = name, weight.shape
      local iota = tide.arange(weight:numel(), {dtype = "float64", device = device})
      weight:detach():copy_((iota * 0.37 + k):sin():reshape(weight.shape))
      k = k + 1
    end
    equal(names, {"head.weight", "tail.0.0.weight", "tail.0.1.weight", "tail.1.0.weight",
      "tail.1.1.weight"})
    equal(shapes, {{4, 4}, {2, 4}, {2, 2}, {1, 4}, {3, 1}})
    local x = (tide.arange(20, {dtype = "float64", device = device}) * 0.61):cos():reshape(5, 4)
    local output, loss = net(x, tide.tensor({1, 4, 7, 3, 2}, {device = device}))
    close(output, {-1.9410802284103146, -2.2415219214951625, -5.962888682513439,
      -1.3705877842848047, -2.8942521268623143}, {rtol = 1e-12})
    close(loss, 2.882066148713207, {rtol = 1e-12})
    close(net:log_prob(x)[2], {-4.2703981655410965, -5.575319622655557, -4.049016883664361,
      -2.2415219214951625, -1.1192945670101986, -1.2969943312340124, -1.3523367371890544},
      {rtol = 1e-12})
    close(net:log_prob(x):exp():sum(2), {1, 1, 1, 1, 1})
    equal(net:predict(x):tolist(), {2, 5, 2, 4, 1})
    loss:backward()
    test.is_true(net.head.weight.grad:abs():sum():item() > 0)
    raises("targets are classes 1..7, got 1..8", net, x, tide.tensor({1, 8, 1, 1, 1},
      {device = device}))
    raises("expected cutoffs to be increasing integers between 1 and 6", nn.AdaptiveLogSoftmaxWithLoss, 4, 7,
      {4, 2})
  end)
end)

describe("means of adaptive windows", function(device)
  it("contain an infinity only if their window does", function()
    local x = tide.tensor({{1.0, 2, math.huge, 4, 5}}, {device = device})
    close(F.adaptive_avg_pool1d(x, 3), {{1.5, math.huge, 4.5}})
    close(F.adaptive_avg_pool1d(x[{{}, {1, 2}}], 4), {{1, 1, 2, 2}})
    close(F.adaptive_avg_pool1d(tide.arange(6.0, {device = device}):reshape(1, 6), 3),
      {{0.5, 2.5, 4.5}})
    check_gradient(function(a) return F.adaptive_avg_pool2d(a, {3, 2}) end,
      tide.arange(40, {dtype = "float64", device = device}):sin():reshape(1, 2, 5, 4))
  end)
  it("of half types are rounded once", function()
    local x = tide.arange(64, {device = device}):mul(0.37):sin():reshape(1, 8, 8):half()
    close(F.adaptive_avg_pool2d(x, {5, 7}):double(), F.adaptive_avg_pool2d(x:double(), {5, 7}),
      {rtol = 2 ^ -10, atol = 1e-7})
  end)
end)

describe("interpolation of bytes", function(device)
  it("saturates at 0 and 255 if cubics overshoot", function()
    local x = tide.tensor({{{{0, 0, 255, 255}, {0, 0, 255, 255}}}}, {dtype = "uint8",
      device = device})
    local y = F.interpolate(x, {size = {2, 8}, mode = "bicubic"})
    equal({y:min():item(), y:max():item()}, {0, 255})
    test.is_true(y[{1, 1, 1, {1, 3}}]:max():item() < 20)
  end)
end)

describe("a cosine", function(device)
  it("of a vector shorter than eps still has the gradient of its length", function()
    local a, b = tide.tensor({3.0, 4.0}, {device = device}), tide.tensor({0.1, 0.2}, {device = device, requires_grad = true})
    local y = F.cosine_similarity(a, b, {dim = 1, eps = 0.5})
    y:backward()
    close(y, 0.44)
    close(b.grad, {0.8065, 0.8129}, {rtol = 1e-4})
    raises("eps must be non-negative", F.cosine_similarity, a, b, {dim = 1, eps = -1})
  end)
end)

describe("products of features", function(device)
  -- torch.nn.functional.bilinear and channel_shuffle.
  local place = {dtype = "float64", device = device}
  local function wave(...)
    local shape, count = {...}, 1
    for _, size in ipairs(shape) do count = count * size end
    return (tide.arange(count, place) * 1.7):sin():reshape(shape)
  end
  it("bilinear with and without a bias", function()
    local a, b, weight = wave(2, 3), wave(2, 2) + 0.5, wave(2, 3, 2)
    local expected = tide.tensor({{-1.8637015877335334, 1.1925054075398642},
      {0.3798226489504649, -0.20198459969107962}}, place)
    close(F.bilinear(a, b, weight), expected, {rtol = 1e-12})
    local bias = tide.tensor({1, -2}, place)
    close(F.bilinear(a, b, weight, bias), expected + bias, {rtol = 1e-12})
  end)
  it("channel_shuffle takes channels of each group in turn", function()
    local x = tide.arange(6, place):reshape(1, 6, 1)
    close(F.channel_shuffle(x, 3):reshape(-1), {0, 2, 4, 1, 3, 5})
    raises("6 channels do not divide into 4 groups", F.channel_shuffle, x, 4)
  end)
end)

describe("losses of one sample or of rows", function(device)
  local function numbers(values)
    return tide.tensor(values, {dtype = "float64", device = device})
  end
  it("multi_margin_loss has the shape of its targets", function()
    local x = numbers {0.1, 0.2, 0.3}
    local function shape(scores, target)
      local class = tide.tensor(target, {device = device})
      local y = F.multi_margin_loss(scores, class, {reduction = "none"})
      close(y:sum(), 2 / 3)
      return y.shape
    end
    equal(shape(x, 2), {})
    equal(shape(x, {2}), {1})
    equal(shape(x:unsqueeze(1), {2}), {1})
    equal(shape(x:unsqueeze(1), 2), {})
  end)
  it("gaussian_nll_loss accepts a variance for each row", function()
    local x = numbers({{0.5, -1}, {2, 0.25}}):requires_grad_()
    local target, variance = numbers {{1, 0}, {1.5, -0.5}}, numbers({0.5, 2}):requires_grad_()
    local losses = F.gaussian_nll_loss(x, target, variance, {reduction = "none"})
    close(losses,
      {{-0.0965735902799727, 0.653426409720027}, {0.409073590279973, 0.487198590279973}})
    losses:sum():backward()
    close(x.grad, {{-1, -2}, {0.25, 0.375}})
    close(variance.grad, {-0.5, 0.3984375})
    local zeros = tide.zeros(2, 3)
    for _, shape in ipairs {{2, 3}, {2, 1}, {1, 3}, {2}, {}} do
      local y = F.gaussian_nll_loss(zeros, zeros, tide.ones(shape), {reduction = "none"})
      equal(y.shape, {2, 3})
    end
    close(F.gaussian_nll_loss(x, target, 2.0), 0.5 * math.log(2) + 0.12890625)
    raises("a variance must be non-negative", function()
      return F.gaussian_nll_loss(x, target, -2.0):item()
    end)
    raises("a variance of shape (3) does not fit (2, 3)", F.gaussian_nll_loss, zeros, zeros,
      tide.ones(3))
  end)
  it("gaussian_nll_loss limits a variance, but not its gradient", function()
    local x, target = numbers {{0.5, -1}, {2, 0.25}}, numbers {{1, 0}, {1.5, -0.5}}
    local variance = numbers({{1e-9, 2}, {1, 1}}):requires_grad_()
    F.gaussian_nll_loss(x, target, variance):backward()
    close(variance.grad, {{-31249875000, 0.03125}, {0.09375, 0.0546875}}, {rtol = 1e-9})
  end)
end)

-- Edge cases of ops: nothing to reduce, nan, half precision.
local tide = require "tide"
local test = require "tide.test"
local describe, it, equal, close, raises = test.describe, test.it, test.same_type, test.close, test.raises
local F = tide.nn.functional

local nan <const>, inf <const> = 0 / 0, 1 / 0

describe("nothing to reduce", function(device)
  it("returns empty results of softmax and similar ops, with an empty gradient", function()
    for _, fn in ipairs {tide.softmax, tide.log_softmax, F.softmin} do
      local x = tide.ones({5, 0}, {device = device}):requires_grad_()
      local y = fn(x, 2)
      y:sum():backward()
      equal({y.shape, x.grad.shape}, {{5, 0}, {5, 0}})
    end
  end)
  it("has gradients of zeros for the weights of a batch norm, and does not change its statistics", function()
    for _, training in ipairs {true, false} do
      local x, weight = tide.ones({0, 2, 3}, {device = device}), tide.ones({2}, {device = device, requires_grad = true})
      local mean, variance = tide.ones({2}, {device = device}), tide.ones({2}, {device = device})
      local y = F.batch_norm(x, mean, variance, {weight = weight, training = training})
      y:sum():backward()
      equal({y.shape, weight.grad:tolist(), mean:tolist()}, {{0, 2, 3}, {0.0, 0.0}, {1.0, 1.0}})
    end
  end)
  it("has the logarithm of an empty sum", function()
    local x = tide.ones({0}, {device = device}):requires_grad_()
    local y = x:logsumexp(1)
    equal(y:item(), -inf)
    y:backward()
    equal(x.grad.shape, {0})
    equal(tide.ones({2, 0}, {device = device}):logsumexp(2, true):tolist(), {{-inf}, {-inf}})
  end)
end)

describe("a nan", function(device)
  it("propagates the gradient on both sides of maximum and minimum", function()
    for _, fn in ipairs {tide.maximum, tide.minimum} do
      local x = tide.tensor({nan, 1.0, nan, 2.0}, {device = device}):requires_grad_()
      local y = tide.tensor({1.0, nan, nan, 2.0}, {device = device}):requires_grad_()
      fn(x, y):sum():backward()
      equal({x.grad:tolist(), y.grad:tolist()}, {{1.0, 1.0, 1.0, 0.5}, {1.0, 1.0, 1.0, 0.5}})
    end
  end)
  it("has the gradient of PyTorch's vector loops, also in remainders", function()
    -- PyTorch's scalar loops, used for the last few elements of an array, differ for some.
    local x = tide.tensor({nan, 1.0, -1.0, 7.0, -7.0, 3.0, -3.0, 0.0}, {device = device})
    local scale = 1.0507009873554805
    for name, at in pairs {
      relu = {1, 1.0}, relu6 = {0, 1.0}, hardtanh = {0, 0.0}, elu = {nan, 1.0}, celu = {nan, 1.0}, selu = {nan, scale},
      hardswish = {nan, 1 / 3 + 0.5}, hardsigmoid = {0, 1 / 6}, leaky_relu = {0.01, 1.0},
    } do
      local leaf = x:clone():requires_grad_()
      F[name](leaf):sum():backward()
      close(leaf.grad[{ {1, 2} }], at)
    end
  end)
  it("is a distinct value in unique", function()
    local values, inverse, counts = tide.tensor({2.0, nan, 1.0, nan}, {device = device}):unique {
      return_inverse = true, return_counts = true,
    }
    equal({values[{ {1, 2} }]:tolist(), values:isnan():tolist()},
      {{1.0, 2.0}, {false, false, true, true}})
    equal({inverse:tolist(), counts:tolist()}, {{2, 3, 1, 4}, {1, 1, 1, 1}})
    local rows = tide.tensor({{1.0, nan}, {0.0, 2.0}, {1.0, nan}, {0.0, 2.0}}, {device = device})
    values, inverse, counts = rows:unique {dim = 1, return_inverse = true, return_counts = true}
    equal({values.shape, values[1]:tolist()}, {{3, 2}, {0.0, 2.0}})
    equal({inverse:tolist(), counts:tolist()}, {{2, 1, 3, 1}, {2, 1, 1}})
  end)
  it("is not below a threshold", function()
    local y = F.threshold(tide.tensor({nan, 0.0, 3.0}, {device = device}), 1, 9)
    equal({y:isnan():tolist(), y[2]:item(), y[3]:item()}, {{true, false, false}, 9.0, 3.0})
  end)
end)

describe("powers", function(device)
  it("have no gradient where the exponent is 0, nor the base 0 with exponents above 0", function()
    local x = tide.tensor({0.0, nan, inf, 2.0}, {device = device}):requires_grad_()
    for _, power in ipairs {0, 0.0} do
      equal(tide.grad((x ^ power):sum(), {x}):tolist(), {0.0, 0.0, 0.0, 0.0})
    end
    local e = tide.tensor({0.0, 1.0, -1.0, 2.0}, {device = device}):requires_grad_()
    equal(tide.grad((0 ^ e):sum(), {e}):tolist(), {0.0, 0.0, -inf, 0.0})
  end)
end)

describe("a variance of fewer elements than the correction", function(device)
  it("has the gradient of its formula", function()
    local x = tide.tensor({{1.0, 3.0}, {2.0, 2.0}}, {device = device}):requires_grad_()
    local y = x:var(2, {correction = 3})
    equal({y[1]:item(), y[2]:isnan():item()}, {inf, true})
    equal(tide.grad(y:sum(), {x}):tolist(), {{2.0, -2.0}, {0.0, 0.0}})
  end)
end)

describe("a single value", function(device)
  it("is its own topk, also with k = 0", function()
    local values, places = tide.tensor(5.0, {device = device}):topk(0)
    equal({values:item(), places:item()}, {5.0, 1})
  end)
end)

describe("any and all over no dimensions", function(device)
  it("return the truth of each element", function()
    local x = tide.tensor({{0.0, 1.0}, {2.0, 0.0}}, {device = device})
    local truth = {{false, true}, {true, false}}
    equal({x:all({}):tolist(), x:any({}, true):tolist(), x:sum({}):item()}, {truth, truth, 3.0})
    equal(x:to("u8"):all({}).dtype, "uint8")
  end)
end)

describe("weights that are infinite or nan", function(device)
  it("make nan of the zeros in the padding, in convolutions of all sizes and types", function()
    for _, dtype in ipairs {"float32", "float64", "float16", "bfloat16"} do
      for dims, conv in ipairs {F.conv1d, F.conv2d, F.conv3d} do
        local sizes, kernel = {1, 2}, {1, 2}
        for d = 1, dims do sizes[d + 2], kernel[d + 2] = 6, 3 end
        local x = tide.ones(sizes, {dtype = dtype, device = device})
        local weight = tide.ones(kernel, {dtype = dtype, device = device})
        weight:view(-1)[1] = inf
        local y = conv(x, weight, {padding = 1})
        -- The first weight meets the padding where an index is the first of some dimension.
        equal({y:isnan():sum():item(), y:isinf():sum():item()}, {6 ^ dims - 5 ^ dims | 0, 5 ^ dims | 0})
        -- The same applies to infinite gradients: here that of the first result.
        local slopes = tide.ones(kernel, {dtype = dtype, device = device}):requires_grad_()
        x:requires_grad_()
        y = conv(x, slopes, {padding = 1})
        local dy = tide.ones_like(y)
        dy:view(-1)[1] = inf
        y:backward(dy)
        local met, missed = 2 * 2 ^ dims | 0, 2 * (3 ^ dims - 2 ^ dims) | 0
        equal({slopes.grad:isnan():sum():item(), slopes.grad:isinf():sum():item()}, {missed, met})
        equal({x.grad:isnan():sum():item(), x.grad:isinf():sum():item()}, {0, met})
      end
    end
  end)
  it("affect only the outputs that they are multiplied for", function()
    -- Convolutions with many channels use Winograd's algorithm.
    local x = tide.ones({1, 32, 12, 12}, {device = device, requires_grad = true})
    local weight = tide.ones({32, 32, 3, 3}, {device = device})
    weight[{5, 1, 1, 1}] = inf
    local y = F.conv2d(x, weight)
    equal({y:isinf():sum():item(), y:isnan():any():item()}, {100, false})
    y:sum():backward()
    equal({x.grad:isinf():sum():item(), x.grad:isnan():any():item()}, {100, false})
  end)
end)

describe("half precision", function(device)
  local function both(dtype, fn, ...)
    local narrow, wide = {...}, {}
    for i, x in ipairs(narrow) do
      narrow[i] = x:to(device):to(dtype)
      wide[i] = narrow[i]:double()
    end
    return fn(table.unpack(narrow)), fn(table.unpack(wide))
  end

  --- The result is the exact one rounded once: within a unit of `digits` bits. `inner`, if given, is
  --- the allowed error of intermediate rounding, in such units.
  local function rounded_once(fn, inner, ...)
    for dtype, digits in pairs {float16 = 11, bfloat16 = 8} do
      local got, exact = both(dtype, fn, ...)
      equal(got.dtype, dtype)
      close(got:double(), exact, {rtol = 2.0 ^ -digits, atol = 2e-5 + inner * 2.0 ^ -digits})
    end
  end

  it("is rounded once by resampling along several dimensions", function()
    tide.manual_seed(1)
    rounded_once(function(x)
      return F.interpolate(x, {scale_factor = 0.6, mode = "trilinear", recompute_scale_factor = true})
    end, 0, tide.randn(1, 2, 4, 5, 6))
  end)
  it("is rounded once by convolutions over three dimensions", function()
    tide.manual_seed(2)
    local x, w = tide.randn(1, 2, 5, 4, 4) * 8, tide.randn(3, 2, 4, 2, 2) * 8
    rounded_once(function(a, b) return F.conv3d(a, b) end, 0, x, w)
    rounded_once(function(a, b) return F.conv_transpose3d(a, b) end, 0, x, w:transpose(1, 2))
  end)
  it("does not round the scores of attention", function()
    tide.manual_seed(3)
    local q, k, v = tide.randn(2, 3, 8) * 8, tide.randn(2, 6, 8) * 8, tide.randn(2, 6, 8)
    -- Scores reach 100: rounded, they would have errors of 5 % and more. A GPU rounds the weights for
    -- matmuls on Tensor Cores: that is a unit of the largest value.
    local inner = tostring(device):find "cuda" and v:abs():max():item() or 0
    rounded_once(F.scaled_dot_product_attention, inner, q, k, v)
  end)
end)

describe("types and options", function(device)
  local function tensor(list, dtype) return tide.tensor(list, {dtype = dtype, device = device}) end

  it("of bool return int64 when squared", function()
    local y = tensor({true, false}, "bool"):square()
    equal({y.dtype, y:tolist()}, {"int64", {1, 0}})
  end)
  it("passed to sums and products determine their type", function()
    local x = tensor({100, 100, 3}, "int8")
    equal({x:sum({dtype = "int32"}).dtype, x:sum({dtype = "int8"}):item()}, {"int32", -53})
    equal({x:prod({dtype = "bool"}).dtype, x:prod({dtype = "bool"}):item()}, {"bool", true})
    equal({x:cumsum(1, {dtype = "int8"}).dtype, x:cumsum(1, "int8"):tolist()},
      {"int8", {100, -56, -53}})
  end)
  it("return one variance without dimensions", function()
    equal(tensor({{1.0, 3.0}}, "float32"):cov().shape, {})
  end)
  it("keep no dimension of a quantile if there was none", function()
    local q = tensor({0.0, 1.0}, "float32")
    equal(tensor(2.0, "float32"):quantile(q, {dim = 1, keepdim = true}).shape, {2})
  end)
  it("apply to softmin after the negation", function()
    close(F.softmin(tensor({0, 1, 255}, "uint8"), 1, {dtype = "float64"}),
      tide.softmax(tensor({0.0, 255.0, 1.0}, "float64"), 1), {rtol = 1e-12})
  end)
  it("may be omitted individually from a table of options", function()
    local x, mode = tensor({1.0, 7.0}), nil
    equal(x:div(x, {rounding_mode = mode}):tolist(), {1.0, 1.0})
    equal(F.mse_loss(x, x, {reduction = mode}):item(), 0.0)
    equal(x:sum(1, {}):item(), 8.0)
    equal(tide.zeros(1, 2, {device = mode}).shape, {1, 2})
    equal(tide.full({2}, 1.0, mode):tolist(), {1.0, 1.0})
    equal(tide.nn.Transformer.generate_square_subsequent_mask(1):tolist(), {{0.0}})
    raises("got nil", tide.zeros, 1, mode)
    raises("expected number, got table", tide.add, x, x, {1})
    raises("other", tide.add, x, {})
  end)
  it("are rejected where PyTorch does not define them", function()
    local whole = tide.tensor({1, 0, 1, 1}, {device = device})
    local needed = "expected a floating type"
    raises("hypot: " .. needed, tide.hypot, whole, whole)
    raises("igamma: " .. needed, tide.igamma, whole, whole)
    for _, name in ipairs {"glu", "softshrink", "hardshrink"} do
      raises(name .. ": " .. needed, F[name], whole)
    end
    for _, name in ipairs {"huber_loss", "smooth_l1_loss", "kl_div", "binary_cross_entropy"} do
      raises(name .. ": " .. needed, F[name], whole, whole)
    end
    raises("prelu: " .. needed, F.prelu, whole, whole:narrow(1, 1, 1))
    raises("fold: " .. needed, F.fold, whole:reshape(1, 4, 1), 2, 2)
    raises("unfold: " .. needed, F.unfold, whole:reshape(1, 1, 2, 2), 1)
    raises("hardtanh: uint8 has no negative numbers", F.hardtanh, whole:to("uint8"))
    raises("meshgrid: the types differ: int64 and float32", tide.meshgrid, {whole, whole:float()})
    local truth = whole:to("bool")
    for _, name in ipairs {"argmax", "argmin", "median"} do
      raises(name .. ": expected numbers, got bool", tide[name], truth, 1)
    end
    for _, name in ipairs {"topk", "kthvalue"} do raises(name .. ": expected numbers, got bool", tide[name], truth, 1) end
    for _, name in ipairs {"cov", "corrcoef", "trace"} do
      raises(name .. ": expected numbers, got bool", tide[name], truth:reshape(2, 2))
    end
    raises("pad: expected numbers, got bool", F.pad, truth:reshape(1, 4), {1, 1}, "reflect")
    equal(F.pad(truth:reshape(1, 4), {1, 0}, "circular").dtype, "bool")
    raises("isclose: rtol must be non-negative", tide.isclose, whole, whole, -1)
    raises("diff: n must be non-negative", tide.diff, whole, -1)
    raises("flipud: expected at least 1 dimension", tide.flipud, whole:sum())
    raises("gradient: dimension 1 is given twice", tide.gradient, whole:float(), {dim = {1, 1}})
    local x = truth:float()
    raises("margin must be positive, got -1", F.triplet_margin_loss, x, x, x, -1)
  end)
  it("of bytes are rounded by resampling, other integers rejected", function()
    local y = F.interpolate(tensor({{{0, 10, 255}}}, "uint8"), {5}, {mode = "linear",
      align_corners = true})
    equal({y.dtype, y:tolist()}, {"uint8", {{{0, 5, 10, 133, 255}}}})
    raises("interpolate: expected a floating type or uint8, got int64",
      function() return F.interpolate(tensor({{{0, 10, 255}}}, "int64"), {5}, {mode = "linear"}) end)
  end)
  it("count the classes of one_hot if num_classes is -1", function()
    equal(F.one_hot(tensor({1, 3}), -1):tolist(), {{1, 0, 0}, {0, 0, 1}})
  end)
  it("crop before circular padding", function()
    local x = tensor({{{1, 2, 3, 4}}})
    equal(F.pad(x, {-1, 2}, "circular"):tolist(), {{{2, 3, 4, 2, 3}}})
    equal(F.pad(x, {1, -2}, "circular"):tolist(), {{{2, 1, 2}}})
  end)
  it("of attention must agree", function()
    local x = tide.ones({2, 3}, {device = device})
    raises("scaled_dot_product_attention: the types differ: float32 and float64",
      function() return F.scaled_dot_product_attention(x, x:double(), x) end)
  end)
end)

describe("padding with a tensor's own elements", function(device)
  --- The index from which index i of 1..n, possibly outside, takes its element.
  local source = {
    reflect = function(i, n) return i < 1 and 2 - i or i > n and 2 * n - i or i end,
    replicate = function(i, n) return math.max(1, math.min(i, n)) end,
    circular = function(i, n) return (i - 1) % n + 1 end,
  }
  --- Lists of indices for index_select, one dimension after the other.
  local function padded(x, amounts, mode)
    for d = 1, #amounts // 2 do
      local dim, places = x:dim() + 1 - d, {}
      for i = 1 - amounts[2 * d - 1], x:size(dim) + amounts[2 * d] do
        places[#places + 1] = source[mode](i, x:size(dim))
      end
      x = x:index_select(dim, tide.tensor(places, {device = device}))
    end
    return x
  end

  it("takes each element from its index, in values and gradients of both orders", function()
    for mode in pairs(source) do
      for _, case in ipairs {{{2, 5}, {3, 4}}, {{2, 5}, {-2, 2}}, {{2, 5}, {0, -3}},
        {{1, 4, 3}, {2, 1, 0, 3}}, {{4, 3}, {1, 1, 2, 0}}, {{2, 3, 2, 4}, {1, 2, 1, 0, 2, 1}},
        {{1, 2, 2}, {0, 0, 1, 1}}} do
        local shape, amounts = table.unpack(case)
        local function outcome(pad)
          local x = (tide.arange(48.0, {device = device}):sin()[{{1, tide.ones(shape):numel()}}])
            :reshape(shape):requires_grad_()
          local y = pad(x, amounts, mode)
          local weights = tide.arange(y:numel(), {device = device}):cos():reshape(y.shape)
          local first = tide.grad((y ^ 3 * weights):sum(), x, {create_graph = true})
          return y, first, (tide.grad((first ^ 2):sum(), x))
        end
        -- Negative circular padding is covered by another test.
        if mode ~= "circular" or math.min(table.unpack(amounts)) >= 0 then
          local got, expected = {outcome(F.pad)}, {outcome(padded)}
          for i = 1, 3 do close(got[i], expected[i]) end
        end
      end
    end
  end)
  it("removes no more than there is", function()
    raises("pad: more is cropped than there is: dimension 2 of (2, 3)", F.pad,
      tide.ones({2, 3}, {device = device}), {-2, -2}, "replicate")
  end)
end)

describe("padding", function(device)
  it("converts its value to the type", function()
    local function padded(dtype, value)
      return F.pad(tide.zeros({1}, {dtype = dtype, device = device}), {0, 1}, {value = value})[2]:item()
    end
    equal({padded("bool", true), padded("bool", 0.5), padded("bool", 0)}, {true, true, false})
    equal({padded("int64", true), padded("int64", 2 ^ 53 | 1), padded("float32", true)},
      {1, 2 ^ 53 | 1, 1.0})
  end)
end)

describe("one_hot", function(device)
  it("requires classes", function()
    local none = tide.zeros({0}, {dtype = "int64", device = device})
    equal(F.one_hot(none, 3).shape, {0, 3})
    local first = tide.ones({1}, {dtype = "int64", device = device})
    raises("one_hot: num_classes must be at least 1, got 0", F.one_hot, first, 0)
    raises("one_hot: num_classes is required", F.one_hot, none)
  end)
end)

describe("a number written into a half type", function(device)
  it("is rounded before it is used", function()
    local x = tide.empty({}, {dtype = "float16", device = device}):fill_(1 / 3)
    equal((x:double() * 3):item(), 0.999755859375)
    local y = tide.empty({2}, {dtype = "bfloat16", device = device})
    y[{}] = 1 / 3
    equal((y:double() * 3):tolist(), {1.001953125, 1.001953125})
  end)
end)

describe("slices at indices", function(device)
  it("must match the number of indices and the tensor's shape", function()
    local x = tide.ones({9, 3}, {device = device})
    local at = tide.tensor({1, 2, 3}, {device = device})
    for _, shape in ipairs {{9, 3}, {2, 3}, {3, 2}, {3}} do
      local source = tide.ones(shape, {device = device})
      raises("expected a source of shape (3, 3), got ", function() x:index_add(1, at, source) end)
      raises("expected a source of shape (3, 3), got ", function() x:index_copy(1, at, source) end)
    end
    equal(x:index_add(1, at, tide.ones({3, 3}, {device = device})):sum():item(), 36.0)
  end)
end)

describe("options that a mode does not support", function(device)
  local x = tide.ones({1, 1, 4, 4}, {device = device})
  it("are rejected", function()
    for _, mode in ipairs {"reflect", "replicate", "circular"} do
      raises('a value goes with the mode "constant", got ' .. mode, F.pad, x, {1, 1, 1, 1}, mode, 2)
    end
    for _, mode in ipairs {"nearest", "nearest-exact", "area"} do
      raises("align_corners goes with", F.interpolate, x, {scale_factor = 2, mode = mode, align_corners = false})
    end
  end)
end)

-- As in NumPy: the number is not converted to the type.
describe("a number out of the range of an integer type", function(device)
  it("is compared unchanged", function()
    local x = tide.tensor({0, 1, 255}, {dtype = "uint8", device = device})
    equal({x:lt(256):tolist(), x:ge(256):tolist(), x:eq(256):tolist(), x:ne(-255):tolist(), x:gt(-1):tolist()},
      {{true, true, true}, {false, false, false}, {false, false, false}, {true, true, true}, {true, true, true}})
    equal({x:le(255):tolist(), x:eq(255):tolist()}, {{true, true, true}, {false, false, true}})
    x = tide.tensor({-128, 127}, {dtype = "int8", device = device})
    equal({x:lt(128):tolist(), x:gt(-129):tolist(), x:eq(128):tolist(), x:le(-128):tolist()},
      {{true, true}, {true, true}, {false, false}, {true, false}})
    x = tide.tensor({1}, {dtype = "int32", device = device})
    equal({x:lt(1 << 40):tolist(), x:lt(math.maxinteger):tolist(), x:lt(1e30):tolist()}, {{true}, {true}, {true}})
  end)
end)

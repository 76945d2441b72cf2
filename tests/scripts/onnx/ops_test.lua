-- Single ops with unusual arguments; expected results by hand from the standard, or from its reference implementation.
local tide = require "tide"
local test = require "tide.test"
local describe, it, equal, close = test.describe, test.it, test.same_type, test.close

--- A function that computes a node with these attributes: op(inputs...).
local function node(file, op, attributes, outputs, version)
  local ops = require("tide.onnx.ops." .. file)
  return function(...)
    return ops[op]({attributes = attributes or {}, outputs = outputs or {"y"}, version = version or 17}, ...)
  end
end

describe("an ONNX op", function(device)
  local options = {device = device}
  it("has no window that starts after the input and its pads", function()
    local x = tide.arange(1, 26, options):float():reshape(1, 1, 5, 5)
    local pool = {kernel_shape = {2, 2}, strides = {3, 3}, pads = {1, 1, 1, 1}, ceil_mode = 1}
    close(node("pools", "MaxPool", pool)(x), {{{{1.0, 4}, {16, 19}}}})
    close(node("pools", "AveragePool", pool)(x), {{{{1.0, 3.5}, {13.5, 16}}}})
    pool.count_include_pad = 1
    close(node("pools", "AveragePool", pool)(x), {{{{0.25, 1.75}, {6.75, 16}}}})
    -- A window that starts in the input and ends after it is kept.
    local row = tide.arange(1, 6, options):float():reshape(1, 1, 5)
    close(node("pools", "MaxPool", {kernel_shape = {2}, strides = {2}, ceil_mode = 1})(row), {{{2.0, 4, 5}}})
  end)
  it("interpolates integers with fractional weights", function()
    local resize = node("resizing", "Resize", {mode = "linear", coordinate_transformation_mode = "asymmetric"})
    for _, dtype in ipairs {"uint8", "int8", "int32"} do
      local x = tide.tensor({{0, 100}}, {device = device}):to(dtype)
      local y = resize(x, nil, tide.tensor {1.0, 2.0})
      equal({y.dtype, y:tolist()}, {dtype, {{0, 50, 100, 100}}})
    end
    local cubic = node("resizing", "Resize", {mode = "cubic"})
    local y = cubic(tide.tensor({{0, 0, 255, 255}}, {dtype = "uint8", device = device}), nil, tide.tensor {1.0, 2.0})
    equal({y:min():item(), y:max():item()}, {0, 255}) -- values out of range do not wrap around
  end)
  it("sums preceding elements exactly", function()
    local x, axis = tide.tensor({1, 1e20, 3}, options), tide.tensor(0)
    equal(node("reductions", "CumSum", {exclusive = 1})(x, axis):tolist(), {0.0, 1.0, tide.tensor(1e20):item()})
    equal(node("reductions", "CumSum", {exclusive = 1, reverse = 1})(tide.tensor({1, 2, 3}, options), axis):tolist(),
      {5, 3, 0})
    equal(node("reductions", "CumSum", {exclusive = 1})(tide.zeros({0}, options), axis).shape, {0})
  end)
  it("leaves a row of zeros unchanged when it scales rows to a norm of 1", function()
    close(node("normalizations", "LpNormalization")(tide.tensor({{3.0, 4}, {0, 0}}, options)), {{0.6, 0.8}, {0, 0}})
  end)
  it("returns nan for the sign of nan", function()
    local y = node("elementwise", "Sign")(tide.tensor({-2.5, 0, 0 / 0, 3}, options))
    equal({y:isnan():tolist(), y[{ {1, 2} }]:tolist()}, {{false, false, true, false}, {-1.0, 0.0}})
    equal(node("elementwise", "Sign")(tide.tensor({-2, 0, 3}, options)):tolist(), {-1, 0, 1})
  end)
  it("inserts into a sequence before a position, also one from the end", function()
    local insert = node("sequences", "SequenceInsert")
    local function after(position)
      local names = {}
      for i, value in ipairs(insert({"a", "b"}, "new", position and tide.tensor(position))) do names[i] = value end
      return table.concat(names, " ")
    end
    equal({after(0), after(1), after(2), after(-1), after(-2), after()},
      {"new a b", "a new b", "a b new", "a new b", "new a b", "a b new"})
    test.raises("position 3 of 2", after, 3)
    test.raises("position -3 of 2", after, -3)
  end)
  it("applies softcap before the mask, and returns zeros if nothing may be attended to", function()
    local q = tide.tensor({0.5, 1, 1.5, 2}, options):reshape(1, 1, 2, 2)
    local k = (tide.arange(1, 7, options):float() / 4):reshape(1, 1, 3, 2)
    local v = tide.arange(0, 6, options):float():reshape(1, 1, 3, 2)
    local mask = tide.tensor({{true, false, true}, {false, false, false}}, options)
    local stages = {
      {{{{0.4348865, 0.9022884, 1.2718490}, {0.9022884, 1.6044720, 1.8765836}}}},
      {{{{0.4348865, -math.huge, 1.2718490}, {-math.huge, -math.huge, -math.huge}}}},
      {{{{0.3021749, 0, 0.6978251}, {0, 0, 0}}}},
    }
    for mode, expected in ipairs(stages) do
      local attend = node("attention", "Attention", {softcap = 2.0, qk_matmul_output_mode = mode}, nil, 23)
      local y, _, _, scores = attend(q, k, v, mask)
      close(y, {{{{2.7913005, 3.7913005}, {0, 0}}}})
      equal(scores:isinf():tolist(), tide.tensor(expected):isinf():tolist())
      close(scores:nan_to_num(0, 0, 0), tide.tensor(expected):nan_to_num(0, 0, 0):tolist())
    end
    -- A mask for the first key only.
    local attend = node("attention", "Attention", {softmax_precision = 11}, nil, 23)
    close(attend(q, k, v, mask[{ {}, {1, 1} }]), {{{{0, 1}, {0, 0}}}})
  end)
  it("scales blocks of an axis, to types of 8 and 16 bits", function()
    local x = tide.tensor({{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}}, options):to("int8")
    local scale = tide.tensor({{0.5, 1, 2}, {4, 8, 16}}, options)
    local zero = tide.tensor({{1, 2, 3}, {0, 0, 1}}, options):to("int8")
    local blocks = {axis = 1, block_size = 2}
    close(node("quantization", "DequantizeLinear", blocks, nil, 23)(x, scale, zero),
      {{0, 0.5, 1, 2, 4}, {24, 28, 64, 72, 144}})
    local y = node("quantization", "QuantizeLinear", blocks, nil, 23)(tide.tensor({{1.0, -2, 300, 4}}, options),
      tide.tensor({{0.5, 0.001}}, options), tide.tensor({{10, 65000}}, options):to("int32"))
    equal({y.dtype, y:tolist()}, {"int32", {{12, 6, 65535, 65535}}}) -- which holds uint16
    y = node("quantization", "QuantizeLinear", {output_dtype = 5}, nil, 23)(
      tide.tensor({1.0, -2, 300000, 4}, options), tide.tensor(2.0, options))
    equal({y.dtype, y:tolist()}, {"int16", {0, -1, 32767, 2}})
  end)
  it("computes a real signal from half of its frequencies", function()
    local axis = tide.tensor(1)
    local half = tide.tensor({{{15, 0}, {-3.6180339, 3.0776834}, {-1.3819660, -0.7265425}}}, options)
    local inverse = node("signal", "DFT", {onesided = 1, inverse = 1}, nil, 20)
    close(inverse(half, tide.tensor(5), axis), {{{1.0}, {2}, {3}, {5}, {4}}}, {atol = 1e-5})
    close(inverse(half, nil, axis), {{{1.5954916}, {2.5566497}, {5.2135258}, {5.6343331}}}, {atol = 1e-5})
  end)
  it("reduces zero elements to minima and maxima", function()
    local x = tide.zeros({2, 0}, options)
    equal(node("reductions", "ReduceMax", {axes = {1}})(x):tolist(), {{-math.huge}, {-math.huge}})
    equal(node("reductions", "ReduceMin", {axes = {1}, keepdims = 0})(x):tolist(), {math.huge, math.huge})
    equal(node("reductions", "ReduceMin", {axes = {1}, keepdims = 0})(x:to("int8")):tolist(), {127, 127})
  end)
  it("splits into uneven parts since opset 18 only", function()
    local x, parts = tide.arange(5, options), {"a", "b"}
    test.raises("5 cannot be split into 2 equal parts", node("shapes", "Split", {}, parts, 13), x)
    local first, last = node("shapes", "Split", {num_outputs = 2}, parts, 18)(x)
    equal({first:tolist(), last:tolist()}, {{0, 1, 2}, {3, 4}})
  end)
end)

describe("a network that is saved and loaded", function()
  local path = os.tmpname()
  --- The largest difference of results before and after.
  local function change(net, x)
    tide.onnx.save(net, x, path)
    local y, again = net(x), tide.onnx.load(path)(x)
    equal(again.shape, y.shape)
    return (again - y):abs():max():item()
  end
  it("keeps pools with ceil_mode, and Softplus with its threshold", function()
    tide.manual_seed(1)
    for size = 5, 8 do
      for stride = 1, 4 do
        local x = tide.randn(1, 1, size, size)
        for _, counted in ipairs {true, false} do
          local pool = {stride = stride, padding = 1, ceil_mode = true, count_include_pad = counted}
          close(change(tide.nn.AvgPool2d(2, pool), x), 0.0, {atol = 1e-6})
        end
        close(change(tide.nn.MaxPool2d(2, {stride = stride, padding = 1, ceil_mode = true}), x), 0.0)
      end
    end
    for _, threshold in ipairs {1, 20, 30} do
      for _, dtype in ipairs {"float32", "float64"} do
        close(change(tide.nn.Softplus(2, threshold), tide.linspace(-5, 40, 46, {dtype = dtype})), 0.0, {atol = 1e-12})
      end
    end
    os.remove(path)
  end)
end)

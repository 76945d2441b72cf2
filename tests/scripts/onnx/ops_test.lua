-- Single ops at the ends of what ONNX allows; results by hand from the standard, and as its reference implementation has
-- them.
local tide = require "tide"
local test = require "tide.test"
local describe, it, equal, close = test.describe, test.it, test.same_type, test.close

--- A function that computes a node with these attributes: op(inputs...).
local function node(file, op, attributes, outputs)
  local ops = require("tide.onnx.ops." .. file)
  return function(...) return ops[op]({attributes = attributes or {}, outputs = outputs or {"y"}, version = 17}, ...) end
end

describe("an ONNX op", function(device)
  local options = {device = device}
  it("has no window that starts behind the input and its pads", function()
    local x = tide.arange(1, 26, options):float():reshape(1, 1, 5, 5)
    local pool = {kernel_shape = {2, 2}, strides = {3, 3}, pads = {1, 1, 1, 1}, ceil_mode = 1}
    close(node("pools", "MaxPool", pool)(x), {{{{1.0, 4}, {16, 19}}}})
    close(node("pools", "AveragePool", pool)(x), {{{{1.0, 3.5}, {13.5, 16}}}})
    pool.count_include_pad = 1
    close(node("pools", "AveragePool", pool)(x), {{{{0.25, 1.75}, {6.75, 16}}}})
    -- One that starts in the input and ends behind it stays.
    local row = tide.arange(1, 6, options):float():reshape(1, 1, 5)
    close(node("pools", "MaxPool", {kernel_shape = {2}, strides = {2}, ceil_mode = 1})(row), {{{2.0, 4, 5}}})
  end)
  it("mixes whole numbers by weights with fractions", function()
    local resize = node("resizing", "Resize", {mode = "linear", coordinate_transformation_mode = "asymmetric"})
    for _, dtype in ipairs {"uint8", "int8", "int32"} do
      local x = tide.tensor({{0, 100}}, {device = device}):to(dtype)
      local y = resize(x, nil, tide.tensor {1.0, 2.0})
      equal({y.dtype, y:tolist()}, {dtype, {{0, 50, 100, 100}}})
    end
    local cubic = node("resizing", "Resize", {mode = "cubic"})
    local y = cubic(tide.tensor({{0, 0, 255, 255}}, {dtype = "uint8", device = device}), nil, tide.tensor {1.0, 2.0})
    equal({y:min():item(), y:max():item()}, {0, 255}) -- what goes beyond does not wrap around
  end)
  it("sums what comes before exactly", function()
    local x, axis = tide.tensor({1, 1e20, 3}, options), tide.tensor(0)
    equal(node("reductions", "CumSum", {exclusive = 1})(x, axis):tolist(), {0.0, 1.0, tide.tensor(1e20):item()})
    equal(node("reductions", "CumSum", {exclusive = 1, reverse = 1})(tide.tensor({1, 2, 3}, options), axis):tolist(),
      {5, 3, 0})
    equal(node("reductions", "CumSum", {exclusive = 1})(tide.zeros({0}, options), axis).shape, {0})
  end)
  it("leaves a row of zeros when it scales rows to a norm of 1", function()
    close(node("normalizations", "LpNormalization")(tide.tensor({{3.0, 4}, {0, 0}}, options)), {{0.6, 0.8}, {0, 0}})
  end)
  it("gives nan for the sign of nan", function()
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

-- Convolutions and pools of integers: values are PyTorch's.
local tide = require "tide"
local test = require "tide.test"

local describe, it = test.describe, test.it
local equal, raises = test.same_type, test.raises
local F = tide.nn.functional

describe("convolutions of integers", function(device)
  local function whole(values, dtype) return tide.tensor(values, {dtype = dtype,
    device = device}) end
  local function counted(count, ...) return tide.arange(count, {device = device}):reshape(...) end
  local x = counted(48, 1, 2, 4, 6) - 20
  local lines = counted(10, 1, 2, 5) - 4

  it("sum products of integers", function()
    local weight = counted(36, 4, 1, 3, 3) % 7 - 3
    equal(F.conv2d(x, weight, whole {1, 2, 3, 4}, {stride = 2, padding = 1,
      groups = 2}):flatten():tolist(),
      {11, -32, -30, 28, 54, 44, 13, -1, -3, -12, -11, -13, 22, 7, 1, 75, 45, 51, 6, 25, 29, -34,
        20, 20})
    equal(F.conv1d(lines, whole {{{1, -2}, {3, 1}}}, {dilation = 2}):tolist(), {{{6, 9, 12}}})
    local cube = counted(16, 1, 2, 2, 2, 2)
    equal(F.conv3d(cube, tide.ones(1, 2, 2, 2, 1, {dtype = "int64",
      device = device})):flatten():tolist(),
      {56, 64})
    equal(F.conv1d(lines[1], tide.ones(1, 2, 2, {dtype = "int64", device = device})).shape, {1, 4})
    equal(F.conv1d(whole({{{100, 100, 27}}}, "int8"), whole({{{2, 1}}}, "int8")):tolist(), {{{44,
      -29}}})
    equal(F.linear(counted(6, 2, 3), whole {1, 0, -1}):tolist(), {-2, -2})
    raises("conv1d: expected numbers, got bool", F.conv1d, lines:to("bool"), whole({{{true},
      {true}}}))
  end)

  it("transposed ones enlarge", function()
    equal(F.conv_transpose2d(lines:reshape(1, 1, 2, 5), whole {{{{1, 2}, {3, -1}}}}, nil, 2, 1, 1)
      :flatten():tolist(), {4, -9, 3, -6, 2, -3, 1, 0, 0, 2, 2, 4, 3, 6, 4, 8, 5, 10, -1, 6, -2,
        9, -3, 12,
      -4, 15, -5})
    equal(F.conv_transpose1d(lines, counted(12, 2, 2, 3) - 5, nil, 2, 1, 1, 2, 2):tolist(), {{
      {0, 31, 0, 34, 0, 22, 0, 10, 0, 3, 0, 0}, {0, 10, 0, 7, 0, 4, 0, 1, 0, 0, 0, 0},
      {0, 4, 0, 10, 0, 16, 0, 22, 0, 22, 0, 15}, {0, 13, 0, 28, 0, 43, 0, 58, 0, 49, 0, 30},
    }})
    raises("expected a floating type or int64, got int32", F.conv_transpose1d, lines:to("int32"),
      tide.ones(2, 1, 1, {dtype = "int32", device = device}))
  end)

  it("average with integer division", function()
    equal(F.avg_pool2d(x, 3, 2, 1):flatten():tolist(), {-7, -10, -8, -5, -6, -4, 3, 6, 7, 11, 18,
      20})
    equal(F.avg_pool2d(x, 3, 2, 1, {ceil_mode = true,
      count_include_pad = false}):flatten():tolist(),
      {-16, -15, -13, -12, -7, -6, -4, -3, -1, 0, 2, 3, 7, 9, 11, 12, 16, 18, 20, 21, 22, 24, 26,
        27})
    equal(F.avg_pool2d(x, 2, {divisor_override = 3}):flatten():tolist(),
      {-22, -19, -16, -6, -3, 0, 10, 12, 15, 26, 28, 31})
    equal(F.avg_pool1d(whole {{{1 << 62, (1 << 62) - 7, -5, -6}}}, 2):tolist(),
      {{{4611686018427387900, -5}}})
    equal(F.avg_pool3d(counted(16, 1, 2, 2, 2, 2), 2):flatten():tolist(), {3, 11})
    raises("expected a floating type, got int32", F.avg_pool2d, x:to("int32"), 2)
  end)

  it("of pools of size zero are empty", function()
    equal(F.adaptive_max_pool2d(tide.ones(2, 3, 3, {device = device}), {0, 2}).shape, {2, 0, 2})
    raises("there are no elements", F.max_pool3d, tide.ones(0, 1, 2, 10,
      {device = device}):transpose(1, 2), 1)
  end)

  it("find the maximum", function()
    equal(F.max_pool2d(x:to("int32"), 2):flatten():tolist(), {-13, -11, -9, -1, 1, 3, 11, 13, 15,
      23, 25, 27})
    equal(F.max_pool3d(counted(16, 1, 2, 2, 2, 2), 2):flatten():tolist(), {7, 15})
    raises("expected a floating type, got int64", F.max_pool1d, lines, 2)
  end)
end)

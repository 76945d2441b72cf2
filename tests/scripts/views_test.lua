-- Views and copies: reshape, transpose, expand, and what shares elements with what.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, raises = test.equal, test.raises

describe("views", function(device)
  local function matrix() return tide.range(1, 6):reshape(2, 3):to(device) end

  it("transpose without copying", function()
    local x = matrix()
    local t = x:transpose(1, 2)
    equal(t:tolist(), {{1, 4}, {2, 5}, {3, 6}})
    t[{1, 2}] = 40
    equal(x:tolist(), {{1, 2, 3}, {40, 5, 6}})
    equal(x.T.shape, {3, 2})
  end)
  it("reshape and find out one size", function()
    equal(matrix():reshape(3, -1).shape, {3, 2})
    equal(matrix():flatten():tolist(), {1, 2, 3, 4, 5, 6})
    raises("reshape", function() return matrix():reshape(4, -1) end)
  end)
  it("reshape what has no elements, whatever its strides", function()
    local x = tide.zeros({2, 1, 0, 3}, {device = device}):expand(2, 4, 0, 3):transpose(1, 3)
    equal(x:reshape(-1, 6).shape, {0, 6})
    equal(x:flatten().shape, {0})
    raises("reshape", x.reshape, x, 5)
  end)
  it("view refuses what needs a copy", function()
    test.raises("the elements of (3, 2) lie in an order that (6) cannot show",
      function() return matrix():transpose(1, 2):view(6) end)
    equal(matrix():transpose(1, 2):reshape(6):tolist(), {1, 4, 2, 5, 3, 6})
  end)
  it("narrow from a position that a tensor holds", function()
    local function at(position) return tide.tensor(position, {device = device}) end
    equal(matrix():narrow(2, at(2), 2):tolist(), {{2, 3}, {5, 6}})
    equal(matrix():narrow(2, at(-2), 2):tolist(), {{2, 3}, {5, 6}})
    raises("places out of range", function() return matrix():narrow(2, at(3), 2) end)
    raises("integer type is needed: float32", function() return matrix():narrow(2, at(2.0), 1) end)
    raises("without dimensions, got shape (1)", function() return matrix():narrow(2, at {2}, 1) end)
  end)
  it("as_strided_ turns the tensor itself into the view", function()
    local x = tide.range(1, 6, {device = device}):double():requires_grad_()
    local y = x * 2
    test.is_true(rawequal(y:as_strided_({2, 2}, {1, 2}, 1), y))
    equal(y:tolist(), {{4.0, 8.0}, {6.0, 10.0}});
    (y * tide.tensor({{1, 2}, {3, 4}}, {device = device})):sum():backward()
    equal(x.grad:tolist(), {0.0, 2.0, 6.0, 4.0, 8.0, 0.0})
    raises("leaf", x.as_strided_, x, {2}, {1})
  end)
  it("permute, squeeze and unsqueeze", function()
    local x = matrix():unsqueeze(1)
    equal(x.shape, {1, 2, 3})
    equal(x:permute(3, 1, 2).shape, {3, 1, 2})
    equal(x:squeeze(1).shape, {2, 3})
  end)
  it("broadcast_to keeps a size for -1, as expand does", function()
    local x = tide.ones({5, 1, 1}, {device = device})
    equal({x:broadcast_to(5, -1, 4).shape, x:expand(2, -1, -1, 3).shape}, {{5, 1, 4}, {2, 5, 1, 3}})
    raises("does not broadcast", x.broadcast_to, x, {4, 1, 1})
  end)
  it("expand repeats without copying", function()
    local x = tide.tensor({{1}, {2}}):to(device):expand(2, 3)
    equal(x:tolist(), {{1, 1, 1}, {2, 2, 2}})
  end)
  it("narrow, split and chunk share the elements", function()
    local x = tide.range(1, 6):to(device)
    local parts = x:split(2)
    equal(#parts, 3)
    parts[2]:fill_(0)
    equal(x:tolist(), {1, 2, 0, 0, 5, 6})
    equal(x:narrow(1, 5, 2):tolist(), {5, 6})
    equal(#x:chunk(4), 3)
  end)
  it("clone copies", function()
    local x = matrix()
    local copy = x:clone()
    x:fill_(0)
    equal(copy[1]:tolist(), {1, 2, 3})
  end)
  it("ops that promise a tensor of their own copy even where they change nothing", function()
    local F = tide.nn.functional
    local planes = tide.arange(16.0):reshape(1, 4, 2, 2):to(device)
    local same = {
      function(x) return F.pad(x, {0, 0}, {mode = "circular"}) end,
      function(x) return F.pixel_shuffle(x, 1) end,
      function(x) return F.pixel_shuffle(x[{{}, {}, {1, 1}, {1, 1}}], 2) end,
      function(x) return F.pixel_unshuffle(x, 1) end,
      function(x) return F.channel_shuffle(x, 1) end,
      function(x) return F.channel_shuffle(x, 4) end,
      function(x) return F.adaptive_avg_pool2d(x, 2) end,
      function(x) return F.interpolate(x, {size = {2, 2}, mode = "area"}) end,
      function(x) return x:diff(0) end,
      function(x) return x:to("int64"):nan_to_num() end,
    }
    for i, make in ipairs(same) do
      local x = i == #same and planes:to("int64") or planes:clone()
      make(x):fill_(-1)
      test.is_true(x:ge(0):all():item(), "op " .. i)
    end
  end)
  it("cat and stack join", function()
    local x = tide.tensor({1, 2}):to(device)
    equal(tide.cat({x, x}):tolist(), {1, 2, 1, 2})
    equal(tide.stack({x, x}, 2):tolist(), {{1, 1}, {2, 2}})
  end)
  it("know whether they are contiguous", function()
    test.is_true(matrix():is_contiguous())
    test.is_false(matrix():transpose(1, 2):is_contiguous())
  end)
end)

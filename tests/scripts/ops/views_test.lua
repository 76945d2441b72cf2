-- Views and copies: reshape, transpose, expand, and which tensors share elements.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, raises = test.same_type, test.raises

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
  it("show a diagonal of any two dimensions", function()
    local x = tide.range(1, 60):reshape(3, 4, 5):to(device)
    for _, case in ipairs {{1, 2}, {2, 1}, {1, 3}, {3, 1}, {2, 3}, {3, 2}, {-1, -3}} do
      local a, b = case[1], case[2]
      if a < 0 then a, b = a + 4, b + 4 end
      local c = 6 - a - b
      for offset = -3, 5 do
        local y = x:diagonal(offset, case[1], case[2])
        local length = math.max(0, math.min(x:size(a) + math.min(offset, 0), x:size(b) - math.max(offset, 0)))
        equal(y.shape, {x:size(c), length})
        for i = 1, x:size(c) do
          for k = 1, length do
            local at = {}
            at[a], at[b], at[c] = k - math.min(offset, 0), k + math.max(offset, 0), i
            equal(y[{i, k}]:item(), x[at]:item())
          end
        end
      end
    end
  end)
  it("reshape and infer one size", function()
    equal(matrix():reshape(3, -1).shape, {3, 2})
    equal(matrix():flatten():tolist(), {1, 2, 3, 4, 5, 6})
    raises("reshape", function() return matrix():reshape(4, -1) end)
  end)
  it("reshape empty tensors with any strides", function()
    local x = tide.zeros({2, 1, 0, 3}, {device = device}):expand(2, 4, 0, 3):transpose(1, 3)
    equal(x:reshape(-1, 6).shape, {0, 6})
    equal(x:flatten().shape, {0})
    raises("reshape", x.reshape, x, 5)
  end)
  it("view rejects shapes that need a copy", function()
    test.raises("the elements of (3, 2) lie in an order that (6) cannot show",
      function() return matrix():transpose(1, 2):view(6) end)
    equal(matrix():transpose(1, 2):reshape(6):tolist(), {1, 4, 2, 5, 3, 6})
  end)
  it("narrow from a start in a tensor", function()
    local function at(position) return tide.tensor(position, {device = device}) end
    equal(matrix():narrow(2, at(2), 2):tolist(), {{2, 3}, {5, 6}})
    equal(matrix():narrow(2, at(-2), 2):tolist(), {{2, 3}, {5, 6}})
    raises("range out of bounds", function() return matrix():narrow(2, at(3), 2) end)
    raises("expected a start of an integer type, got float32", function() return matrix():narrow(2, at(2.0), 1) end)
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
  it("H and mH transpose matrices", function()
    equal(matrix().H:tolist(), {{1, 4}, {2, 5}, {3, 6}})
    equal(matrix():unsqueeze(1).mH.shape, {1, 3, 2})
    raises("H: expected a matrix, got (1, 2, 3)", function() return matrix():unsqueeze(1).H end)
  end)
  it("unsafe_chunk and unsafe_split are chunk and split", function()
    local x = tide.range(1, 5):to(device)
    for _, parts in ipairs {x:unsafe_chunk(2), x:unsafe_split(3), x:unsafe_split_with_sizes {3, 2}} do
      equal({#parts, parts[1]:tolist(), parts[2]:tolist()}, {2, {1, 2, 3}, {4, 5}})
    end
  end)
  it("resize_ keeps the elements in the order of the storage", function()
    local x = matrix()
    local shared = x:view(6)
    test.is_true(rawequal(x:resize_(2, 2), x))
    equal(x:tolist(), {{1, 2}, {3, 4}})
    x[{1, 1}] = 10
    equal(shared:tolist(), {10, 2, 3, 4, 5, 6})
    equal(matrix().T:resize_(2, 2):tolist(), {{1, 2}, {3, 4}})
    equal(matrix()[2]:resize_(2):tolist(), {4, 5})
    equal(matrix():resize_(4, 2)[{{1, 3}}]:tolist(), {{1, 2}, {3, 4}, {5, 6}})
    local leaf = tide.ones(2, {device = device, requires_grad = true})
    raises("keeps its shape", leaf.resize_, leaf, 3)
    equal(matrix():resize_as_(tide.ones(2, 2)):tolist(), {{1, 2}, {3, 4}})
    raises("argument 2 (other): expected tensor, got number", matrix().resize_as_, matrix(), 3)
  end)
  it("as_strided_scatter writes into a copy what as_strided would show", function()
    local x = tide.range(1, 6, {device = device}):double():requires_grad_()
    local y = tide.tensor({{10.0, 20}, {30, 40}}, {dtype = "float64", device = device})
    y:requires_grad_()
    local z = x:as_strided_scatter(y, {2, 2}, {1, 2}, 1)
    equal(z:tolist(), {1.0, 10.0, 30.0, 20.0, 40.0, 6.0});
    (z * tide.range(1, 6, {device = device})):sum():backward()
    equal(x.grad:tolist(), {1.0, 0.0, 0.0, 0.0, 0.0, 6.0})
    equal(y.grad:tolist(), {{2.0, 4.0}, {3.0, 5.0}})
    equal(matrix().T:as_strided_scatter(tide.tensor({8, 9}, {device = device}), {2}, {3}):tolist(),
      {{8, 9}, {2, 5}, {3, 6}})
    raises("expected a source of shape (2, 2), got (2)", x.as_strided_scatter, x, y[1], {2, 2}, {1, 2})
  end)
  it("that a write reads have their old elements, at any address", function()
    local x = tide.tensor({1, 2, 3}, {device = device})
    x:sub_(x[1])
    equal(x:tolist(), {0, 1, 2})
    local y = tide.tensor({{2, 4}, {7, 3}}, {device = device})
    y:mul_(y:diagonal())
    equal(y:tolist(), {{4, 12}, {14, 9}})
    y[{ {}, 2 }] = y[1]
    equal(y:tolist(), {{4, 4}, {14, 12}})
    y:add_(y:flip(1)):sub_(y.T)
    equal(y:tolist(), {{0, -2}, {2, 0}})
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
  -- As in PyTorch, the last write is undefined. A single value is allowed.
  it("rejects writing different values to one element", function()
    local mask = tide.tensor({{{true, false}}, {{false, true}}}, {device = device}):expand(2, 2, 2)
    local function wide() return tide.zeros({1, 2}, {device = device}):expand(2, 2) end
    local writes = {
      function(x) x:mul_(tide.ones({2, 2}, {device = device})) end, function(x) x:add_(1) end,
      function(x) x:copy_(tide.ones({2, 2}, {device = device})) end, function(x) x:normal_() end,
      function(x) x:masked_fill_(x:eq(0), 7) end, function(x) x[{{}, {1, 2}}] = tide.ones({2, 2}, {device = device}) end,
      function() tide.zeros({2, 2}, {device = device}):expand(2, 2, 2):masked_fill_(mask, 7) end,
    }
    for _, write in ipairs(writes) do
      raises("several elements of the tensor share one memory location; use clone()", write, wide())
    end
    local x = wide()
    x:fill_(3)
    equal(x:tolist(), {{3.0, 3.0}, {3.0, 3.0}})
    x[1]:add_(1) -- the elements of one row do not overlap
    equal(x:tolist(), {{4.0, 4.0}, {4.0, 4.0}})
    x:zero_()
    equal(x:sum():item(), 0.0)
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
  it("ops that return a new tensor copy even if they change nothing", function()
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
    equal(tide.cat({tide.zeros({0}, {device = device})}).shape, {0})
    equal(tide.cat({tide.zeros({0, 2}, {device = device}), tide.zeros({0, 3}, {device = device})}, 2).shape, {0, 5})
    equal(tide.stack({x, x}, 2):tolist(), {{1, 1}, {2, 2}})
  end)
  it("report whether they are contiguous", function()
    test.is_true(matrix():is_contiguous())
    test.is_false(matrix():transpose(1, 2):is_contiguous())
  end)
end)

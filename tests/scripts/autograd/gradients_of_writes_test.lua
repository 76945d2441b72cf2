-- Gradients of programs with in-place writes: through views, into joined tensors, to elements that
-- share an address.
local tide = require "tide"
local test = require "tide.test"

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local random_gradients = dofile(here .. "/../support/random_gradients.lua")
local describe, it, close = test.describe, test.it, test.close
local F = tide.nn.functional

local kFused, kPrograms, kTwice, kSteps = 10, 200, 40, 25
local kStep = 1e-5

--- The derivative of the sum of fn(y) with respect to y = {1, -2, 3}.
local function slope(device, fn)
  local y = tide.tensor({1.0, -2, 3}, {device = device}):requires_grad_()
  fn(y):sum():backward()
  return y.grad
end

-- Expected values are PyTorch's.
describe("a write into a part", function(device)
  it("of joined tensors keeps the rest of the gradient", function()
    close(slope(device, function(y)
      local c = tide.cat({y, y}, 1)
      c[{{1, 2}}] = 3
      return c
    end), {1, 1, 2})
    close(slope(device, function(y)
      local c = tide.cat({y, y}, 1)
      c:narrow(1, 1, 2):mul_(2)
      return c
    end), {3, 3, 2})
    close(slope(device, function(y)
      local c = tide.cat({y * 2, y}, 1)
      c[{{1, 2}}] = tide.zeros(2, {device = device})
      return c
    end), {1, 1, 3})
    close(slope(device, function(y)
      local c = tide.stack({y, y}, 1)
      c[1] = 3
      return c
    end), {1, 1, 1})
    close(slope(device, function(y)
      local c = tide.hstack{y, y}
      c[2] = y[1] * 5
      return c
    end), {7, 1, 2})
  end)
  it("works for padded and rolled tensors, too", function()
    close(slope(device, function(y)
      local c = F.pad(y, {1, 1})
      c[{{1, 2}}] = 3
      return c
    end), {0, 1, 1})
    close(slope(device, function(y)
      local c = y:roll(1)
      c[{{1, 2}}] = 3
      return c
    end), {0, 1, 0})
  end)
  it("of a reduction that keeps its dimension", function()
    for _, name in ipairs {"sum", "amax", "prod", "mean"} do
      close(slope(device, function(y)
        local c = y:reshape(3, 1)[name](y:reshape(3, 1), 2, true)
        c[1] = 0
        return c * c
      end), {0, -4, 6})
    end
  end)
  it("of a channels-last tensor", function()
    local x = tide.ones({1, 2, 2, 2}, {device = device}):contiguous "channels_last":requires_grad_()
    local y = x * 3
    y[{1, 2}] = 0
    y[{{}, {}, 1}]:mul_(2)
    y:sum():backward()
    close(x.grad, {{{{6, 6}, {3, 3}}, {{0, 0}, {0, 0}}}})
  end)
  it("of a part without a grad function reaches what is visible outside of it", function()
    local x = tide.arange(8.0, {device = device})
    local part = x[{{5, 6}}]:detach()
    local before = part:as_strided({3}, {1}, 2)
    local y = tide.ones(2, {device = device}):requires_grad_()
    part:copy_(y * 2)
    before:mul_(3)
    part:sum():backward()
    close(y.grad, {6, 2})
    close(x, {0, 1, 6, 9, 6, 2, 6, 7})
  end)
end)

describe("a view whose base was written", function(device)
  it("propagates the gradients of all its readers, in any order", function()
    close(slope(device, function(y)
      local c = y * 1
      local view = c:narrow(1, 1, 2)
      c:mul_(2)
      local joined = tide.cat({y, view}, 1) -- the first to need the view's grad function
      return joined:sum() + view:sum()
    end), {5, 5, 1})
  end)
end)

describe("a write under a view that repeats elements", function(device)
  it("adds their gradients", function()
    close(slope(device, function(y)
      local c = y * 1
      local wide = c:expand(2, 3)
      c:mul_(2)
      return wide
    end), {4, 4, 4})
    close(slope(device, function(y)
      local c = y * 1
      local windows = c:unfold(1, 2, 1)
      c[1] = 0
      return windows
    end), {0, 2, 1})
  end)
  it("works like as_strided, which distributes the gradient of repeated elements", function()
    close(slope(device, function(y)
      return (y * 1):expand(2, 3):as_strided({3}, {1}) * tide.tensor({1.0, 2, 3}, {device = device})
    end), {1, 2, 3})
  end)
end)

--- Raises an error unless the derivative of `total` with respect to its inputs agrees with central differences in two
--- random directions.
local function check(seed, total, inputs)
  local tracked = {}
  for k, input in ipairs(inputs) do tracked[k] = input:clone():requires_grad_() end
  total(tracked):backward()
  for _ = 1, 2 do
    local expected, slope_there, size = 0, 0, 1
    local ahead, back = {}, {}
    for k, input in ipairs(inputs) do
      local direction = tide.randn_like(input)
      ahead[k], back[k] = input + direction * kStep, input - direction * kStep
      local grad = tracked[k].grad
      if grad then
        slope_there = slope_there + (grad * direction):sum():item()
        size = size + grad:abs():sum():item()
      end
    end
    expected = (total(ahead) - total(back)):item() / (2 * kStep)
    if not (math.abs(slope_there - expected) <= 1e-6 * size) then
      error(("program %d: the derivative is %.12g, by differences %.12g"):format(seed, slope_there,
        expected), 2)
    end
  end
end

--- Eager mode has few kernels to compile; another test checks that it has the same bits.
local function check_programs(first, last, device, total_of)
  for seed = first, last do
    tide.manual_seed(seed)
    check(seed, function(inputs) return total_of(seed, inputs) end,
      random_gradients.inputs_of(seed, device))
  end
end

--- The sum of the program's gradients, weighted.
local function weighted_gradients(seed, inputs)
  local tracked = {}
  for k, x in ipairs(inputs) do tracked[k] = x.requires_grad and x or x:clone():requires_grad_() end
  local y = random_gradients.run(seed, kSteps, tracked)
  local slopes = {tide.grad(y, tracked, {create_graph = true, allow_unused = true})}
  local total = 0 * tracked[1]:sum()
  for k = 1, #tracked do
    if slopes[k] then total = total + random_gradients.weighted_sum(slopes[k], k) end
  end
  return total
end

describe("gradients of random programs", function(device)
  local function total(seed, inputs) return random_gradients.run(seed, kSteps, inputs) end

  it("agree with finite differences", function()
    check_programs(1, kFused, device, total)
    tide.eager(function() check_programs(kFused + 1, kPrograms, device, total) end)
  end)
  it("have second derivatives", function()
    tide.eager(function() check_programs(1, kTwice, device, weighted_gradients) end)
  end)
end)

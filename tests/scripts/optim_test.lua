-- Optimizers: single steps against their formulas, groups, state, errors.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, close, raises = test.equal, test.close, test.raises
local optim = tide.optim

--- A parameter of one element whose gradient is set by hand.
local function parameter(value, device)
  return tide.tensor({value}, {dtype = "float64", device = device, requires_grad = true})
end

local function steps(optimizer, x, grads)
  for _, grad in ipairs(grads) do
    x.grad = tide.tensor({grad}, {dtype = "float64", device = x.device})
    optimizer:step()
  end
  return x:item()
end

describe("optimizers", function(device)
  it("SGD walks down the gradient", function()
    local x = parameter(1.0, device)
    close(steps(optim.SGD({x}, {lr = 0.1}), x, {2.0}), 0.8)
  end)
  it("SGD with momentum, weight decay and nesterov", function()
    local x = parameter(1.0, device)
    local options = {lr = 0.1, momentum = 0.9, weight_decay = 0.5, nesterov = true}
    local got = steps(optim.SGD({x}, options), x, {2.0, -1.0})
    local value, buffer = 1.0, 0
    for i, grad in ipairs {2.0, -1.0} do
      grad = grad + 0.5 * value
      buffer = i == 1 and grad or 0.9 * buffer + grad
      value = value - 0.1 * (grad + 0.9 * buffer)
    end
    close(got, value, {rtol = 1e-12})
  end)
  it("Adam corrects for its start", function()
    local x = parameter(1.0, device)
    local got = steps(optim.Adam({x}, {lr = 0.1}), x, {2.0, -1.0})
    local value, mean, square = 1.0, 0, 0
    for i, grad in ipairs {2.0, -1.0} do
      mean, square = 0.9 * mean + 0.1 * grad, 0.999 * square + 0.001 * grad * grad
      local step = mean / (1 - 0.9 ^ i) / (math.sqrt(square / (1 - 0.999 ^ i)) + 1e-8)
      value = value - 0.1 * step
    end
    close(got, value, {rtol = 1e-12})
  end)
  it("AdamW shrinks apart from the gradient", function()
    local x = parameter(1.0, device)
    close(steps(optim.AdamW({x}, {lr = 0.1, weight_decay = 0.5}), x, {2.0}), 0.95 - 0.1,
      {rtol = 1e-7})
  end)
  it("skip parameters without a gradient", function()
    local x, y = parameter(1.0, device), parameter(5.0, device)
    local optimizer = optim.SGD({x, y}, {lr = 1.0})
    x.grad = tide.ones_like(x)
    optimizer:step()
    equal({x:item(), y:item()}, {0.0, 5.0})
    optimizer:zero_grad()
    equal(x.grad, nil)
  end)
  it("take groups with options of their own", function()
    local x, y = parameter(1.0, device), parameter(1.0, device)
    local optimizer = optim.SGD({{params = {x}}, {params = {y}, lr = 0.5}}, {lr = 0.1})
    x.grad, y.grad = tide.ones_like(x), tide.ones_like(y)
    optimizer:step()
    close({x:item(), y:item()}, {0.9, 0.5})
    optimizer.param_groups[1].lr = 0.0
    optimizer:step()
    close({x:item(), y:item()}, {0.9, 0.0})
  end)
  it("go on from a saved state", function()
    local function run(split)
      local x = parameter(1.0, device)
      local options = {lr = 0.1, momentum = 0.9}
      local optimizer = optim.SGD({x}, options)
      if not split then return steps(optimizer, x, {1.0, 2.0, 3.0}) end
      steps(optimizer, x, {1.0, 2.0})
      local again = optim.SGD({x}, options)
      again:load_state_dict(optimizer:state_dict())
      return steps(again, x, {3.0})
    end
    equal(run(true), run(false))
  end)
  it("lower a loss", function()
    tide.manual_seed(2)
    local net = tide.nn.Sequential(tide.nn.Linear(3, 8), tide.nn.Tanh(), tide.nn.Linear(8,
      1)):to(device)
    local x = tide.randn(32, 3, {device = device})
    local y = x:sum(2, true):sin()
    local optimizer = optim.Adam(net:parameters(), {lr = 0.02})
    local first, last
    for _ = 1, 150 do
      optimizer:zero_grad()
      local loss = tide.nn.functional.mse_loss(net(x), y)
      loss:backward()
      optimizer:step()
      first, last = first or loss, loss
    end
    test.is_true(last:item() < 0.1 * first:item())
  end)
end)

describe("optimizers", function()
  it("name known options and wrong parameters", function()
    local x = parameter(1.0, "cpu")
    raises("known are", function() return optim.SGD({x}, {learning_rate = 1}) end)
    raises("net:parameters()", function() return optim.SGD(x) end)
    raises("parameter 1 is no tensor", function() return optim.Adam({1, 2}) end)
    raises("nesterov needs momentum", function() return optim.SGD({x}, {nesterov = true}) end)
  end)
end)

-- Plans for the learning rate: the rates of each against their closed forms.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local close, equal, raises = test.close, test.equal, test.raises
local optim, plans = tide.optim, tide.optim.lr_scheduler
local cos, pi, min, max = math.cos, math.pi, math.min, math.max

local function new_optimizer(options)
  return optim.SGD({tide.zeros({1}, {requires_grad = true})}, options or {lr = 0.5})
end

--- The rates in force during so many steps.
local function rates(optimizer, scheduler, count)
  local list = {}
  for i = 1, count do
    list[i] = optimizer.param_groups[1].lr
    scheduler:step()
  end
  return list
end

--- fn(0), fn(1), ...
local function sequence(count, fn)
  local list = {}
  for i = 1, count do list[i] = fn(i - 1) end
  return list
end

--- Tests that a plan follows a formula of the number of steps done.
local function follows(name, arguments, formula)
  it(name .. " follows its formula", function()
    local optimizer = new_optimizer()
    local scheduler = plans[name](optimizer, table.unpack(arguments))
    close(rates(optimizer, scheduler, 12), sequence(12, formula), {rtol = 1e-12})
  end)
end

describe("plans for the learning rate", function()
  follows("StepLR", {3, {gamma = 0.5}}, function(t) return 0.5 * 0.5 ^ (t // 3) end)
  follows("MultiStepLR", {{2, 5, 5}, 0.1}, function(t)
    return 0.5 * (t < 2 and 1 or t < 5 and 0.1 or 0.001)
  end)
  follows("ExponentialLR", {0.9}, function(t) return 0.5 * 0.9 ^ t end)
  follows("ConstantLR", {{factor = 0.25, total_iters = 4}}, function(t)
    return t < 4 and 0.125 or 0.5
  end)
  follows("LinearLR", {{start_factor = 0.2, total_iters = 4}}, function(t)
    return 0.5 * (0.2 + 0.8 * min(t / 4, 1))
  end)
  follows("PolynomialLR", {{total_iters = 5, power = 2}}, function(t)
    return 0.5 * max(1 - t / 5, 0) ^ 2
  end)
  follows("CosineAnnealingLR", {4, {eta_min = 0.1}}, function(t)
    return 0.1 + 0.4 * (1 + cos(pi * t / 4)) / 2
  end)
  follows("CosineAnnealingWarmRestarts", {2, {T_mult = 2, eta_min = 0.1}}, function(t)
    local since, length = t, 2
    while since >= length do since, length = since - length, 2 * length end
    return 0.1 + 0.4 * (1 + cos(pi * since / length)) / 2
  end)
  follows("LambdaLR", {function(t) return 1 / (1 + t) end}, function(t) return 0.5 / (1 + t) end)
  follows("MultiplicativeLR", {function() return 0.8 end}, function(t) return 0.5 * 0.8 ^ t end)

  it("OneCycleLR rises and falls, the momentum against it", function()
    local optimizer = new_optimizer({lr = 1, momentum = 0.5})
    local scheduler = plans.OneCycleLR(optimizer, 1.0,
      {total_steps = 10, pct_start = 0.3, anneal_strategy = "linear", div_factor = 10,
        final_div_factor = 100})
    local lrs, momenta = {}, {}
    for i = 1, 10 do
      lrs[i], momenta[i] = optimizer.param_groups[1].lr, optimizer.param_groups[1].momentum
      if i < 10 then scheduler:step() end
    end
    -- Up in the first two steps (0.3 * 10 - 1), down in the other seven.
    close(lrs, sequence(10, function(t)
      return t <= 2 and 0.1 + 0.9 * t / 2 or 1 + (0.001 - 1) * (t - 2) / 7
    end), {rtol = 1e-12})
    close(momenta, sequence(10, function(t)
      return t <= 2 and 0.95 - 0.1 * t / 2 or 0.85 + 0.1 * (t - 2) / 7
    end), {rtol = 1e-12})
    scheduler:step()
    raises("the plan is over", scheduler.step, scheduler)
    raises("has no momentum to move", plans.OneCycleLR,
      optim.Adagrad({tide.zeros({1}, {requires_grad = true})}), 1.0, {total_steps = 5})
  end)
  it("CyclicLR goes up and down in triangles", function()
    local optimizer = new_optimizer({lr = 1, momentum = 0.5})
    local scheduler = plans.CyclicLR(optimizer, 0.1, 0.5,
      {step_size_up = 2, mode = "triangular2", cycle_momentum = false})
    close(rates(optimizer, scheduler, 9), {0.1, 0.3, 0.5, 0.3, 0.1, 0.2, 0.3, 0.2, 0.1},
      {rtol = 1e-12})
    equal(optimizer.param_groups[1].momentum, 0.5)
  end)
  it("SequentialLR starts each plan from the first rate", function()
    local optimizer = new_optimizer()
    local warm = plans.ConstantLR(optimizer, {factor = 0.1, total_iters = 2})
    local decay = plans.ExponentialLR(optimizer, 0.9)
    local scheduler = plans.SequentialLR(optimizer, {warm, decay}, {2})
    close(rates(optimizer, scheduler, 5), {0.05, 0.05, 0.5, 0.45, 0.405}, {rtol = 1e-12})
  end)
  it("ChainedScheduler multiplies what plans do", function()
    local optimizer = new_optimizer()
    local scheduler = plans.ChainedScheduler({
      plans.ConstantLR(optimizer, {factor = 0.1, total_iters = 2}),
      plans.ExponentialLR(optimizer, 0.9),
    })
    close(rates(optimizer, scheduler, 4), {0.05, 0.045, 0.405, 0.3645}, {rtol = 1e-12})
  end)
  it("ReduceLROnPlateau waits, reduces and cools down", function()
    local optimizer = new_optimizer({lr = 1.0})
    local scheduler = plans.ReduceLROnPlateau(optimizer,
      {factor = 0.5, patience = 1, cooldown = 1, min_lr = 0.3})
    local seen = {}
    for i, figure in ipairs {3, 2, 2, 2, 2, 2, 2, 2, 2} do
      scheduler:step(i == 3 and tide.tensor(2.0) or figure)
      seen[i] = optimizer.param_groups[1].lr
    end
    equal(seen, {1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.3, 0.3, 0.3})
  end)
  it("go on from a saved state", function()
    local optimizer = new_optimizer()
    local scheduler = plans.StepLR(optimizer, 2, 0.1)
    scheduler:step()
    local state, saved = scheduler:state_dict(), optimizer:state_dict()
    local again = new_optimizer()
    local other = plans.StepLR(again, 2, 0.1)
    again:load_state_dict(saved)
    other:load_state_dict(state)
    scheduler:step()
    other:step()
    equal(other:get_last_lr(), scheduler:get_last_lr())
    close(again.param_groups[1].lr, 0.05)
  end)
  it("refuse what is no optimizer", function()
    raises("expected an optimizer, got number", plans.StepLR, 1, 2)
  end)
end)

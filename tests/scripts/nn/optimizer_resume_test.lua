-- Training that is resumed from saved states: the rates and momenta of all remaining steps are those of a run that was
-- not interrupted, in whatever order the optimizer, its scheduler and their states are created and loaded.
local tide = require "tide"
local test = require "tide.test"
local describe, it, equal = test.describe, test.it, test.same_type
local optim, plans = tide.optim, tide.optim.lr_scheduler

local function new_optimizer()
  return optim.SGD({tide.ones(1, {requires_grad = true})}, {lr = 0.1, momentum = 0.9})
end

local function of(name, ...)
  local arguments = {...}
  return function(optimizer) return plans[name](optimizer, table.unpack(arguments)) end
end

local warm_up, decay = of("LinearLR", {total_iters = 3}), of("ExponentialLR", 0.9)
local cycles = of("CyclicLR", 0.01, 0.1, {step_size_up = 3})
local function chain(optimizer) return plans.ChainedScheduler {warm_up(optimizer), decay(optimizer)} end
local function sequence(first, second)
  return function(optimizer) return plans.SequentialLR(optimizer, {first(optimizer), second(optimizer)}, {4}) end
end

local makers = {
  StepLR = of("StepLR", 3), MultiStepLR = of("MultiStepLR", {2, 5}), ConstantLR = of("ConstantLR", {total_iters = 6}),
  LinearLR = of("LinearLR", {total_iters = 8}), ExponentialLR = decay, PolynomialLR = of("PolynomialLR", 10),
  CosineAnnealingLR = of("CosineAnnealingLR", 7), LambdaLR = of("LambdaLR", function(step) return 1 / (step + 1) end),
  MultiplicativeLR = of("MultiplicativeLR", function() return 0.95 end), CyclicLR = cycles,
  OneCycleLR = of("OneCycleLR", 0.1, {total_steps = 14}),
  CosineAnnealingWarmRestarts = of("CosineAnnealingWarmRestarts", 3, 2), ChainedScheduler = chain,
  ["ChainedScheduler, the last made first"] = function(optimizer)
    local last = decay(optimizer)
    return plans.ChainedScheduler {warm_up(optimizer), last}
  end,
  SequentialLR = sequence(warm_up, decay), ["SequentialLR of a chain"] = sequence(chain, cycles),
  ["SequentialLR that ends with a chain"] = sequence(cycles, chain),
  ["SequentialLR of another"] = sequence(sequence(warm_up, decay), decay),
}

--- Records rate and momentum of this number of steps.
local function go_on(optimizer, plan, steps, noted)
  for _ = 1, steps do
    local group = optimizer.param_groups[1]
    noted[#noted + 1] = ("%.12g %.12g"):format(group.lr, group.momentum)
    plan:step()
  end
end

local orders = {
  ["the optimizer's state before the plan is made"] = function(make, states)
    local optimizer = new_optimizer()
    optimizer:load_state_dict(states.optimizer)
    local plan = make(optimizer)
    plan:load_state_dict(states.plan)
    return optimizer, plan
  end,
  ["the optimizer's state before the plan's"] = function(make, states)
    local optimizer = new_optimizer()
    local plan = make(optimizer)
    optimizer:load_state_dict(states.optimizer)
    plan:load_state_dict(states.plan)
    return optimizer, plan
  end,
  ["the plan's state before the optimizer's"] = function(make, states)
    local optimizer = new_optimizer()
    local plan = make(optimizer)
    plan:load_state_dict(states.plan)
    optimizer:load_state_dict(states.optimizer)
    return optimizer, plan
  end,
}

describe("a resumed scheduler", function()
  for name, make in pairs(makers) do
    it(name, function()
      local through = {}
      local optimizer = new_optimizer()
      go_on(optimizer, make(optimizer), 12, through)
      for order, load in pairs(orders) do
        for stop = 0, 7 do
          local noted, first = {}, new_optimizer()
          local plan = make(first)
          go_on(first, plan, stop, noted)
          local second, resumed = load(make, {optimizer = first:state_dict(), plan = plan:state_dict()})
          go_on(second, resumed, 12 - stop, noted)
          if table.concat(noted, ", ") ~= table.concat(through, ", ") then
            equal(noted, through, ("%s, after %d steps"):format(order, stop))
          end
        end
      end
    end)
  end
end)

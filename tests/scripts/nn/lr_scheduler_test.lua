-- Learning rate schedulers: the rates compared with closed forms.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local close, equal, raises = test.close, test.same_type, test.raises
local optim, plans = tide.optim, tide.optim.lr_scheduler
local cos, pi, min, max = math.cos, math.pi, math.min, math.max

local function new_optimizer(options)
  return optim.SGD({tide.zeros({1}, {requires_grad = true})}, options or {lr = 0.5})
end

--- The learning rates of this number of steps.
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

--- Tests that a scheduler follows a formula of the number of steps.
local function follows(name, arguments, formula)
  it(name .. " follows its formula", function()
    local optimizer = new_optimizer()
    local scheduler = plans[name](optimizer, table.unpack(arguments))
    close(rates(optimizer, scheduler, 12), sequence(12, formula), {rtol = 1e-12})
  end)
end

describe("learning rate schedulers", function()
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

  it("OneCycleLR rises and falls, with the momentum in the opposite direction", function()
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
    raises("exceeds total_steps", scheduler.step, scheduler)
    raises("the optimizer has no momentum", plans.OneCycleLR,
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
  -- Rates and momenta of torch.optim.lr_scheduler, from a rate of 1 and a momentum of 0.5.
  local cycles = {
    {"OneCycleLR in three phases, linear", "OneCycleLR", {1.0, {total_steps = 12, pct_start = 0.3,
      three_phase = true, anneal_strategy = "linear", div_factor = 10, final_div_factor = 100,
      base_momentum = 0.6, max_momentum = 0.9}},
      {0.1, 0.4461538461538, 0.7923076923077, 0.8615384615385, 0.5153846153846, 0.1692307692308,
        0.08634482758621, 0.06927586206897, 0.05220689655172, 0.03513793103448, 0.01806896551724,
        0.001},
      {0.9, 0.7846153846154, 0.6692307692308, 0.6461538461538, 0.7615384615385, 0.8769230769231,
        0.9, 0.9, 0.9, 0.9, 0.9, 0.9}},
    {"OneCycleLR in three phases, cosines", "OneCycleLR", {1.0, {total_steps = 12, pct_start = 0.3,
      three_phase = true, div_factor = 10, final_div_factor = 100, base_momentum = 0.6,
      max_momentum = 0.9}},
      {0.1, 0.3904278008309, 0.886829836677, 0.9484552115439, 0.4957584938851, 0.1130761821583,
        0.09542498327371, 0.07827875973544, 0.05317987597498, 0.02731378218536, 0.008085569779704,
        0.001},
      {0.9, 0.8031907330564, 0.6377233877743, 0.617181596152, 0.7680805020383, 0.8956412726139,
        0.9, 0.9, 0.9, 0.9, 0.9, 0.9}},
    {"OneCycleLR of epochs, with its defaults", "OneCycleLR",
      {0.5, {epochs = 3, steps_per_epoch = 2}},
      {0.02, 0.4972077177255, 0.4058728269749, 0.2313185513335, 0.06673876509442, 2e-06},
      {0.95, 0.8505584586887, 0.8688255099071, 0.9037365046793, 0.9366525935915, 0.95}},
    {"CyclicLR down more slowly than up", "CyclicLR", {0.1, 0.7, {step_size_up = 2,
      step_size_down = 4, base_momentum = 0.6, max_momentum = 0.9}},
      {0.1, 0.4, 0.7, 0.55, 0.4, 0.25, 0.1, 0.4, 0.7, 0.55, 0.4, 0.25, 0.1, 0.4},
      {0.9, 0.75, 0.6, 0.675, 0.75, 0.825, 0.9, 0.75, 0.6, 0.675, 0.75, 0.825, 0.9, 0.75}},
    {"CyclicLR shrinking with each step", "CyclicLR", {0.1, 0.7, {step_size_up = 2,
      step_size_down = 1, mode = "exp_range", gamma = 0.9}},
      {0.1, 0.37, 0.586, 0.1, 0.29683, 0.454294, 0.1, 0.24348907},
      {0.9, 0.855, 0.819, 0.9, 0.867195, 0.840951, 0.9, 0.876085155}},
    {"CyclicLR by a function of cycles", "CyclicLR", {0.1, 0.7, {step_size_up = 2,
      scale_fn = function(cycle) return 1 / cycle end}},
      {0.1, 0.4, 0.7, 0.4, 0.1, 0.25, 0.4, 0.25, 0.1, 0.2},
      {0.9, 0.85, 0.8, 0.85, 0.9, 0.875, 0.85, 0.875, 0.9, 0.8833333333333}},
    {"CyclicLR by a function of steps", "CyclicLR", {0.1, 0.7, {step_size_up = 2,
      scale_fn = function(step) return 1 / (1 + step) end, scale_mode = "iterations"}},
      {0.1, 0.25, 0.3, 0.175, 0.1, 0.15, 0.1857142857143, 0.1375, 0.1, 0.13},
      {0.9, 0.875, 0.8666666666667, 0.8875, 0.9, 0.8916666666667, 0.8857142857143, 0.89375, 0.9,
        0.895}},
  }
  for _, case in ipairs(cycles) do
    local words, name, arguments, lrs, momenta = table.unpack(case)
    it(words, function()
      local optimizer = new_optimizer({lr = 1, momentum = 0.5})
      local scheduler = plans[name](optimizer, table.unpack(arguments))
      local group = optimizer.param_groups[1]
      for i = 1, #lrs do
        close({group.lr, group.momentum}, {lrs[i], momenta[i]}, {rtol = 1e-12, atol = 1e-13})
        if i < #lrs then scheduler:step() end
      end
    end)
  end
  it("SequentialLR starts each scheduler from the initial rate", function()
    local optimizer = new_optimizer()
    local scheduler = plans.SequentialLR(optimizer, {
      plans.ConstantLR(optimizer, {factor = 0.1, total_iters = 2}),
      plans.ExponentialLR(optimizer, 0.9),
      plans.LinearLR(optimizer, {start_factor = 0.2, end_factor = 0.8, total_iters = 3}),
    }, {2, 5})
    close(rates(optimizer, scheduler, 11),
      {0.05, 0.05, 0.5, 0.45, 0.405, 0.1, 0.2, 0.3, 0.4, 0.4, 0.4}, {rtol = 1e-12})
  end)
  -- The effect of each pair of schedulers on a rate of 0.5, in torch.optim.lr_scheduler.ChainedScheduler.
  local chains = {
    {{"ConstantLR", {factor = 0.1, total_iters = 2}}, {"ExponentialLR", 0.9},
      {0.05, 0.045, 0.405, 0.3645}},
    {{"ExponentialLR", 0.9}, {"LinearLR", 0.2, 0.8, 4},
      {0.1, 0.1575, 0.2025, 0.236925, 0.26244, 0.236196, 0.2125764, 0.19131876}},
    {{"LinearLR", 0.2, 0.8, 4}, {"ExponentialLR", 0.9},
      {0.1, 0.1575, 0.2025, 0.236925, 0.26244, 0.236196, 0.2125764, 0.19131876}},
    {{"ExponentialLR", 0.9}, {"PolynomialLR", 5, 2},
      {0.5, 0.288, 0.1458, 0.05832, 0.013122, 0, 0, 0}},
    {{"StepLR", 3, 0.5}, {"MultiplicativeLR", function() return 0.9 end},
      {0.5, 0.45, 0.405, 0.18225, 0.164025, 0.1476225, 0.066430125, 0.0597871125}},
    {{"MultiStepLR", {1, 3}, 0.5}, {"CosineAnnealingLR", 4, 0.1},
      {0.5, 0.228033008589, 0.175, 0.09633883476483, 0.1, 0.1585786437627, 0.3, 0.4414213562373}},
  }
  for _, case in ipairs(chains) do
    local first, second, expected = table.unpack(case)
    it(("ChainedScheduler multiplies the factors of %s and %s"):format(first[1], second[1]), function()
      local optimizer = new_optimizer()
      local scheduler = plans.ChainedScheduler {
        plans[first[1]](optimizer, table.unpack(first, 2)),
        plans[second[1]](optimizer, table.unpack(second, 2)),
      }
      close(rates(optimizer, scheduler, #expected), expected, {rtol = 1e-12, atol = 1e-13})
    end)
  end
  it("LinearLR rejects a start factor of zero", function()
    raises("LinearLR: start_factor must be above 0 and at most 1, got 0", plans.LinearLR,
      new_optimizer(), {start_factor = 0})
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
  -- {plan, arguments without a default, rates}: torch.optim.lr_scheduler's, from 0.5.
  local sixth = 0.1666666666667
  local by_default = {
    {"StepLR", {3}, {0.5, 0.5, 0.5, 0.05, 0.05, 0.05, 0.005, 0.005}},
    {"MultiStepLR", {{2, 5}}, {0.5, 0.5, 0.05, 0.05, 0.05, 0.005, 0.005, 0.005}},
    {"ConstantLR", {}, {sixth, sixth, sixth, sixth, sixth, 0.5, 0.5, 0.5}},
    {"LinearLR", {}, {sixth, 0.2333333333333, 0.3, 0.3666666666667, 0.4333333333333, 0.5, 0.5, 0.5}},
    {"PolynomialLR", {}, {0.5, 0.4, 0.3, 0.2, 0.1, 0, 0, 0}},
    {"CosineAnnealingLR", {3}, {0.5, 0.375, 0.125, 0, 0.125, 0.375, 0.5, 0.375, 0.125, 0, 0.125}},
    {"CosineAnnealingWarmRestarts", {3}, {0.5, 0.375, 0.125, 0.5, 0.375, 0.125, 0.5, 0.375}},
    {"CyclicLR", {0.1, 0.5}, {0.1, 0.1002, 0.1004, 0.1006, 0.1008, 0.101, 0.1012, 0.1014}},
  }
  for _, case in ipairs(by_default) do
    local name, arguments, expected = table.unpack(case)
    it(name .. " has PyTorch's defaults", function()
      local optimizer = new_optimizer {lr = 0.5, momentum = 0.9}
      local scheduler = plans[name](optimizer, table.unpack(arguments))
      close(rates(optimizer, scheduler, #expected), expected, {rtol = 1e-11, atol = 1e-13})
    end)
  end
  it("CosineAnnealingLR oscillates between its limits", function()
    local optimizer = new_optimizer()
    local scheduler = plans.CosineAnnealingLR(optimizer, 3, {eta_min = 0.1})
    close(rates(optimizer, scheduler, 14), {0.5, 0.4, 0.2, 0.1, 0.2, 0.4, 0.5, 0.4, 0.2, 0.1, 0.2,
      0.4, 0.5, 0.4}, {rtol = 1e-11})
  end)
  it("ReduceLROnPlateau has PyTorch's defaults", function()
    local scheduler = plans.ReduceLROnPlateau(new_optimizer())
    local state = scheduler:state_dict()
    for name, value in pairs {mode = "min", factor = 0.1, patience = 10, threshold = 1e-4,
      threshold_mode = "rel", cooldown = 0, min_lr = 0, eps = 1e-8} do
      equal(state[name], value)
    end
  end)
  it("CosineAnnealingWarmRestarts accepts any position as the step", function()
    local optimizer = new_optimizer()
    local scheduler = plans.CosineAnnealingWarmRestarts(optimizer, 2, {T_mult = 2, eta_min = 0.1})
    local group = optimizer.param_groups[1]
    -- torch.optim.lr_scheduler's for integer and half epochs.
    for _, step in ipairs {{0.5, 0.4414213562373}, {1.5, 0.1585786437627}, {2.5, 0.4847759065023},
      {5, 0.1585786437627}, {6.5, 0.4961570560806}, {0, 0.5}, {nil, 0.3}, {nil, 0.5}} do
      scheduler:step(step[1])
      close(group.lr, step[2], {rtol = 1e-11})
    end
  end)
  it("ReduceLROnPlateau cools down for the given number of steps, then waits again", function()
    local optimizer = new_optimizer({lr = 1.0})
    local scheduler = plans.ReduceLROnPlateau(optimizer, {factor = 0.5, patience = 2, cooldown = 2})
    local seen = {}
    for i = 1, 14 do
      scheduler:step(1.0)
      seen[i] = optimizer.param_groups[1].lr
    end
    equal(seen, {1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.25, 0.25, 0.125})
  end)
  -- A metric is better only beyond the margin, not at it:
  -- {mode, threshold_mode, best metric so far, margin} for a threshold of 1/4.
  local margins = {
    {"min", "rel", 2.0, 1.5}, {"min", "rel", -2.0, -1.5}, {"min", "abs", 2.0, 1.75},
    {"min", "abs", -2.0, -2.25}, {"max", "rel", 2.0, 2.5}, {"max", "rel", -2.0, -2.5},
    {"max", "abs", 2.0, 2.25}, {"max", "abs", -2.0, -1.75},
  }
  for _, case in ipairs(margins) do
    local mode, threshold_mode, best, margin = table.unpack(case)
    it(("ReduceLROnPlateau's margin is %s for %s, %s, from %s"):format(margin, mode, threshold_mode,
      best), function()
      local better = mode == "min" and -1 or 1
      for distance, lr in pairs {[-better] = 0.5, [0] = 0.5, [better] = 1.0} do
        local optimizer = new_optimizer({lr = 1.0})
        local scheduler = plans.ReduceLROnPlateau(optimizer, {mode = mode, factor = 0.5,
          patience = 0, threshold = 0.25, threshold_mode = threshold_mode})
        scheduler:step(best)
        equal(optimizer.param_groups[1].lr, 1.0)
        scheduler:step(margin + distance / 1024)
        equal(optimizer.param_groups[1].lr, lr)
      end
    end)
  end
  it("ReduceLROnPlateau skips changes of at most eps", function()
    for eps, lr in pairs {[0.5] = 1.0, [0.499] = 0.5} do
      local optimizer = new_optimizer({lr = 1.0})
      local scheduler = plans.ReduceLROnPlateau(optimizer, {factor = 0.5, patience = 0, eps = eps})
      scheduler:step(1.0)
      scheduler:step(1.0)
      equal(optimizer.param_groups[1].lr, lr)
    end
  end)
  it("continue from a saved state", function()
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
  it("reject values that are not an optimizer", function()
    raises("argument 1 (optimizer): expected optimizer, got number", plans.StepLR, 1, 2)
  end)
  it("schedule a group that is added later, from its own rate", function()
    local optimizer = new_optimizer {lr = 0.5, momentum = 0.9}
    local made = {
      plans.StepLR(optimizer, 2), plans.CosineAnnealingLR(optimizer, 4), plans.CyclicLR(optimizer, 0.1, 0.3),
      plans.OneCycleLR(optimizer, 0.25, {total_steps = 8}),
    }
    optimizer:add_param_group {params = {tide.zeros({1}, {requires_grad = true})}, lr = 1.0}
    local group = optimizer.param_groups[2]
    made[1]:step()
    equal(group.lr, 1.0)
    made[1]:step()
    close(group.lr, 0.1)
    equal(group.initial_lr, 1.0)
    for i = 2, 4 do made[i]:step() end
    equal(#made[4]:get_last_lr(), 2)
    close(group.lr, optimizer.param_groups[1].lr)
    raises("CyclicLR: base_lr has 1 values, but the optimizer has 2 groups", plans.CyclicLR, optimizer, {0.1}, 0.3)
    local plateau = plans.ReduceLROnPlateau(optimizer, {min_lr = {0.1}, patience = 0})
    plateau:step(1)
    raises("ReduceLROnPlateau: min_lr has 1 values, but the optimizer has 2 groups", plateau.step, plateau, 1)
  end)
  it("can be chained in a sequence, whose next scheduler starts from the initial rate", function()
    local optimizer, rates = new_optimizer {lr = 0.1}, {}
    local chain = plans.ChainedScheduler {plans.ConstantLR(optimizer), plans.ExponentialLR(optimizer, 0.5)}
    local sequence = plans.SequentialLR(optimizer, {chain, plans.ExponentialLR(optimizer, 0.9)}, {3})
    for i = 1, 5 do
      rates[i] = sequence:get_last_lr()[1]
      sequence:step()
    end
    close(tide.tensor(rates), {0.1 / 3, 0.1 / 6, 0.1 / 12, 0.1, 0.09}) -- a third, halved at each step
  end)
  it("reject invalid lengths", function()
    local optimizer = new_optimizer {lr = 0.5, momentum = 0.9}
    raises("StepLR: step_size must be positive, got 0", plans.StepLR, optimizer, 0)
    raises("CosineAnnealingLR: T_max must be positive, got -1", plans.CosineAnnealingLR, optimizer, -1)
    raises("CosineAnnealingWarmRestarts: T_0 must be positive, got 0", plans.CosineAnnealingWarmRestarts, optimizer, 0)
    raises("CyclicLR: step_size_up must be positive", plans.CyclicLR, optimizer, 0.1, 0.2, {step_size_up = 0})
    raises("OneCycleLR: total_steps must be positive, got 0", plans.OneCycleLR, optimizer, 0.1, {total_steps = 0})
  end)
  it("cannot be combined with one that needs a metric", function()
    local optimizer = new_optimizer()
    local step, plateau = plans.StepLR(optimizer, 2), plans.ReduceLROnPlateau(optimizer)
    raises("ChainedScheduler: scheduler 2 is a ReduceLROnPlateau, whose step requires a metric", plans.ChainedScheduler,
      {step, plateau})
    raises("SequentialLR: scheduler 1 is a ReduceLROnPlateau, whose step requires a metric", plans.SequentialLR, optimizer,
      {plateau, step}, {2})
  end)
end)

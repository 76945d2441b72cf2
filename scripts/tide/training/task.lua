-- The task that the loops run: a module with its own steps, or a network with a loss.
--
-- A task: module (the network, whose parameters are trained and saved); owner (of the hooks);
-- has (a set of "training", "validation", "test", "predict"); step(stage, batch, index), which
-- returns the result of the module's method; configure().
local class = require "tide.internal.class"
local hooks = require "tide.training.hooks"
local Metric = require "tide.training.metrics.metric"
local NetworkModule = require "tide.nn.module"
local protocol = require "tide.data.protocol"
local raise = require "tide.internal.raise"
local tide = require "tide"

local task = {}

local kStages <const> = {
  training = "training_step", validation = "validation_step", test = "test_step",
  predict = "predict_step",
}

-- Modules with steps ------------------------------------------------------------------------------

--- The default predict_step: forward.
local function forward(module, batch)
  if protocol.is_list(batch) then return module(batch[1]) end
  return module(batch)
end

local function of_module(module)
  local steps = {}
  for stage, name in pairs(kStages) do steps[stage] = hooks.method(module, name) end
  steps.predict = steps.predict or forward
  return {
    module = module, owner = module, has = steps,
    step = function(stage, batch, index) return steps[stage](module, batch, index) end,
    configure = function(caller)
      local configure = hooks.method(module, "configure_optimizers")
      if not configure then
        raise("%s: %s has no configure_optimizers: define it to return the optimizer", caller,
          getmetatable(module).name)
      end
      return configure(module)
    end,
  }
end

-- Networks with a loss ----------------------------------------------------------------------------

local function is_callable(value)
  local meta = debug.getmetatable(value)
  return type(value) == "function" or type(meta) == "table" and meta.__call ~= nil
end

local function check_supervised(caller, given)
  if not is_callable(given.loss) then
    raise("%s: loss: expected a function such as tide.nn.functional.cross_entropy, got %s", caller,
      protocol.kind_of(given.loss))
  end
  for name, metric in pairs(given.metrics or {}) do
    if type(name) ~= "string" or not class.is_a(metric, Metric) and not is_callable(metric) then
      raise("%s: metrics: expected {accuracy = tide.metrics.Accuracy()}, got %s under %s", caller,
        protocol.kind_of(metric), tostring(name))
    end
  end
end

--- A copy of the metric without state.
local function fresh(metric)
  if not class.is_a(metric, Metric) then return metric end
  local copy = {}
  for key, value in next, metric do copy[key] = value end
  copy.state = nil
  return setmetatable(copy, getmetatable(metric))
end

--- The prefix of metric names by stage.
local kPrefixes <const> = {training = "", validation = "val_", test = "test_"}

--- A task that trains `net` with loss(net(inputs...), target); a batch is a list of inputs and, last,
--- the target. `log` is the trainer's.
local function supervised(caller, net, given, log)
  check_supervised(caller, given)
  local metrics = {}
  for stage in pairs(kPrefixes) do
    metrics[stage] = {}
    for name, metric in pairs(given.metrics or {}) do metrics[stage][name] = fresh(metric) end
  end
  local shown = {prog_bar = true, on_step = false, on_epoch = true}
  local function measure(stage, outputs, target)
    for name, metric in pairs(metrics[stage]) do
      local value = metric
      if class.is_a(metric, Metric) then
        metric:update(outputs, target)
      else
        value = metric(outputs, target)
      end
      log(kPrefixes[stage] .. name, value, shown)
    end
  end
  local function step(stage, batch)
    if stage == "predict" then return forward(net, batch) end
    local count = protocol.is_list(batch) and #batch or 1
    if count < 2 then
      raise("%s: a batch has %d value, expected inputs and a target: `for x, y in loader`", caller,
        count)
    end
    local outputs, target = net(table.unpack(batch, 1, count - 1)), batch[count]
    local loss = given.loss(outputs, target)
    if next(metrics[stage]) then measure(stage, outputs:detach(), target) end
    return loss
  end
  return {
    module = net, owner = net, step = step, metrics = metrics,
    has = {training = true, validation = true, test = true, predict = true},
    configure = function()
      local optimizer = given.optimizer
      if optimizer == nil then
        raise("%s: optimizer is missing: for example optimizer = tide.optim.Adam(net:parameters())",
          caller)
      end
      -- A class, or a function of the parameters.
      local made = type(optimizer) == "table" and rawget(optimizer, "param_groups")
      if not made and is_callable(optimizer) then optimizer = optimizer(net:parameters()) end
      return optimizer, given.scheduler
    end,
  }
end

--- The task of a model: a network with a loss if `given` has one, else a module with steps.
function task.of(caller, model, given, log)
  if not class.is_a(model, NetworkModule) then
    raise("%s: model: expected a module, got %s", caller, protocol.kind_of(model))
  end
  if given.loss ~= nil then return supervised(caller, model, given, log) end
  local made = of_module(model)
  if caller == "fit" and not made.has.training then
    raise("fit: %s has no training_step and no loss is given: pass " ..
      "{loss = tide.nn.functional.cross_entropy, optimizer = ...}, or derive it from " ..
      "tide.training.Module", getmetatable(model).name)
  end
  return made
end

--- The loss, a one-element tensor, and all outputs of a step.
function task.loss_of(name, result)
  local loss = result
  if type(result) == "table" and not getmetatable(result) then loss = result.loss end
  if not tide.is_tensor(loss) then
    raise("%s: must return the loss, a tensor, or a table with field loss, got %s", name,
      loss == nil and result ~= nil and "a table without loss" or protocol.kind_of(loss))
  end
  if loss:numel() ~= 1 then
    raise("%s: the loss must be a single value, got shape (%s): use its mean or sum", name,
      table.concat(loss.shape, ", "))
  end
  return loss, result
end

return task

-- optim.swa_utils: models whose parameters are averaged over training (Izmailov et al., 2018), and their learning
-- rate scheduler.
local checked = require "tide.internal.declare.checked"
local BatchNorm = require("tide.nn.norms").BatchNorm
local class = require "tide.internal.class"
local DataLoader = require "tide.data.data_loader"
local define = require "tide.internal.declare.define"
local kind_of = require "tide.internal.kind_of"
local reader = require "tide.internal.declare.reader"
local LRScheduler = require "tide.nn.optim.scheduler"
local Module = require "tide.nn.module"
local of_group = require "tide.nn.optim.internal.of_group"
local raise = require "tide.internal.raise"
local strict_table = require "tide.internal.strict_table"
local tide = require "tide"

local swa_utils = {}

-- Means -------------------------------------------------------------------------------------------

--- For AveragedModel: the arithmetic mean.
---@example
--- optim.swa_utils.get_swa_avg_fn()(4.0, 8.0, 1) --> 6.0
swa_utils.get_swa_avg_fn = checked("optim.swa_utils.get_swa_avg_fn", function()
  return function(mean, new, count) return mean + (new - mean) / (count + 1) end
end)

--- For AveragedModel: an exponential moving average.
---@param decay? number in [0, 1] = 0.999  weight of the old mean
---@formula mean = decay mean + (1 - decay) p
---@see optim.swa_utils.AveragedModel training.ExponentialMovingAverage
---@example
--- optim.swa_utils.get_ema_avg_fn(0.75)(4.0, 8.0) --> 5.0
swa_utils.get_ema_avg_fn = checked("optim.swa_utils.get_ema_avg_fn", function(decay)
  return function(mean, new) return mean * decay + new * (1 - decay) end
end)

--- For AveragedModel: the arithmetic mean, of lists of tensors.
---@example
--- local means = {tide.tensor(4.0)}
--- optim.swa_utils.get_swa_multi_avg_fn()(means, {tide.tensor(8.0)}, 1)
--- means[1] --> 6.0
swa_utils.get_swa_multi_avg_fn = checked("optim.swa_utils.get_swa_multi_avg_fn", function()
  return function(means, news, count)
    for i, mean in ipairs(means) do mean:copy_(mean + (news[i] - mean) / (count + 1)) end
  end
end)

--- For AveragedModel: an exponential moving average, of lists of tensors.
---@param decay? number in [0, 1] = 0.999  weight of the old mean
---@formula mean = decay mean + (1 - decay) p
---@see optim.swa_utils.AveragedModel training.ExponentialMovingAverage
---@example
--- local means = {tide.tensor(4.0)}
--- optim.swa_utils.get_ema_multi_avg_fn(0.75)(means, {tide.tensor(8.0)})
--- means[1] --> 5.0
swa_utils.get_ema_multi_avg_fn = checked("optim.swa_utils.get_ema_multi_avg_fn", function(decay)
  local average = swa_utils.get_ema_avg_fn(decay)
  return function(means, news)
    for i, mean in ipairs(means) do mean:copy_(average(mean, news[i])) end
  end
end)

--- A copy of a model with averaged parameters: averaged:update_parameters(model).
---@param model table  the model
---@use optim: device = nil
---@param avg_fn function = nil  returns the new mean from (mean, value, count); nil is the arithmetic mean
---@param multi_avg_fn function = nil  updates a list of means in place, from (means, values, count)
---@param use_buffers boolean = false  also average buffers
---@formula mean = mean + (p - mean) / (n + 1), or by avg_fn
---@see optim.swa_utils.SWALR optim.swa_utils.update_bn optim.swa_utils.get_ema_avg_fn
---@example
--- local net = nn.Linear(1, 1)
--- local mean = optim.swa_utils.AveragedModel(net)
--- mean:update_parameters(net)
--- mean.n_averaged --> 1
local AveragedModel, read_model = define("optim.swa_utils.AveragedModel", Module)

--- The copy is in field `module`. Without use_buffers, buffers are those of the latest model.
function AveragedModel:init(...)
  local given = read_model(...)
  if not class.is_a(given.model, Module) then
    raise("AveragedModel: model: expected a module, got %s", kind_of(given.model))
  end
  self.module = given.model:clone()
  if given.device then self.module:to(given.device) end
  self:register_buffer("n_averaged", tide.tensor(0))
  if given.avg_fn and given.multi_avg_fn then
    raise("AveragedModel: avg_fn and multi_avg_fn exclude each other")
  end
  local average = given.avg_fn or swa_utils.get_swa_avg_fn()
  self.average = given.multi_avg_fn or function(means, news, count)
    for i, mean in ipairs(means) do mean:copy_(average(mean, news[i], count)) end
  end
  self.use_buffers = given.use_buffers
end

function AveragedModel:forward(...) return self.module(...) end

--- Adds a model to the average; the first one is copied. Does not wait.
function AveragedModel:update_parameters(model)
  local _ <close> = tide.no_grad()
  local count = self.n_averaged
  local means, fresh = {}, {}
  local function update(own, news, averaged)
    for i, mean in ipairs(own) do
      local new = news[i]:to(mean.device)
      if averaged and mean:is_floating_point() then
        means[#means + 1], fresh[#fresh + 1] = mean, new
      else
        mean:copy_(new)
      end
    end
  end
  update(self.module:parameters(), model:parameters(), true)
  update(self.module:buffers(), model:buffers(), self.use_buffers)
  -- The first model is copied instead of averaged.
  local first, results = count:eq(0), {}
  for i, mean in ipairs(means) do results[i] = mean:clone() end
  self.average(results, fresh, count)
  for i, mean in ipairs(means) do
    mean:copy_(tide.where(first:to(mean.device), fresh[i], results[i]))
  end
  count:add_(1)
end

swa_utils.AveragedModel = AveragedModel

-- Batch norm --------------------------------------------------------------------------------------

--- Iterates over batches: a DataLoader, or a list of batches.
local function each_batch(loader)
  if class.is_a(loader, DataLoader) then return loader:iter() end
  if type(loader) ~= "table" then
    raise("update_bn: loader: expected a DataLoader or a list of batches, got %s", kind_of(loader))
  end
  local i = 0
  return function()
    i = i + 1
    return loader[i]
  end
end

--- Recomputes the running statistics of batch norms, as means over the batches.
---@param loader loader  batches; the first tensor of each is the input
---@param model module  the model
---@use optim: device = nil
---@see optim.swa_utils.AveragedModel optim.swa_utils.SWALR
---@example
--- local net = nn.BatchNorm1d(1)
--- optim.swa_utils.update_bn({tide.tensor{{1.0}, {3}}, tide.tensor{{3.0}, {5}}}, net)
--- net.running_mean --> {3.0}
local read_update = reader "optim.swa_utils.update_bn"

function swa_utils.update_bn(...)
  local given = read_update(...)
  local model, momenta = given.model, {}
  if not class.is_a(model, Module) then raise("update_bn: model: expected a module") end
  for _, module in ipairs(model:modules()) do
    if class.is_a(module, BatchNorm) and module.running_mean then
      module:reset_running_stats()
      momenta[module] = module.momentum
    end
  end
  if next(momenta) == nil then return end
  local modes = {}
  for _, module in ipairs(model:modules()) do modes[module] = module.training end
  local _ <close> = setmetatable({}, {__close = function()
    for module, momentum in pairs(momenta) do module.momentum = momentum end
    for module, training in pairs(modes) do module.training = training end
  end})
  local _ <close> = tide.no_grad()
  model:train()
  for module in pairs(momenta) do module.momentum = false end
  for batch in each_batch(given.loader) do
    local x = type(batch) == "table" and batch[1] or batch
    if not tide.is_tensor(x) then
      raise("update_bn: loader: expected batches whose first value is a tensor, got %s", kind_of(x))
    end
    model(given.device and x:to(given.device) or x)
  end
end

-- Learning rate scheduler -------------------------------------------------------------------------

--- Anneals the learning rate from the current one to swa_lr, where it stays.
---@use optim: optimizer
---@param swa_lr number >= 0 | number[] >= 0  final learning rate, of all groups or of each
---@param anneal_epochs integer >= 0 = 10  number of annealing steps
---@use optim: anneal_strategy = "cos", last_epoch = -1
---@see optim.swa_utils.AveragedModel optim.swa_utils.update_bn
---@example
--- local sgd = optim.SGD({nn.Parameter(tide.ones(1))}, {lr = 1})
--- local scheduler = optim.swa_utils.SWALR(sgd, 0.5, {anneal_epochs = 2})
--- sgd:step()
--- scheduler:step()
--- sgd.param_groups[1].lr --> 0.75
local SWALR, read_plan = define("optim.swa_utils.SWALR", LRScheduler)

local anneal = {
  cos = function(t) return (1 - math.cos(math.pi * t)) / 2 end,
  linear = function(t) return t end,
}

function SWALR:init(...)
  local given = read_plan(...)
  self.anneal_strategy, self.anneal_epochs, self.swa_lr = given.anneal_strategy, given.anneal_epochs, given.swa_lr
  LRScheduler.init(self, given.optimizer, given.last_epoch)
end

--- The fraction of the way from the initial rate to swa_lr after `step` steps.
function SWALR:share(step)
  local t = math.max(0, math.min(1, step / math.max(1, self.anneal_epochs)))
  return anneal[self.anneal_strategy](t)
end

function SWALR:rate(i, _, lr)
  local step = self.anneal_epochs == 0 and math.max(1, self.last_epoch) or self.last_epoch
  local before, now, goal = self:share(step - 1), self:share(step), of_group(self, "swa_lr", i)
  -- The initial rate, derived from the current one, which another scheduler may have changed.
  local start = before == 1 and goal or (lr - before * goal) / (1 - before)
  return goal * now + start * (1 - now)
end

swa_utils.SWALR = SWALR

--- Averaged models: see tide.optim.swa_utils.NAME.
---@type table
---@example
--- optim.swa_utils.AveragedModel ~= nil --> true
return strict_table("tide.optim.swa_utils", swa_utils)

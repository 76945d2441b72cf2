-- optim.swa_utils: models whose parameters are means over training (Izmailov et al., 2018), and the
-- plan for the learning rate that goes with them.
local arguments = require "tide.internal.arguments"
local BatchNorm = require("tide.nn.norms").BatchNorm
local class = require "tide.internal.class"
local DataLoader = require "tide.data.data_loader"
local kind_of = require "tide.internal.kind_of"
local LRScheduler = require "tide.optim.scheduler"
local Module = require "tide.nn.module"
local of_group = require "tide.optim.internal.of_group"
local raise = require "tide.internal.raise"
local strict_table = require "tide.internal.strict_table"
local tide = require "tide"

local swa_utils = {}

-- Means -------------------------------------------------------------------------------------------

--- The mean of all: a function (mean, new, count) for AveragedModel.
function swa_utils.get_swa_avg_fn()
  return function(mean, new, count) return mean + (new - mean) / (count + 1) end
end

--- A mean that forgets: decay * mean + (1 - decay) * new.
function swa_utils.get_ema_avg_fn(decay)
  decay = decay or 0.999
  if type(decay) ~= "number" or decay < 0 or decay > 1 then
    raise("get_ema_avg_fn: decay must be between 0 and 1, got %s", tostring(decay))
  end
  return function(mean, new) return mean * decay + new * (1 - decay) end
end

--- get_swa_avg_fn for lists of tensors: a function (means, news, count) that writes into the means.
function swa_utils.get_swa_multi_avg_fn()
  return function(means, news, count)
    for i, mean in ipairs(means) do mean:copy_(mean + (news[i] - mean) / (count + 1)) end
  end
end

--- get_ema_avg_fn for lists of tensors.
function swa_utils.get_ema_multi_avg_fn(decay)
  local average = swa_utils.get_ema_avg_fn(decay)
  return function(means, news)
    for i, mean in ipairs(means) do mean:copy_(average(mean, news[i])) end
  end
end

local AveragedModel = class("AveragedModel", Module)

local read_model = arguments("AveragedModel", {
  "model", {"device"}, {"avg_fn"}, {"multi_avg_fn"}, {"use_buffers", false},
}, {model = "table", avg_fn = "function", multi_avg_fn = "function"})

--- AveragedModel(net, {avg_fn = get_ema_avg_fn(0.999)}): a copy of net, kept in field `module`.
--- multi_avg_fn is given all means and new values at once. With use_buffers, buffers are meaned
--- too; else they are those of the newest model.
function AveragedModel:init(...)
  local given = read_model(...)
  if not class.is_a(given.model, Module) then
    raise("AveragedModel: model: expected a module, got %s", kind_of(given.model))
  end
  self.module = given.model:clone()
  if given.device then self.module:to(given.device) end
  self:register_buffer("n_averaged", tide.tensor(0))
  if given.avg_fn and given.multi_avg_fn then
    raise("AveragedModel: either avg_fn or multi_avg_fn is given, not both")
  end
  local average = given.avg_fn or swa_utils.get_swa_avg_fn()
  self.average = given.multi_avg_fn or function(means, news, count)
    for i, mean in ipairs(means) do mean:copy_(average(mean, news[i], count)) end
  end
  self.use_buffers = given.use_buffers
end

function AveragedModel:forward(...) return self.module(...) end

--- Takes one more model into the means; the first is copied. Does not wait.
function AveragedModel:update_parameters(model)
  local _ <close> = tide.no_grad()
  local count = self.n_averaged
  local means, fresh = {}, {}
  local function take(own, news, averaged)
    for i, mean in ipairs(own) do
      local new = news[i]:to(mean.device)
      if averaged and mean:is_floating_point() then
        means[#means + 1], fresh[#fresh + 1] = mean, new
      else
        mean:copy_(new)
      end
    end
  end
  take(self.module:parameters(), model:parameters(), true)
  take(self.module:buffers(), model:buffers(), self.use_buffers)
  -- The first model is taken over whatever the means would be.
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

--- Goes over batches: a DataLoader, or a list of them.
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

local read_update = arguments("update_bn", {"loader", "model", {"device"}})

--- Computes the running statistics of the model's batch norms anew, as means over the batches; of
--- each batch the first tensor is the input. For a model whose parameters were averaged.
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

-- The plan for the learning rate ------------------------------------------------------------------

local SWALR = class("SWALR", LRScheduler)

local read_plan = arguments("SWALR", {
  "optimizer", "swa_lr", {"anneal_epochs", 10}, {"anneal_strategy", "cos"}, {"last_epoch", -1},
}, {anneal_epochs = "count", last_epoch = "number"})

local anneal = {
  cos = function(t) return (1 - math.cos(math.pi * t)) / 2 end,
  linear = function(t) return t end,
}

--- SWALR(optimizer, 0.05, {anneal_epochs = 10}): from the rate that stands to swa_lr, where it
--- stays. swa_lr may be a list of one for each group.
function SWALR:init(...)
  local given = read_plan(...)
  if not anneal[given.anneal_strategy] then
    raise("SWALR: anneal_strategy must be cos or linear, got %s", tostring(given.anneal_strategy))
  end
  self.anneal_strategy, self.anneal_epochs, self.swa_lr = given.anneal_strategy, given.anneal_epochs, given.swa_lr
  LRScheduler.init(self, given.optimizer, given.last_epoch)
end

--- How far from the first rate to the last it is after `step` steps.
function SWALR:share(step)
  local t = math.max(0, math.min(1, step / math.max(1, self.anneal_epochs)))
  return anneal[self.anneal_strategy](t)
end

function SWALR:rate(i, _, lr)
  local step = self.anneal_epochs == 0 and math.max(1, self.last_epoch) or self.last_epoch
  local before, now, goal = self:share(step - 1), self:share(step), of_group(self, "swa_lr", i)
  -- Where it began, derived from where it is: another plan may have moved it meanwhile.
  local start = before == 1 and goal or (lr - before * goal) / (1 - before)
  return goal * now + start * (1 - now)
end

swa_utils.SWALR = SWALR

return strict_table("tide.optim.swa_utils", swa_utils)

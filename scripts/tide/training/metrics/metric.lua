-- metrics.Metric: the base class of all metrics, a state to which batches are added.
--
-- A class defines three methods: the state of a batch, the combination of two states, and the value of a state. They
-- record ops and never read tensors, so nothing waits before the value is read.
local define = require "tide.internal.declare.define"
local methods = require "tide.internal.declare.methods"
local known_fields = require "tide.internal.known_fields"
local raise = require "tide.internal.raise"
local tide = require "tide"

--- The base class of metrics: define measure(...), which returns a batch's state, and value(state).
---@example
--- local Largest = tide.class("Largest", tide.metrics.Metric)
--- function Largest:measure(x) return {x = x:max()} end
--- function Largest:combine(a, b) return {x = a.x:maximum(b.x)} end
--- function Largest:value(state) return state.x end
--- Largest()(tide.tensor{1.0, 3}) --> 3.0
local Metric = define "metrics.Metric"

known_fields.watch(Metric, {})
known_fields.optional(Metric, "state")

--- The state of one batch: a table of tensors or numbers. Every metric defines it.
function Metric:measure() raise("%s: has no measure method", getmetatable(self).name) end

--- The value of a state: a tensor. Every metric defines it.
function Metric:value() raise("%s: has no value method", getmetatable(self).name) end

--- Combines the states of two parts of the data. By default all fields are summed.
function Metric:combine(first, second)
  local sums = {}
  for name, sum in pairs(first) do sums[name] = sum + second[name] end
  return sums
end

--- Updates with a batch and returns its state.
local function add(self, ...)
  local batch = self:measure(...)
  self.state = self.state and self:combine(self.state, batch) or batch
  return batch
end

--- Updates with a batch, usually predictions and targets; metric(predictions, targets) also returns its value.
---@param batch... any  arguments of the metric, such as predictions and targets
---@waits no
---@example
--- local metric = tide.metrics.Mean()
--- metric:update(2.0)
--- metric:compute() --> 2.0
function Metric:update(...)
  local _ <close> = tide.no_grad()
  add(self, ...)
end

--- The value over all batches since the last reset, a tensor on their device.
---@waits no
---@example
--- local metric = tide.metrics.Mean()
--- metric:update(2.0)
--- metric:compute() --> 2.0
function Metric:compute()
  if not self.state then
    raise("%s: compute was called before the first update", getmetatable(self).name)
  end
  local _ <close> = tide.no_grad()
  return self:value(self.state)
end

--- Resets the metric to its initial state.
---@example
--- local metric = tide.metrics.Mean()
--- metric:update(2.0)
--- metric:reset()
--- metric:update(3.0)
--- metric:compute() --> 3.0
function Metric:reset() self.state = nil end

--- Updates with a batch and returns the value of this batch alone. Does not wait.
function Metric:__call(...)
  local _ <close> = tide.no_grad()
  return self:value(add(self, ...))
end

methods(Metric, "metric")

return Metric

-- metrics.Metric: the base of all metrics, a state that batches are added to.
--
-- A class says three things: what one batch comes to, how two such states are put together, and
-- what the figure of a state is. All three record ops and never read, so that nothing waits before
-- the figure is read.
local define = require "tide.internal.declare.define"
local methods = require "tide.internal.declare.methods"
local known_fields = require "tide.internal.known_fields"
local raise = require "tide.internal.raise"
local tide = require "tide"

--- The base of metrics: define measure(...), a batch's state, and value(state).
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

--- The figure of a state: a tensor. Every metric defines it.
function Metric:value() raise("%s: has no value method", getmetatable(self).name) end

--- The state of two parts of the data together. Without a definition of its own all fields are sums.
function Metric:combine(first, second)
  local sums = {}
  for name, sum in pairs(first) do sums[name] = sum + second[name] end
  return sums
end

--- Takes the batch in and returns its state.
local function take(self, ...)
  local batch = self:measure(...)
  self.state = self.state and self:combine(self.state, batch) or batch
  return batch
end

--- Takes a batch in, mostly predictions and targets; metric(predictions, targets) also gives its figure.
---@param batch... any  what the metric measures
---@waits does not
---@example
--- local metric = tide.metrics.Mean()
--- metric:update(2.0)
--- metric:compute() --> 2.0
function Metric:update(...)
  local _ <close> = tide.no_grad()
  take(self, ...)
end

--- The figure over all batches since the last reset, a tensor on their device.
---@waits does not
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

--- Forgets all batches.
---@example
--- local metric = tide.metrics.Mean()
--- metric:update(2.0)
--- metric:reset()
--- metric:update(3.0)
--- metric:compute() --> 3.0
function Metric:reset() self.state = nil end

--- Takes a batch in and gives the figure of this batch alone. Does not wait.
function Metric:__call(...)
  local _ <close> = tide.no_grad()
  return self:value(take(self, ...))
end

methods(Metric, "metric")

return Metric

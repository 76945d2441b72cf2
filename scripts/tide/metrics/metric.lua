-- metrics.Metric: the base of all metrics, a state that batches are added to.
--
-- A class says three things: what one batch comes to, how two such states are put together, and
-- what the figure of a state is. All three record ops and never read, so that nothing waits before
-- the figure is read.
local class = require "tide.internal.class"
local known_fields = require "tide.internal.known_fields"
local raise = require "tide.internal.raise"
local tide = require "tide"

local Metric = class("Metric")

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

--- Takes a batch in. Does not wait.
function Metric:update(...)
  local _ <close> = tide.no_grad()
  take(self, ...)
end

--- The figure over all batches since the last reset, a tensor on their device. Does not wait.
function Metric:compute()
  if not self.state then
    raise("%s: compute was called before the first update", getmetatable(self).name)
  end
  local _ <close> = tide.no_grad()
  return self:value(self.state)
end

--- Forgets all batches.
function Metric:reset() self.state = nil end

--- Takes a batch in and gives the figure of this batch alone. Does not wait.
function Metric:__call(...)
  local _ <close> = tide.no_grad()
  return self:value(take(self, ...))
end

return Metric

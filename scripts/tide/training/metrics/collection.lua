-- metrics.Collection: several metrics of the same predictions.
local define = require "tide.internal.declare.define"
local class = require "tide.internal.class"
local kind_of = require "tide.internal.kind_of"
local Metric = require "tide.training.metrics.metric"
local raise = require "tide.internal.raise"

--- Several metrics of the same predictions; values by name.
---@param members table  metrics by name
---@example
--- local p, t = tide.tensor{{0.9, 0.1}, {0.2, 0.8}, {0.6, 0.4}}, tide.tensor{1, 2, 2}
--- tide.metrics.Collection{accuracy = tide.metrics.Accuracy()}(p, t) --> {accuracy = 0.6667}
local Collection, read = define "metrics.Collection"

function Collection:init(...)
  local members = read(...).members
  for name, metric in pairs(members) do
    if type(name) ~= "string" or not class.is_a(metric, Metric) then
      raise("Collection: expected metrics by name, got %s under %s", kind_of(metric), tostring(name))
    end
  end
  self.members = members
end

--- Calls visit(metric) for each; returns the results by name.
local function each(self, visit)
  local figures = {}
  for name, metric in pairs(self.members) do figures[name] = visit(metric) end
  return figures
end

--- Updates each metric with a batch. Does not wait.
function Collection:update(...)
  for _, metric in pairs(self.members) do metric:update(...) end
end

--- The values by name. Does not wait.
function Collection:compute()
  return each(self, function(metric) return metric:compute() end)
end

--- Resets each metric.
function Collection:reset()
  for _, metric in pairs(self.members) do metric:reset() end
end

--- Updates with a batch and returns the values of this batch alone, by name.
function Collection:__call(predictions, targets)
  return each(self, function(metric) return metric(predictions, targets) end)
end

return Collection

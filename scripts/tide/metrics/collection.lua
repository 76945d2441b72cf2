-- metrics.Collection: several metrics of the same predictions at once.
local class = require "tide.internal.class"
local kind_of = require "tide.internal.kind_of"
local Metric = require "tide.metrics.metric"
local raise = require "tide.internal.raise"

local Collection = class("Collection")

--- metrics.Collection{accuracy = metrics.Accuracy(), f1 = metrics.F1()}
function Collection:init(members)
  if type(members) ~= "table" then
    raise("Collection: expected a table of metrics, got %s", kind_of(members))
  end
  for name, metric in pairs(members) do
    if type(name) ~= "string" or not class.is_a(metric, Metric) then
      raise("Collection: expected metrics by name, got %s under %s", kind_of(metric), tostring(name))
    end
  end
  self.members = members
end

--- Calls visit(metric) for each; gives its results by name.
local function each(self, visit)
  local figures = {}
  for name, metric in pairs(self.members) do figures[name] = visit(metric) end
  return figures
end

--- Each metric takes the batch in. Does not wait.
function Collection:update(...)
  for _, metric in pairs(self.members) do metric:update(...) end
end

--- The figures by name. Does not wait.
function Collection:compute()
  return each(self, function(metric) return metric:compute() end)
end

--- Each metric forgets its batches.
function Collection:reset()
  for _, metric in pairs(self.members) do metric:reset() end
end

--- Takes a batch in and gives the figures of this batch alone, by name.
function Collection:__call(predictions, targets)
  return each(self, function(metric) return metric(predictions, targets) end)
end

return Collection

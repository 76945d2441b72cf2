-- A parameter of a learning rate scheduler: one value for all groups, or a list with one for each.
local kind_of = require "tide.internal.kind_of"
local raise = require "tide.internal.raise"

--- The value of `plan[name]` for group `i`.
return function(plan, name, i)
  local value, title = plan[name], getmetatable(plan).name
  if type(value) == "table" then
    if value[i] == nil then
      raise("%s: %s has %d values, but the optimizer has %d groups", title, name, #value, #plan.optimizer.param_groups)
    end
    value = value[i]
  end
  if type(value) ~= "number" then
    raise("%s: %s: expected a number, or a list with one for each group, got %s", title, name, kind_of(value))
  end
  return value
end

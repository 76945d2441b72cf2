-- Parameters of plans for the learning rate that must be numbers above 0.
local raise = require "tide.internal.raise"

return function(plan, name, value)
  if type(value) == "number" and value > 0 then return end
  raise("%s: %s must be above 0, got %s", plan, name, tostring(value))
end

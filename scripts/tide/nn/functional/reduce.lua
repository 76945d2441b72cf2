-- Reduces the elements' losses to the result of a loss function.
local raise = require "tide.internal.raise"

--- `name` is the loss function, for the error.
local function reduce(name, values, reduction)
  if reduction == "mean" then return values:mean() end
  if reduction == "sum" then return values:sum() end
  if reduction == "none" then return values end
  raise("%s: reduction must be mean, sum or none, got %s", name, tostring(reduction))
end

return reduce

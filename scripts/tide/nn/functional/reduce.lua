-- What a loss makes of the values that it has for each element.
local raise = require "tide.internal.raise"

--- `reduction` is mean, sum or none; `name` is the loss, for the error.
local function reduce(name, values, reduction)
  if reduction == "mean" then return values:mean() end
  if reduction == "sum" then return values:sum() end
  if reduction == "none" then return values end
  raise("%s: reduction must be mean, sum or none, got %s", name, tostring(reduction))
end

return reduce

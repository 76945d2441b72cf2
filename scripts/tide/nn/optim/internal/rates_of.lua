-- The learning rate of each group of an optimizer, in a list that prints its values.
local native = require "tide.native"

local function rates_of(optimizer)
  local rates = {}
  for i, group in ipairs(optimizer.param_groups) do rates[i] = group.lr end
  return setmetatable(rates, native.list)
end

return rates_of

-- Sizes of windows that are given as one number for all dimensions or as a list.
local raise = require "tide.raise"

local sizes = {}

--- A list of `count` sizes.
function sizes.expand(name, value, count)
  if type(value) ~= "table" then
    local list = {}
    for i = 1, count do list[i] = value end
    return list
  end
  if #value ~= count then raise("%s: %d sizes are needed: got %d", name, count, #value) end
  return value
end

--- "3x3".
function sizes.text(list) return table.concat(list, "x") end

function sizes.product(list)
  local product = 1
  for _, size in ipairs(list) do product = product * size end
  return product
end

return sizes

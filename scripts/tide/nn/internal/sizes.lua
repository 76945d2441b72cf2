-- Window sizes, given as one number for all dimensions or as a list.
local kind_of = require "tide.internal.kind_of"
local raise = require "tide.internal.raise"

local sizes = {}

local function checked(name, value)
  local size = type(value) == "number" and math.tointeger(value)
  if not size or size < 0 then
    raise("%s: sizes must be non-negative integers, got %s", name,
      type(value) == "number" and tostring(value) or kind_of(value))
  end
  return size
end

--- A list of `count` sizes.
function sizes.expand(name, value, count)
  local several = type(value) == "table" and not getmetatable(value)
  if several and #value ~= count then
    raise("%s: expected %d sizes, got %d", name, count, #value)
  end
  local list = {}
  for i = 1, count do list[i] = checked(name, several and value[i] or value) end
  return list
end

--- "3x3".
function sizes.text(list) return table.concat(list, "x") end

function sizes.product(list)
  local product = 1
  for _, size in ipairs(list) do product = product * size end
  return product
end

return sizes

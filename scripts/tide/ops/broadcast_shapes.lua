-- tide.broadcast_shapes: the shape that tensors of several shapes broadcast to.
local checked = require "tide.internal.declare.checked"
local kind_of = require "tide.internal.kind_of"
local raise = require "tide.internal.raise"

--- A size or a list of sizes as a list.
local function sizes_of(shape)
  if type(shape) == "number" then shape = {shape} end
  if type(shape) ~= "table" then
    raise("broadcast_shapes: expected shapes, got %s", kind_of(shape))
  end
  for _, size in ipairs(shape) do
    if math.type(size) ~= "integer" or size < 0 then
      raise("broadcast_shapes: sizes must be non-negative integers, got %s", tostring(size))
    end
  end
  return shape
end

--- The common shape that tensors of these shapes broadcast to.
---@param shape... integer | integer[]  shapes
---@example
--- tide.broadcast_shapes({2, 1}, {3}) --> {2, 3}
local broadcast_shapes = checked("broadcast_shapes", function(...)
  local result = {}
  for i = 1, select("#", ...) do
    local shape = sizes_of((select(i, ...)))
    while #result < #shape do table.insert(result, 1, 1) end
    for k = 1, #shape do
      local at, size = #result - #shape + k, shape[k]
      if result[at] == 1 then
        result[at] = size
      elseif size ~= 1 and size ~= result[at] then
        raise("broadcast_shapes: shapes cannot be broadcast: (%s) and (%s), the result of the previous ones",
          table.concat(shape, ", "), table.concat(result, ", "))
      end
    end
  end
  return result
end)

return broadcast_shapes

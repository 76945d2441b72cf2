-- Helpers for reading the inputs of ops: lists of numbers, dimensions, positions.
local kind_of = require "tide.internal.kind_of"
local known = require "tide.onnx.known"
local raise = require "tide.internal.raise"
local tide = require "tide"

local values = {}

--- The elements of a tensor as a flat list; nil for an absent input. Waits for them unless they are known.
function values.list(tensor)
  if tensor == nil then return nil end
  local list = known.list(tensor)
  if list then return list end
  if not tide.is_tensor(tensor) then raise("expected a tensor of numbers, got %s", kind_of(tensor)) end
  return tensor:flatten():tolist()
end

--- The value of a one-element tensor, or `default`.
function values.number(tensor, default)
  if tensor == nil then return default end
  return tensor:item()
end

--- The dimension, from 1, of an axis from 0 or from the end.
function values.dim(axis, rank)
  if axis < -rank or axis >= rank then
    raise("axis %d is out of range for %d dimensions", axis, rank)
  end
  return axis < 0 and axis + rank + 1 or axis + 1
end

--- The dimensions of a list of axes; each axis may occur once.
function values.dims(axes, rank)
  local dims, seen = {}, {}
  for i, axis in ipairs(axes) do
    dims[i] = values.dim(axis, rank)
    if seen[dims[i]] then raise("axis %d is given twice", axis) end
    seen[dims[i]] = true
  end
  return dims
end

--- Positions from 0, or from the end, as positions from 1 in a dimension of this size.
function values.positions(indices, size)
  indices = indices:to("int64")
  return tide.where(indices:lt(0), indices + (size + 1), indices + 1)
end

--- The product of the elements of a list from index `first` to `last`.
function values.product(list, first, last)
  local total = 1
  for i = first or 1, last or #list do total = total * list[i] end
  return total
end

--- A list of n equal values.
function values.filled(n, value)
  local list = {}
  for i = 1, n do list[i] = value end
  return list
end

--- A tensor of integers on the cpu.
function values.integers(list)
  return tide.tensor(list, {dtype = "int64", device = "cpu"})
end

return values

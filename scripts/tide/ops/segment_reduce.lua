-- tide.segment_reduce: reductions of segments of a dimension.
local reader = require "tide.internal.declare.reader"
local raise = require "tide.internal.raise"
local tide = require "tide"

--- The sum, mean, prod, max or min of consecutive segments of a dimension. Checks the lengths, which waits, unless
--- unsafe.
---@param data tensor  the elements
---@param reduce "sum" | "mean" | "prod" | "max" | "min"  the reduction
---@param lengths tensor = nil  length of each segment
---@param offsets tensor = nil  offsets of the segments, instead of lengths
---@param axis integer = 1  the dimension, from 1
---@param unsafe boolean = false  do not check the lengths
---@param initial number = nil  initial value of each segment
---@example
--- tide.segment_reduce(tide.tensor{1.0, 2, 3, 4}, "sum", {lengths = tide.tensor{1, 3}}) --> {1.0, 9.0}
local read = reader "segment_reduce"

-- Initial values, and scatter_reduce's name of the reduction.
local starts = {sum = 0, mean = 0, prod = 1, max = -math.huge, min = math.huge}
local ways = {sum = "sum", mean = "sum", prod = "prod", max = "amax", min = "amin"}

--- Lengths of the segments, given directly or by offsets.
local function lengths_of(given)
  if (given.lengths == nil) == (given.offsets == nil) then
    raise("segment_reduce: either lengths or offsets is required")
  end
  return given.lengths or given.offsets:diff()
end

--- Appends dimensions of size 1 to x, up to `count` dimensions.
local function with_dims(x, count)
  local shape = x.shape
  for d = #shape + 1, count do shape[d] = 1 end
  return x:reshape(shape)
end

--- The sizes of `lengths` before the last are those of data. An empty segment reduces to `initial`, by default 0, 1,
--- nan, -inf or inf. With `unsafe` the lengths may add up to less; elements after the last segment are ignored.
local function segment_reduce(...)
  local given = read(...)
  local data, lengths, initial = given.data, lengths_of(given), given.initial
  if not starts[given.reduce] then
    raise("segment_reduce: reduce must be sum, mean, prod, max or min, got %s", given.reduce)
  end
  local axis = given.axis < 0 and given.axis + data:dim() + 1 or given.axis
  local fits = lengths:dim() == axis and axis <= data:dim()
  for d = 1, axis - 1 do fits = fits and lengths:size(d) == data:size(d) end
  if not fits then
    raise("segment_reduce: lengths of shape (%s) do not match dimension %d of (%s)",
      table.concat(lengths.shape, ", "), axis, table.concat(data.shape, ", "))
  end
  local n, count = data:size(axis), lengths:size(-1)
  if not given.unsafe
    and not (lengths:sum(-1):eq(n):all():item() and lengths:ge(0):all():item()) then
    raise("segment_reduce: lengths must be non-negative and add up to %d, the size of dimension %d", n,
      axis)
  end
  -- A position belongs to the first segment that ends after it, or else to an extra segment.
  local rows = lengths.shape
  rows[axis] = n
  local places = tide.arange(n, {device = data.device}):expand(rows)
  local numbers = tide.searchsorted(lengths:cumsum(-1), places, {right = true})
  local shape = data.shape
  shape[axis] = count + 1
  local base = tide.full(shape, initial or starts[given.reduce],
    {dtype = data.dtype, device = data.device})
  local result = base:scatter_reduce(axis, with_dims(numbers, data:dim()):expand_as(data), data,
    ways[given.reduce]):narrow(axis, 1, count)
  if given.reduce == "mean" then
    local sizes = with_dims(lengths, data:dim())
    result = (result / sizes):where(sizes:gt(0), initial or 0 / 0)
  end
  return result
end

return segment_reduce

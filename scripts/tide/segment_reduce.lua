-- tide.segment_reduce: sums, means and the like of stretches of a dimension.
local arguments = require "tide.arguments"
local raise = require "tide.raise"
local tide = require "tide"

local read = arguments("segment_reduce",
  {"data", "reduce", {"lengths"}, {"offsets"}, {"axis", 1}, {"initial"}},
  {data = "tensor", reduce = "string", lengths = "tensor", offsets = "tensor", initial = "number"})

-- What a stretch starts from, and scatter_reduce's name of the reduction.
local starts = {sum = 0, mean = 0, prod = 1, max = -math.huge, min = math.huge}
local ways = {sum = "sum", mean = "sum", prod = "prod", max = "amax", min = "amin"}

--- Lengths of the stretches, which `offsets` gives as places where one ends and the next begins.
local function lengths_of(given)
  if (given.lengths == nil) == (given.offsets == nil) then
    raise("segment_reduce: either lengths or offsets are needed")
  end
  return given.lengths or given.offsets:diff()
end

--- Reduces data along dimension `axis` in stretches of the lengths given, one after the other, that
--- together are as long as the dimension. The sizes of `lengths` before the last are those of data.
--- Of a stretch of length 0 come `initial` or else the reduction of nothing: 0, 1, nan, -inf, inf.
local function segment_reduce(...)
  local given = read(...)
  local data, lengths, initial = given.data, lengths_of(given), given.initial
  if not starts[given.reduce] then
    raise("segment_reduce: reduce is sum, mean, prod, max or min: got %s", given.reduce)
  end
  local axis = given.axis < 0 and given.axis + data:dim() + 1 or given.axis
  if lengths:dim() ~= axis or axis > data:dim() then
    raise("segment_reduce: lengths of shape (%s) do not fit dimension %d of (%s)",
      table.concat(lengths.shape, ", "), axis, table.concat(data.shape, ", "))
  end
  local n, count = data:size(axis), lengths:size(-1)
  if not (lengths:sum(-1):eq(n):all():item() and lengths:ge(0):all():item()) then
    raise("segment_reduce: lengths are 0 or more and add up to %d, the size of dimension %d", n,
      axis)
  end
  -- All stretches in one row, and for each row of data the number of its stretch.
  local shape, rest = {}, {}
  for d, size in ipairs(data.shape) do
    shape[d] = d == axis and count or size
    if d > axis then rest[#rest + 1] = size end
  end
  local flat = lengths:reshape(-1)
  local rows = data:reshape({flat:sum():item(), table.unpack(rest)})
  local numbers = tide.range(1, #flat, {device = data.device}):repeat_interleave(flat)
  local column = {-1}
  for d = 1, #rest do column[d + 1] = 1 end
  local base = tide.full({#flat, table.unpack(rest)}, initial or starts[given.reduce],
    {dtype = data.dtype, device = data.device})
  local result = base:scatter_reduce(1, numbers:view(column):expand_as(rows), rows,
    ways[given.reduce])
  if given.reduce == "mean" then
    local sizes = flat:view(column)
    result = (result / sizes):where(sizes:gt(0), initial or 0 / 0)
  end
  return result:view(shape)
end

return segment_reduce

-- tide.histogramdd: a histogram in several dimensions.
local reader = require "tide.internal.declare.reader"
local raise = require "tide.internal.raise"
local tide = require "tide"

--- Counts points (rows of x) in the boxes of a grid; also returns a table of its edges. Waits without a range.
---@param x tensor  the tensor
---@param bins integer | integer[] | tensor[]  number of bins of each column, or their edges
---@param range number[] = nil  lowest and highest edge of each column, in one list
---@param weight tensor = nil  weight of each point
---@param density boolean = false  return a density, whose integral is 1
---@example
--- tide.histogramdd(tide.tensor{{0.0, 1}, {1, 0}, {2, 2}}, {2, 1}) --> {{1.0}, {2.0}}, {{0.0, 1.0, 2.0}, {0.0, 2.0}}
local read = reader "histogramdd"

--- The edges along one dimension: those of a tensor, or equal parts of a range.
local function edges_of(column, bins, range)
  if not tide.is_tensor(bins) then
    local _, edges = tide.histogram(column, bins, range)
    return edges
  end
  if bins:dim() ~= 1 or #bins < 2 or bins.dtype ~= column.dtype then
    raise("histogramdd: expected 2 edges or more in one dimension of type %s, got %s of (%s)",
      column.dtype, bins.dtype, table.concat(bins.shape, ", "))
  end
  return bins:detach():clone()
end

--- The last dimension of x has the coordinates of a point. Counts are sums of weights, with `density` divided by the
--- volume and the total.
local function histogramdd(...)
  local given = read(...)
  local x, bins = given.x, given.bins
  if x:dim() < 2 then
    raise("histogramdd: expected rows of coordinates, got (%s)", table.concat(x.shape, ", "))
  end
  local count = x:size(-1)
  if type(bins) ~= "table" then
    local each = bins
    bins = {}
    for d = 1, count do bins[d] = each end
  end
  if #bins ~= count then raise("histogramdd: got %d bins for %d coordinates", #bins, count) end
  local range = given.range
  if range and #range ~= 2 * count then
    raise("histogramdd: expected a range of %d numbers, got %d", 2 * count, #range)
  end
  local _ <close> = tide.no_grad()
  local points = x:reshape(-1, count)
  local weight = given.weight
  if weight and weight:numel() ~= #points then
    raise("histogramdd: got %d weights for %d points", weight:numel(), #points)
  end
  local box, shape, edges = tide.zeros(#points, {dtype = "int64", device = x.device}), {}, {}
  local inside = tide.ones(#points, {dtype = "bool", device = x.device})
  local volume = tide.ones({}, {dtype = x.dtype, device = x.device})
  for d = 1, count do
    local column = points:select(2, d)
    local own = edges_of(column, bins[d], range and {range[2 * d - 1], range[2 * d]})
    local parts = #own - 1
    -- The number of edges up to a value is its bin; the last edge belongs to the last bin.
    local part = column:bucketize(own, {right = true}) - 1
    inside = inside:logical_and(column:ge(own[1])):logical_and(column:le(own[-1]))
    box = box * parts + part:clamp(1, parts) - 1
    volume = volume:unsqueeze(-1) * own:diff()
    shape[d], edges[d] = parts, own
  end
  local weights = weight and weight:reshape(-1):to(x.dtype) or x:new_ones(#points)
  local sums = x:new_zeros(volume:numel()):scatter_add(1, box + 1, weights:where(inside, 0.0))
    :reshape(shape)
  if given.density then sums = sums / (sums:sum() * volume) end
  return sums, edges
end

return histogramdd

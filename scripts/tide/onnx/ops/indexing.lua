-- Picking, writing and finding elements by position.
local raise = require "tide.internal.raise"
local tide = require "tide"
local values = require "tide.onnx.values"

local ops = {host = {TopK = {2}, OneHot = {2}}}

ops.attributes = {
  Compress = "axis",
  Gather = "axis",
  GatherElements = "axis",
  GatherND = "batch_dims",
  OneHot = "axis",
  ReverseSequence = "batch_axis time_axis",
  Scatter = "axis",
  ScatterElements = "axis reduction",
  ScatterND = "reduction",
  TopK = "axis k largest sorted",
  Unique = "axis sorted",
}

function ops.Gather(node, x, indices)
  local dim = values.dim(node.attributes.axis or 0, x:dim())
  local picked = x:index_select(dim, values.positions(indices:flatten(), x:size(dim)))
  if indices:dim() == 1 then return picked end
  local sizes, shape = indices.shape, x.shape
  local result = table.move(shape, 1, dim - 1, 1, {})
  table.move(sizes, 1, #sizes, #result + 1, result)
  return picked:reshape(table.move(shape, dim + 1, #shape, #result + 1, result))
end

function ops.GatherElements(node, x, indices)
  local dim = values.dim(node.attributes.axis or 0, x:dim())
  return x:gather(dim, values.positions(indices, x:size(dim)))
end

--- The last dimension of indices as flat positions, from 0, in the dimensions of x from `first` on; also
--- the number of these dimensions.
local function flat_positions(x, indices, first)
  local shape, depth = x.shape, indices:size(-1)
  if first + depth - 1 > #shape then
    raise("indices with %d values for %d dimensions", depth, #shape - first + 1)
  end
  local flat
  for i = 1, depth do
    local size = shape[first + i - 1]
    local own = values.positions(indices:select(-1, i), size) - 1
    flat = flat and flat * size + own or own
  end
  return flat or tide.zeros(table.move(indices.shape, 1, indices:dim() - 1, 1, {}),
    {dtype = "int64", device = x.device}), depth
end

function ops.GatherND(node, x, indices)
  local batch, shape, sizes = node.attributes.batch_dims or 0, x.shape, indices.shape
  local flat, depth = flat_positions(x, indices, batch + 1)
  local groups = values.product(shape, 1, batch)
  local picked_from = values.product(shape, batch + 1, batch + depth)
  local rest = values.product(shape, batch + depth + 1)
  local source = x:reshape(groups * picked_from, rest)
  flat = flat:reshape(groups, values.product(sizes, batch + 1, #sizes - 1))
  if groups > 1 then
    local starts = tide.arange(groups, {device = x.device}) * picked_from
    flat = flat + starts:unsqueeze(2)
  end
  local result = table.move(sizes, 1, #sizes - 1, 1, {})
  table.move(shape, batch + depth + 1, #shape, #result + 1, result)
  return source:index_select(1, flat:flatten() + 1):reshape(result)
end

function ops.ScatterElements(node, x, indices, updates)
  local dim = values.dim(node.attributes.axis or 0, x:dim())
  local positions = values.positions(indices, x:size(dim))
  local reduction = node.attributes.reduction or "none"
  if reduction == "none" then return x:scatter(dim, positions, updates) end
  if reduction == "add" then return x:scatter_add(dim, positions, updates) end
  local known = {mul = "prod", max = "amax", min = "amin"}
  return x:scatter_reduce(dim, positions, updates, known[reduction])
end

ops.Scatter = ops.ScatterElements

function ops.ScatterND(node, x, indices, updates)
  local shape = x.shape
  local flat, depth = flat_positions(x, indices, 1)
  local rest = values.product(shape, depth + 1)
  local target = x:reshape(values.product(shape, 1, depth), rest)
  local rows = updates:reshape(flat:numel(), rest)
  local positions = (flat:flatten() + 1):unsqueeze(2):expand(flat:numel(), rest)
  local reduction = {attributes = {reduction = node.attributes.reduction}}
  -- ScatterElements counts positions from 0.
  return ops.ScatterElements(reduction, target, positions - 1, rows):reshape(shape)
end

--- Positions as columns; waits, because their number depends on the values.
function ops.NonZero(_, x)
  if x:dim() == 0 then x = x:reshape(1) end
  return (x:nonzero() - 1):t()
end

function ops.OneHot(node, indices, depth, pair)
  local count = math.tointeger(depth:flatten():tolist()[1])
  local rank = indices:dim() + 1
  local dim = values.dim(node.attributes.axis or -1, rank)
  local own = indices:to("int64")
  own = tide.where(own:lt(0), own + count, own):unsqueeze(dim)
  local shape = values.filled(rank, 1)
  shape[dim] = count
  local hot = own:eq(tide.arange(count, {device = indices.device}):reshape(shape))
  return tide.where(hot, pair:select(1, 2), pair:select(1, 1))
end

function ops.TopK(node, x, k)
  local dim = values.dim(node.attributes.axis or -1, x:dim())
  local count = k and k:flatten():tolist()[1] or node.attributes.k
  if count < 0 or count > x:size(dim) then raise("k is %d, of %d elements", count, x:size(dim)) end
  -- A stable sort puts the first of equal elements first, as the standard requires.
  local sorted, positions = x:sort(dim, {descending = node.attributes.largest ~= 0, stable = true})
  return sorted:narrow(dim, 1, count), positions:narrow(dim, 1, count) - 1
end

--- The unique rows along a dimension, the first index of each, the unique row of each row, and their
--- counts; waits.
function ops.Unique(node, x)
  local axis = node.attributes.axis
  local dim = axis and values.dim(axis, x:dim())
  local own = dim and x or x:flatten()
  local distinct, inverse, counts = own:unique {
    sorted = true, return_inverse = true, return_counts = true, dim = dim,
  }
  local count, total = counts:numel(), inverse:numel()
  local indices = tide.arange(total, {device = x.device})
  local first = tide.full({count}, total, {dtype = "int64", device = x.device})
    :scatter_reduce(1, inverse:flatten(), indices, "amin")
  if node.attributes.sorted == 0 then
    local order = first:argsort()
    local counted = tide.arange(1, count + 1, {device = x.device})
    local rank = tide.empty_like(order):scatter(1, order, counted)
    distinct = distinct:index_select(dim or 1, order)
    inverse = rank:index_select(1, inverse:flatten())
    first, counts = first:index_select(1, order), counts:index_select(1, order)
  end
  return distinct, first, inverse:flatten() - 1, counts
end

function ops.Compress(node, x, condition)
  local axis = node.attributes.axis
  if not axis then x = x:flatten() end
  local dim = axis and values.dim(axis, x:dim()) or 1
  local picked = condition:flatten():nonzero():flatten()
  return x:index_select(dim, picked)
end

--- Reverses the first `lengths` elements of each sequence.
function ops.ReverseSequence(node, x, lengths)
  local time, batch = node.attributes.time_axis or 0, node.attributes.batch_axis or 1
  local own = time == 0 and batch == 1 and x or x:transpose(1, 2)
  local steps = tide.arange(own:size(1), {device = x.device}):unsqueeze(2)
  local ends = lengths:unsqueeze(1)
  local positions = tide.where(steps:lt(ends), ends - 1 - steps, steps) + 1
  local rank = own:dim()
  local sizes = {own:size(1), own:size(2), table.unpack(values.filled(rank - 2, 1))}
  local result = own:gather(1, positions:reshape(sizes):expand(own.shape))
  return own == x and result or result:transpose(1, 2)
end

return ops

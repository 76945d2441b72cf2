-- Shape ops: reshaping, concatenating, slicing, padding.
local F = require "tide.nn.functional"
local raise = require "tide.internal.raise"
local tide = require "tide"
local values = require "tide.onnx.values"

local ops = {
  host = {
    Reshape = {2}, Expand = {2}, Tile = {2}, Squeeze = {2}, Unsqueeze = {2}, Split = {2},
    Pad = {2, 3, 4}, CenterCropPad = {2}, Col2Im = {2, 3}, Slice = {2, 3, 4, 5}, Trilu = {2},
  },
}

ops.text = {Reshape = true}

ops.attributes = {
  CenterCropPad = "axes",
  Col2Im = "dilations pads strides",
  Concat = "axis",
  DepthToSpace = "blocksize mode",
  Flatten = "axis",
  Pad = "mode pads value",
  Reshape = "allowzero",
  Shape = "end start",
  Slice = "axes ends starts",
  SpaceToDepth = "blocksize mode=DCR",
  Split = "axis num_outputs split",
  Squeeze = "axes",
  Transpose = "perm",
  Trilu = "upper",
  Unsqueeze = "axes",
}

--- Clamps a bound from 0, or from the end, to the list of sizes.
local function bound(value, rank)
  if value < 0 then value = value + rank end
  return math.max(0, math.min(value, rank))
end

function ops.Shape(node, x)
  local shape = x.shape
  local first = bound(node.attributes.start or 0, #shape)
  local last = bound(node.attributes["end"] or #shape, #shape)
  return values.integers(table.move(shape, first + 1, last, 1, {}))
end

function ops.Size(_, x)
  return tide.tensor(x:numel(), {dtype = "int64", device = "cpu"})
end

function ops.Reshape(node, x, shape)
  local sizes = values.list(shape)
  if not tide.is_tensor(x) then -- a list of text
    if #sizes ~= 1 then raise("text in %d dimensions is not supported", #sizes) end
    return x
  end
  local own = x.shape
  for i, size in ipairs(sizes) do
    if size == 0 and node.attributes.allowzero ~= 1 then
      if not own[i] then
        raise("size %d is 0, but the input has shape (%s)", i, table.concat(own, ", "))
      end
      sizes[i] = own[i]
    end
  end
  return x:reshape(sizes)
end

function ops.Flatten(node, x)
  local shape = x.shape
  local axis = node.attributes.axis or 1
  local dim = axis == #shape and #shape + 1 or values.dim(axis, #shape)
  return x:reshape(values.product(shape, 1, dim - 1), values.product(shape, dim))
end

function ops.Squeeze(node, x, axes)
  local list = values.list(axes) or node.attributes.axes
  if not list then return x:squeeze() end
  local shape, gone = x.shape, {}
  for _, dim in ipairs(values.dims(list, #shape)) do
    if shape[dim] ~= 1 then raise("the size of dimension %d is %d, not 1", dim - 1, shape[dim]) end
    gone[dim] = true
  end
  local sizes = {}
  for d, size in ipairs(shape) do
    if not gone[d] then sizes[#sizes + 1] = size end
  end
  return x:reshape(sizes)
end

function ops.Unsqueeze(node, x, axes)
  local list, shape = values.list(axes) or node.attributes.axes, x.shape
  local added = {}
  for _, dim in ipairs(values.dims(list, #shape + #list)) do added[dim] = true end
  local sizes, from = {}, 1
  for d = 1, #shape + #list do
    if added[d] then
      sizes[d] = 1
    else
      sizes[d], from = shape[from], from + 1
    end
  end
  return x:reshape(sizes)
end

function ops.Transpose(node, x)
  local order, dims = node.attributes.perm, {}
  local rank = x:dim()
  for d = 1, rank do dims[d] = order and values.dim(order[d] or rank, rank) or rank + 1 - d end
  return rank == 0 and x or x:permute(dims)
end

function ops.Concat(node, first, ...)
  return tide.cat({first, ...}, values.dim(node.attributes.axis or 1, first:dim()))
end

function ops.Split(node, x, sizes)
  local dim = values.dim(node.attributes.axis or 0, x:dim())
  local list = values.list(sizes) or node.attributes.split
  if not list then
    local count, size = node.attributes.num_outputs or #node.outputs, x:size(dim)
    if node.version < 18 and size % count ~= 0 then
      raise("%d cannot be split into %d equal parts", size, count)
    end
    local part = (size + count - 1) // count -- the last one may be smaller
    list = values.filled(count - 1, part)
    list[count] = size - part * (count - 1)
    if list[count] < 0 then raise("%d cannot be split into %d parts", size, count) end
  end
  return table.unpack(x:split(list, dim))
end

function ops.Expand(_, x, shape)
  local sizes = values.list(shape)
  return x:broadcast_to(tide.broadcast_shapes(x.shape, sizes))
end

function ops.Tile(_, x, repeats)
  local counts = values.list(repeats)
  if #counts ~= x:dim() then
    raise("expected %d repeats, got %d", x:dim(), #counts)
  end
  for _, count in ipairs(counts) do
    if count < 0 then raise("repeats must not be negative, got %d", count) end
  end
  return #counts == 0 and x or x:repeat_dims(counts)
end

-- Padding -----------------------------------------------------------------------------------------

--- Pads one dimension, or crops it for negative amounts, by selecting positions.
local function pad_by_position(x, dim, before, after, mode)
  local size = x:size(dim)
  local positions = tide.arange(-before, size + after, {device = x.device})
  if mode == "edge" then
    positions = positions:clamp(0, size - 1)
  elseif mode == "wrap" then
    positions = positions:remainder(size)
  else
    local period = math.max(1, 2 * (size - 1))
    positions = positions:remainder(period)
    positions = tide.where(positions:ge(size), period - positions, positions)
  end
  return x:index_select(dim, positions + 1)
end

--- Extends the pads of some axes to all axes.
local function pads_of_all(amounts, axes, rank)
  local all = values.filled(2 * rank, 0)
  if #amounts ~= 2 * #axes then raise("expected %d pads, got %d", 2 * #axes, #amounts) end
  for i, dim in ipairs(values.dims(axes, rank)) do
    all[dim], all[rank + dim] = amounts[i], amounts[#axes + i]
  end
  return all
end

function ops.Pad(node, x, pads, value, axes)
  local mode = node.attributes.mode or "constant"
  local amounts, rank = values.list(pads) or node.attributes.pads, x:dim()
  if axes then amounts = pads_of_all(amounts, values.list(axes), rank) end
  if #amounts ~= 2 * rank then raise("expected %d pads, got %d", 2 * rank, #amounts) end
  if mode == "constant" then
    local list = {}
    for d = rank, 1, -1 do
      list[#list + 1] = amounts[d]
      list[#list + 1] = amounts[rank + d]
    end
    local filler = values.number(value, node.attributes.value or 0)
    return rank == 0 and x or F.pad(x, list, "constant", filler)
  end
  for d = 1, rank do
    local before, after = amounts[d], amounts[rank + d]
    if before ~= 0 or after ~= 0 then x = pad_by_position(x, d, before, after, mode) end
  end
  return x
end

--- Crops or zero-pads to a size, equally on both sides.
function ops.CenterCropPad(node, x, shape)
  local wanted, axes = values.list(shape), node.attributes.axes
  if not axes then
    axes = {}
    for d = 1, x:dim() do axes[d] = d - 1 end
  end
  if #wanted ~= #axes then raise("expected %d sizes, got %d", #axes, #wanted) end
  local list = values.filled(2 * x:dim(), 0)
  for i, dim in ipairs(values.dims(axes, x:dim())) do
    local more = wanted[i] - x:size(dim)
    local before = more >= 0 and more // 2 or -(-more // 2)
    local index = 2 * (x:dim() - dim) + 1 -- the last dimension comes first
    list[index], list[index + 1] = before, more - before
  end
  return x:dim() == 0 and x or F.pad(x, list)
end

--- Positions of the elements of all blocks along one dimension of the padded image, (block, count).
local function block_positions(block, count, stride, dilation, device)
  local within, starts = tide.arange(block, {device = device}), tide.arange(count, {device = device})
  return (within * dilation):unsqueeze(2) + (starts * stride):unsqueeze(1)
end

--- Adds blocks at their positions in an image.
function ops.Col2Im(node, x, image_shape, block_shape)
  local sizes, block = values.list(image_shape), values.list(block_shape)
  local rank, a = #sizes, node.attributes
  local dilations, strides = a.dilations or values.filled(rank, 1), a.strides or values.filled(rank, 1)
  local pads = a.pads or values.filled(2 * rank, 0)
  local padded, counts, flat = {}, {}, nil
  for d = 1, rank do
    padded[d] = sizes[d] + pads[d] + pads[rank + d]
    counts[d] = (padded[d] - (block[d] - 1) * dilations[d] - 1) // strides[d] + 1
  end
  if counts[1] == nil or x:size(-1) ~= values.product(counts) or x:size(2) % values.product(block) ~= 0 then
    raise("blocks (%s) do not fit the image", table.concat(x.shape, ", "))
  end
  for d = 1, rank do -- (block 1, ..., block d, count 1, ..., count d)
    local own = block_positions(block[d], counts[d], strides[d], dilations[d], x.device)
    if not flat then
      flat = own
    else
      local blocks, positions = flat:size(1), flat:size(2)
      local joined = flat:reshape(blocks, 1, positions, 1) * padded[d] + own:reshape(1, block[d], 1, counts[d])
      flat = joined:reshape(blocks * block[d], positions * counts[d])
    end
  end
  local n, channels = x:size(1), x:size(2) // values.product(block)
  local index = flat:reshape(1, -1):expand(n * channels, -1) + 1
  local y = tide.zeros({n * channels, values.product(padded)}, {dtype = x.dtype, device = x.device})
    :scatter_add(2, index, x:reshape(n * channels, -1)):reshape(n, channels, table.unpack(padded))
  for d = 1, rank do y = y:narrow(d + 2, pads[d] + 1, sizes[d]) end
  return y
end

-- Slices ------------------------------------------------------------------------------------------

--- Start, length and step of a slice along a dimension of this size.
local function slice_range(start, stop, step, size)
  if step == 0 then raise "a step is 0" end
  if start < 0 then start = start + size end
  if stop < 0 then stop = stop + size end
  if step > 0 then
    start, stop = math.max(0, math.min(start, size)), math.max(0, math.min(stop, size))
    return start, math.max(0, (stop - start + step - 1) // step)
  end
  start, stop = math.max(-1, math.min(start, size - 1)), math.max(-1, math.min(stop, size - 1))
  return start, math.max(0, (start - stop - step - 1) // -step)
end

local function slice_dim(x, dim, start, stop, step)
  local first, count = slice_range(start, stop, step, x:size(dim))
  if count == 0 then return x:narrow(dim, 1, 0) end
  if step > 0 then
    local cut = x:narrow(dim, first + 1, (count - 1) * step + 1)
    if step == 1 then return cut end
    local index = values.filled(x:dim(), {})
    index[dim] = {1, -1, step}
    return cut[index]
  end
  local last = first + (count - 1) * step
  local reversed = x:narrow(dim, last + 1, first - last + 1):flip(dim)
  return slice_dim(reversed, dim, 0, math.maxinteger, -step)
end

--- Larger bounds and steps have the same effect.
local function limited(step) return math.max(-(1 << 40), math.min(step, 1 << 40)) end

function ops.Slice(node, x, starts, ends, axes, steps)
  local a = node.attributes
  local first, last = values.list(starts) or a.starts, values.list(ends) or a.ends
  local along, by = values.list(axes) or a.axes, values.list(steps)
  if not along then
    along = {}
    for i = 1, #first do along[i] = i - 1 end
  end
  if #last ~= #first or #along ~= #first or by and #by ~= #first then
    raise("%d starts, %d ends and %d axes", #first, #last, #along)
  end
  for i, dim in ipairs(values.dims(along, x:dim())) do
    x = slice_dim(x, dim, limited(first[i]), limited(last[i]), limited(by and by[i] or 1))
  end
  return x
end

-- Blocks and triangles ----------------------------------------------------------------------------

function ops.DepthToSpace(node, x)
  local size = node.attributes.blocksize
  local n, c, h, w = table.unpack(x.shape)
  local depth = c // (size * size)
  if node.attributes.mode == "CRD" then
    x = x:reshape(n, depth, size, size, h, w):permute(1, 2, 5, 3, 6, 4)
  else
    x = x:reshape(n, size, size, depth, h, w):permute(1, 4, 5, 2, 6, 3)
  end
  return x:reshape(n, depth, h * size, w * size)
end

function ops.SpaceToDepth(node, x)
  local size = node.attributes.blocksize
  local n, c, h, w = table.unpack(x.shape)
  x = x:reshape(n, c, h // size, size, w // size, size):permute(1, 4, 6, 2, 3, 5)
  return x:reshape(n, c * size * size, h // size, w // size)
end

function ops.Trilu(node, x, k)
  local diagonal = values.number(k, 0)
  if node.attributes.upper == 0 then return x:tril(diagonal) end
  return x:triu(diagonal)
end

return ops

-- Pools: the maximum, the mean or a norm of each window, or of an entire image.
local F = require "tide.nn.functional"
local raise = require "tide.internal.raise"
local tide = require "tide"
local values = require "tide.onnx.values"
local windows = require "tide.onnx.windows"

local ops = {host = {MaxUnpool = {3}, MaxRoiPool = {2}}}

ops.attributes = {
  AveragePool = "auto_pad ceil_mode count_include_pad dilations kernel_shape pads strides",
  GlobalLpPool = "p",
  LpPool = "auto_pad ceil_mode dilations kernel_shape p pads strides",
  MaxPool = "auto_pad ceil_mode dilations kernel_shape pads storage_order strides",
  MaxRoiPool = "pooled_shape spatial_scale",
  MaxUnpool = "kernel_shape pads strides",
}

--- Maximum number of cells of a box, because they are pooled one by one.
local kMaxParts <const> = 65536

local kMax <const> = {F.max_pool1d, F.max_pool2d, F.max_pool3d}
local kMaxWithIndices <const> = {
  F.max_pool1d_with_indices, F.max_pool2d_with_indices, F.max_pool3d_with_indices,
}
local kAverage <const> = {F.avg_pool1d, F.avg_pool2d, F.avg_pool3d}

local function is_spread(window)
  for _, dilation in ipairs(window.dilations) do
    if dilation ~= 1 then return true end
  end
  return false
end

--- The mean of each window of a padded image, with dilations.
local function window_means(y, window, rank)
  if not is_spread(window) then return kAverage[rank](y, window.kernel, {stride = window.strides}) end
  local sum
  for k = 0, values.product(window.kernel) - 1 do
    local part, rest = y, k
    for d = rank, 1, -1 do
      local dim, at = d + 2, rest % window.kernel[d] * window.dilations[d]
      local count = (y:size(dim) - windows.reach(window, d)) // window.strides[d] + 1
      local cut = part:narrow(dim, at + 1, (count - 1) * window.strides[d] + 1)
      local index = values.filled(part:dim(), {})
      index[dim] = {1, -1, window.strides[d]}
      part, rest = cut[index], rest // window.kernel[d]
    end
    sum = sum and sum + part or part
  end
  return sum / values.product(window.kernel)
end

--- How far each dimension extends past its pads where ceil_mode adds another window.
local function overhang(node, window, sizes)
  local list = values.filled(#sizes, 0)
  if node.attributes.ceil_mode ~= 1 then return list end
  for d, size in ipairs(sizes) do
    local stride, reach = window.strides[d], windows.reach(window, d)
    local padded = size + window.before[d] + window.after[d]
    local steps = (padded - reach + stride - 1) // stride
    -- No window starts after the input and the pads before it: it would be empty.
    if steps * stride >= size + window.before[d] then steps = steps - 1 end
    list[d] = math.max(0, steps * stride + reach - padded)
  end
  return list
end

--- x padded with this value.
local function padded(x, window, overhang_sizes, value)
  local after = {}
  for d, count in ipairs(window.after) do after[d] = count + overhang_sizes[d] end
  local list = windows.pad_list(window.before, after)
  for _, amount in ipairs(list) do
    if amount ~= 0 then return F.pad(x, list, "constant", value) end
  end
  return x
end

--- Converts positions in the padded image, from 1, to ONNX's: from 0 in the entire input, in row-major or
--- (storage_order 1) column-major order.
local function onnx_positions(places, x, window, padded_sizes, column_major)
  local sizes = windows.spatial(x)
  local rest, total, flat, factor = places - 1, 1, 0, 1
  local coordinates = {}
  for d = #sizes, 1, -1 do
    coordinates[d] = rest:remainder(padded_sizes[d]) - window.before[d]
    rest = rest:div(padded_sizes[d], {rounding_mode = "trunc"})
    total = total * sizes[d]
  end
  for i = 1, #sizes do
    local d = column_major and i or #sizes + 1 - i
    flat, factor = coordinates[d] * factor + flat, factor * sizes[d]
  end
  local planes = tide.arange(x:size(1) * x:size(2), {device = x.device}) * total
  return flat + planes:reshape(x:size(1), x:size(2), table.unpack(values.filled(#sizes, 1)))
end

--- Whether a pool of tide can have these pads: the same before and after, and at most half of the window.
local function suits_pool(window)
  if not windows.is_symmetric(window) then return false end
  for d, before in ipairs(window.before) do
    if 2 * before > window.kernel[d] then return false end
  end
  return true
end

function ops.MaxPool(node, x)
  local sizes, dtype = windows.spatial(x), x.dtype
  local window = windows.of(node, sizes)
  local own = x:is_floating_point() and x or x:to("float32")
  if #node.outputs < 2 and suits_pool(window) then
    return kMax[#sizes](own, window.kernel, {
      stride = window.strides, padding = window.before, dilation = window.dilations,
      ceil_mode = node.attributes.ceil_mode == 1,
    }):to(dtype)
  end
  local filled = padded(own, window, overhang(node, window, sizes), -math.huge)
  local options = {stride = window.strides, dilation = window.dilations}
  if #node.outputs < 2 then return kMax[#sizes](filled, window.kernel, options):to(dtype) end
  local largest, places = kMaxWithIndices[#sizes](filled, window.kernel, options)
  return largest:to(dtype), onnx_positions(places, x, window, windows.spatial(filled),
    node.attributes.storage_order == 1)
end

function ops.AveragePool(node, x)
  local sizes = windows.spatial(x)
  local window = windows.of(node, sizes)
  local overhang_sizes = overhang(node, window, sizes)
  local count_pads = node.attributes.count_include_pad == 1
  if suits_pool(window) and not is_spread(window) then
    return kAverage[#sizes](x, window.kernel, {
      stride = window.strides, padding = window.before, ceil_mode = node.attributes.ceil_mode == 1,
      count_include_pad = count_pads,
    })
  end
  local function means(y) return window_means(padded(y, window, overhang_sizes, 0), window, #sizes) end
  -- The fraction of each window that counts.
  local counted = tide.ones({1, 1, table.unpack(sizes)}, {dtype = x.dtype, device = x.device})
  if not count_pads then return means(x) / means(counted) end
  local all = padded(counted, window, values.filled(#sizes, 0), 1)
  local nothing = {before = values.filled(#sizes, 0), after = values.filled(#sizes, 0)}
  local shares = window_means(padded(all, nothing, overhang_sizes, 0), window, #sizes)
  return means(x) / shares
end

function ops.LpPool(node, x)
  local p = node.attributes.p or 2
  local sizes = windows.spatial(x)
  local window = windows.of(node, sizes)
  local powers = padded(x:abs():pow(p), window, overhang(node, window, sizes), 0)
  local means = window_means(powers, window, #sizes)
  return (means * values.product(window.kernel)):pow(1 / p)
end

--- The spatial dimensions of x.
local function spatial_dims(x)
  local dims = {}
  for d = 3, x:dim() do dims[#dims + 1] = d end
  return dims
end

function ops.GlobalAveragePool(_, x) return x:mean(spatial_dims(x), true) end

function ops.GlobalMaxPool(_, x) return x:amax(spatial_dims(x), true) end

function ops.GlobalLpPool(node, x)
  local p = node.attributes.p or 2
  return x:abs():pow(p):sum(spatial_dims(x), true):pow(1 / p)
end

function ops.MaxUnpool(node, x, positions, output_shape)
  local sizes = windows.spatial(x)
  local window = windows.of(node, sizes)
  local natural, count = {x:size(1), x:size(2)}, 1
  for d, size in ipairs(sizes) do
    local pads = window.before[d] + window.after[d]
    natural[d + 2] = (size - 1) * window.strides[d] + window.kernel[d] - pads
  end
  for _, size in ipairs(natural) do count = count * size end
  local flat = tide.zeros({count}, {dtype = x.dtype, device = x.device})
  local filled = flat:scatter(1, positions:flatten() + 1, x:flatten()):reshape(natural)
  local wanted = values.list(output_shape)
  if not wanted then return filled end
  local list = {}
  for d = #wanted, 1, -1 do
    list[#list + 1] = 0
    list[#list + 1] = wanted[d] - natural[d]
  end
  return F.pad(filled, list)
end

--- The largest values in the cells of boxes; the boxes are read, because their sizes differ.
function ops.MaxRoiPool(node, x, rois)
  local shape, scale = node.attributes.pooled_shape, node.attributes.spatial_scale or 1.0
  if not shape or shape[1] < 1 or shape[2] < 1 or shape[1] > kMaxParts // shape[2] then
    raise "pooled_shape must be two sizes with at most 65536 cells"
  end
  local height, width, results = x:size(3), x:size(4), {}
  local function range(start, size, i, parts, limit)
    local first = math.floor(start + i * size / parts)
    local last = math.ceil(start + (i + 1) * size / parts)
    first, last = math.max(0, math.min(first, limit)), math.max(0, math.min(last, limit))
    return first + 1, last - first
  end
  for i, roi in ipairs(rois:tolist()) do
    local box = {}
    for k = 2, 5 do box[k] = math.floor(roi[k] * scale + 0.5) end
    local w, h = math.max(1, box[4] - box[2] + 1), math.max(1, box[5] - box[3] + 1)
    local image, cells = x:select(1, math.tointeger(roi[1]) + 1), {}
    for row = 0, shape[1] - 1 do
      for column = 0, shape[2] - 1 do
        local top, rows = range(box[3], h, row, shape[1], height)
        local left, columns = range(box[2], w, column, shape[2], width)
        cells[#cells + 1] = rows > 0 and columns > 0
          and image:narrow(2, top, rows):narrow(3, left, columns):amax({2, 3})
          or tide.zeros({x:size(2)}, {dtype = x.dtype, device = x.device})
      end
    end
    results[i] = tide.stack(cells, 2):reshape(x:size(2), shape[1], shape[2])
  end
  return tide.stack(results)
end

return ops

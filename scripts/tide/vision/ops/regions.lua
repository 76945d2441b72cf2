-- Features of regions: each box of an image becomes a grid of fixed size.
local define = require "tide.internal.declare.define"
local reader = require "tide.internal.declare.reader"
local Module = require "tide.nn.module"
local raise = require "tide.internal.raise"
local sizes = require "tide.nn.internal.sizes"
local tide = require "tide"

local regions = {}

--- Boxes as rows (image from 1, x1, y1, x2, y2); the input is such a tensor, or a list with a tensor
--- (n, 4) for each image.
local function read_boxes(caller, input, boxes)
  if input:dim() ~= 4 then
    raise("%s: expected features (n, channels, height, width), got (%s)", caller,
      table.concat(input.shape, ", "))
  end
  local is_list = type(boxes) == "table" and not getmetatable(boxes)
  if is_list then
    if #boxes ~= input:size(1) then
      raise("%s: expected boxes of %d images, got %d", caller, input:size(1), #boxes)
    end
    local rows = {}
    for i, of_image in ipairs(boxes) do
      if not tide.is_tensor(of_image) or of_image:dim() ~= 2 or of_image:size(2) ~= 4 then
        raise("%s: boxes of image %d: expected a tensor of shape (n, 4)", caller, i)
      end
      rows[i] = tide.cat({of_image:new_full({of_image:size(1), 1}, i), of_image}, 2)
    end
    boxes = tide.cat(rows, 1)
  end
  if not tide.is_tensor(boxes) or boxes:dim() ~= 2 or boxes:size(2) ~= 5 then
    raise("%s: boxes: expected a tensor of shape (n, 5), or a list of tensors of shape (n, 4)", caller)
  end
  return boxes:detach():to(input.dtype)
end

--- The image of each box as int64, and columns 2 to 5, each of shape (n).
local function columns(boxes)
  local parts = boxes:unbind(2)
  return parts[1]:to("int64"), parts[2], parts[3], parts[4], parts[5]
end

--- The indices and weights of the two pixels around each position of a line of `size` pixels.
local function neighbours(position, size)
  local inside = position:ge(-1):logical_and(position:le(size)):to(position.dtype)
  local clamped = position:clamp(0)
  local low = clamped:floor():clamp(0, size - 1)
  local high = (low + 1):clamp(0, size - 1)
  local beyond = low:ge(size - 1):to(position.dtype)
  local fraction = (clamped - low) * (1 - beyond)
  return low:to("int64"), high:to("int64"), (1 - fraction) * inside, fraction * inside
end

--- Positions (boxes, cells * samples) of the samples along one dimension, `samples` in each cell.
local function sample_positions(first, cell, cells, samples)
  local step = (tide.arange(cells * samples, {dtype = first.dtype, device = first.device}) + 0.5)
    / samples
  return first:unsqueeze(2) + cell:unsqueeze(2) * step:unsqueeze(1)
end

--- Means of samples over cells, for boxes with the same number of samples: (boxes, channels, cells...);
--- 0 without samples.
local function align(input, image, lines, sides, cells, samples)
  local channels, height, width = input:size(2), input:size(3), input:size(4)
  if samples[1] * samples[2] == 0 then
    return input:new_zeros({image:size(1), channels, cells[1], cells[2]})
  end
  local y = sample_positions(lines[2], sides[2], cells[1], samples[1])
  local x = sample_positions(lines[1], sides[1], cells[2], samples[2])
  local y_low, y_high, y_low_weight, y_high_weight = neighbours(y, height)
  local x_low, x_high, x_low_weight, x_high_weight = neighbours(x, width)
  local flat = input:permute(1, 3, 4, 2):reshape(-1, channels)
  local count, rows, samples_across = image:size(1), y:size(2), x:size(2)
  -- The start of each image's pixels; looked up so that a nonexistent image is an error.
  local first = tide.arange(input:size(1), {dtype = "int64", device = input.device}) * (height * width)
  local base = first:index_select(1, image):reshape(count, 1, 1)
  local function pixels(row, column, row_weight, column_weight)
    local index = base + row:unsqueeze(3) * width + column:unsqueeze(2) + 1
    local weight = row_weight:unsqueeze(3) * column_weight:unsqueeze(2)
    return flat:index_select(1, index:reshape(-1)):reshape(count, rows, samples_across, channels)
      * weight:unsqueeze(4)
  end
  local sum = pixels(y_low, x_low, y_low_weight, x_low_weight)
    + pixels(y_low, x_high, y_low_weight, x_high_weight)
    + pixels(y_high, x_low, y_high_weight, x_low_weight)
    + pixels(y_high, x_high, y_high_weight, x_high_weight)
  return sum:reshape(count, cells[1], samples[1], cells[2], samples[2], channels):mean({3, 5})
    :permute(1, 4, 2, 3)
end

--- Groups the positions of boxes by their number of samples {rows, columns}.
local function groups_by_samples(width, height, cells)
  local groups, order = {}, {}
  local rows = (height / cells[1]):ceil():clamp(0):tolist()
  local columns = (width / cells[2]):ceil():clamp(0):tolist()
  for i = 1, #rows do
    local samples = {math.tointeger(rows[i]), math.tointeger(columns[i])}
    if not samples[1] or not samples[2] then
      raise("roi_align: box %d has no size: %s x %s cells", i, rows[i], columns[i])
    end
    local key = samples[1] .. "x" .. samples[2]
    if not groups[key] then
      groups[key] = {samples = samples, positions = {}}
      order[#order + 1] = groups[key]
    end
    table.insert(groups[key].positions, i)
  end
  return order
end

--- Means of samples in the cells of each box. Boxes are rows (image from 1, x1, y1, x2, y2), or a list with the boxes
--- of each image; waits without a sampling_ratio.
---@param input tensor  features: (n, channels, height, width)
---@param boxes tensor | tensor[]  rows (image from 1, x1, y1, x2, y2), or a list of boxes for each image
---@use vision: output_size, spatial_scale = 1.0
---@param sampling_ratio number = -1  samples per cell along each side; not positive: one for each pixel
---@use vision: aligned = false
---@example
--- tide.vision.ops.roi_align(tide.ones(1, 1, 4, 4), tide.tensor{{1.0, 0, 0, 2, 2}}, 2).shape --> {1, 1, 2, 2}
local read_align = reader "vision.ops.roi_align"

--- Means of interpolated samples in each cell of each box (He et al., 2017): (boxes, channels, height,
--- width) with output_size. Boxes are rows (image from 1, x1, y1, x2, y2), or a list with a tensor
--- (n, 4) for each image, scaled by spatial_scale to coordinates in the input. A cell has
--- sampling_ratio ^ 2 samples; with -1 one for each pixel, which waits. With aligned, pixel centers
--- are at half-integers. Only the input gets gradients.
function regions.roi_align(...)
  local given = read_align(...)
  local input, cells = given.input, sizes.expand("roi_align", given.output_size, 2)
  local image, x1, y1, x2, y2 = columns(read_boxes("roi_align", input, given.boxes))
  local scale, offset = given.spatial_scale, given.aligned and 0.5 or 0
  local left, top = x1 * scale - offset, y1 * scale - offset
  local width, height = x2 * scale - offset - left, y2 * scale - offset - top
  if not given.aligned then width, height = width:clamp(1), height:clamp(1) end
  local sides = {width / cells[2], height / cells[1]}
  if image:size(1) == 0 then return input:new_zeros({0, input:size(2), cells[1], cells[2]}) end
  local ratio = math.tointeger(given.sampling_ratio)
  if ratio and ratio > 0 then
    return align(input, image, {left, top}, sides, cells, {ratio, ratio})
  end
  local parts, order = {}, {}
  for i, group in ipairs(groups_by_samples(width, height, cells)) do
    local picked = tide.tensor(group.positions, {dtype = "int64", device = input.device})
    local function pick(t) return t:index_select(1, picked) end
    parts[i] = align(input, pick(image), {pick(left), pick(top)}, {pick(sides[1]), pick(sides[2])},
      cells, group.samples)
    table.move(group.positions, 1, #group.positions, #order + 1, order)
  end
  local back = tide.tensor(order, {dtype = "int64", device = input.device}):argsort()
  return tide.cat(parts, 1):index_select(1, back)
end

--- The largest values in the cells of each box; boxes as in roi_align.
---@param input tensor  features: (n, channels, height, width)
---@param boxes tensor | tensor[]  rows (image from 1, x1, y1, x2, y2), or a list of boxes for each image
---@use vision: output_size, spatial_scale = 1.0
---@example
--- local x = tide.arange(16):float():reshape(1, 1, 4, 4)
--- tide.vision.ops.roi_pool(x, tide.tensor{{1.0, 0, 0, 3, 3}}, 2) --> {{{{5.0, 7.0}, {13.0, 15.0}}}}
local read_pool = reader "vision.ops.roi_pool"

--- The first pixel (boxes, cells), from 0, of cells along one dimension, and the one after the last.
local function cell_borders(first, last, cells, size)
  local cell = ((last - first + 1):clamp(1) / cells):unsqueeze(2)
  local step = tide.arange(cells, {dtype = first.dtype, device = first.device}):unsqueeze(1)
  local start = first:unsqueeze(2)
  return ((step * cell):floor() + start):clamp(0, size),
    (((step + 1) * cell):ceil() + start):clamp(0, size)
end

--- Whether pixel p (from 0) is in each cell: (boxes, cells, size).
local function membership(size, from, to)
  local pixel = tide.arange(size, {dtype = from.dtype, device = from.device}):reshape(1, 1, size)
  return pixel:ge(from:unsqueeze(3)):logical_and(pixel:lt(to:unsqueeze(3)))
end

--- The largest value in each cell of each box (Girshick, 2015), 0 in cells without pixels. Boxes are
--- as in roi_align, rounded to pixels.
function regions.roi_pool(...)
  local given = read_pool(...)
  local input, cells = given.input, sizes.expand("roi_pool", given.output_size, 2)
  local image, x1, y1, x2, y2 = columns(read_boxes("roi_pool", input, given.boxes))
  local function pixel(t)
    local scaled = t * given.spatial_scale
    return (scaled + scaled:sign() * 0.5):trunc() -- rounds half away from zero
  end
  local height, width = input:size(3), input:size(4)
  local rows_in = membership(height, cell_borders(pixel(y1), pixel(y2), cells[1], height))
  local columns_in = membership(width, cell_borders(pixel(x1), pixel(x2), cells[2], width))
  if image:size(1) == 0 then return input:new_zeros({0, input:size(2), cells[1], cells[2]}) end
  local count, channels = image:size(1), input:size(2)
  -- The maximum over the columns of each cell, and then over its rows.
  local picked = input:index_select(1, image):unsqueeze(4)
  local over = picked:masked_fill(columns_in:reshape(count, 1, 1, cells[2], width):logical_not(), -math.huge)
    :amax(5):unsqueeze(3)
  local mask = rows_in:reshape(count, 1, cells[1], height, 1):logical_not()
  local pooled = over:masked_fill(mask, -math.huge):amax(4)
  return pooled:masked_fill(pooled:eq(-math.huge), 0):reshape(count, channels, cells[1], cells[2])
end

--- Makes the declared module from a function: the arguments after input and boxes are its options.
local function region_layer(declared, fn)
  local Layer, read, _, option_names = define(declared, Module)

  function Layer:init(...)
    for option, value in pairs(read(...)) do self[option] = value end
  end

  function Layer:forward(input, boxes)
    local names, options = option_names(), {}
    for i, option in ipairs(names) do options[i] = self[option] end
    return regions[fn](input, boxes, table.unpack(options, 1, #names))
  end

  regions[Layer.name] = Layer
end

--- roi_align as a module.
---@use vision: output_size, spatial_scale
---@param sampling_ratio integer  samples per cell along each side; not positive: one for each pixel
---@use vision: aligned = false
---@example
--- tide.vision.ops.RoIAlign(2, 1, 2)(tide.ones(1, 1, 4, 4), {tide.tensor{{0.0, 0, 2, 2}}}).shape --> {1, 1, 2, 2}
region_layer("vision.ops.RoIAlign", "roi_align")

--- roi_pool as a module.
---@use vision: output_size, spatial_scale
---@example
--- tide.vision.ops.RoIPool(1, 1)(tide.ones(1, 1, 4, 4), {tide.tensor{{0.0, 0, 2, 2}}}).shape --> {1, 1, 1, 1}
region_layer("vision.ops.RoIPool", "roi_pool")

return regions

-- Images for viewing: grids, drawing boxes, saving to files.
local F = require("tide.native").functional
local reader = require "tide.internal.declare.reader"
local io = require "tide.vision.io"
local kind_of = require "tide.internal.kind_of"
local picture = require "tide.vision.transforms.picture"
local of_type = require "tide.internal.declare.of_type"
local raise = require "tide.internal.raise"
local tide = require "tide"

local utils = {}

-- Grids -------------------------------------------------------------------------------------------

--- A batch (n, 3 or more channels, height, width) from a list, a batch or a single image.
local function batch_of(caller, tensor)
  if type(tensor) == "table" and not tide.is_tensor(tensor) then
    if #tensor == 0 then raise("%s: expected at least one image", caller) end
    tensor = tide.stack(tensor, 1)
  end
  picture.check(caller, tensor)
  if tensor:dim() == 2 then tensor = tensor:unsqueeze(1) end
  if tensor:dim() == 3 then tensor = tensor:unsqueeze(1) end
  if tensor:dim() ~= 4 then
    raise("%s: expected images (n, channels, height, width), got shape (%s)", caller,
      table.concat(tensor.shape, ", "))
  end
  if tensor:size(1) == 0 then raise("%s: expected at least one image", caller) end
  if tensor:size(2) == 1 then tensor = tensor:expand(-1, 3, -1, -1) end
  return tensor
end

--- Scales values from `value_range`, or from their range over `dims`, to 0..1.
local function normalized(x, value_range, dims)
  local low = value_range and value_range[1] or x:amin(dims, {keepdim = true})
  local high = value_range and value_range[2] or x:amax(dims, {keepdim = true})
  if value_range then return (x:clamp(low, high) - low) / math.max(high - low, 1e-5) end
  return (x - low) / (high - low):clamp(1e-5)
end


local function grid_of(caller, given)
  local batch = batch_of(caller, given.tensor)
  if given.nrow < 1 then raise("%s: nrow must be at least 1, got %d", caller, given.nrow) end
  if given.normalize then
    batch = normalized(batch, given.value_range, given.scale_each and {2, 3, 4} or {1, 2, 3, 4})
  end
  local count, channels, height, width = table.unpack(batch.shape)
  if count == 1 then return batch:squeeze(1) end
  local columns, padding = math.min(given.nrow, count), given.padding
  local rows = (count + columns - 1) // columns
  -- Each image is padded at the left and the top; the grid gets the padding at the right and the bottom.
  local framed = F.pad(batch, {padding, 0, padding, 0, 0, 0, 0, rows * columns - count}, "constant", given.pad_value)
  local grid = framed:reshape(rows, columns, channels, height + padding, width + padding):permute(3, 1, 4, 2, 5)
    :reshape(channels, rows * (height + padding), columns * (width + padding))
  return F.pad(grid, {0, padding, 0, padding}, "constant", given.pad_value)
end

--- Arranges a batch or list of images in a grid, nrow (8) per row, padding (2) pixels apart.
---@use vision: tensor, nrow = 8
---@param padding integer >= 0 = 2  pixels between images
---@use vision: normalize = false, value_range = nil, scale_each = false, pad_value = 0
---@example
--- tide.vision.make_grid(tide.ones(5, 3, 4, 4), {nrow = 3}).shape --> {3, 14, 20}
local read_grid = reader "vision.make_grid"

function utils.make_grid(...) return grid_of("make_grid", read_grid(...)) end

local kFormats <const> = {png = io.encode_png, jpg = io.encode_jpeg, jpeg = io.encode_jpeg}

--- Writes images of floats 0..1, as a grid, to a PNG or JPEG file.
---@use vision: tensor
---@param fp string  name of the file
---@param format "png" | "jpeg" | "jpg" = nil  format of the file; nil: by its extension
---@use vision: nrow = 8
---@param padding integer >= 0 = 2  pixels between images
---@use vision: normalize = false, value_range = nil, scale_each = false, pad_value = 0
---@example
--- local path = tide.scratch() .. "/x.png"
--- tide.vision.save_image(tide.ones(5, 3, 4, 4), path, {nrow = 3})
--- tide.vision.read_image(path).shape --> {3, 14, 20}
local read_save = reader "vision.save_image"

function utils.save_image(...)
  local given = read_save(...)
  local format = given.format or tostring(given.fp):match "%.(%w+)$" or ""
  local encode = kFormats[format:lower()]
  if not encode then
    raise("save_image: '%s' has no known format: expected an extension or format jpeg, jpg or png", tostring(given.fp))
  end
  local grid = grid_of("save_image", given)
  io.write_file(given.fp, encode((grid * 255 + 0.5):clamp(0, 255):to("uint8")))
end

-- Boxes -------------------------------------------------------------------------------------------

local kColors <const> = {
  black = "#000000", white = "#ffffff", red = "#ff0000", lime = "#00ff00", green = "#008000", blue = "#0000ff",
  yellow = "#ffff00", cyan = "#00ffff", magenta = "#ff00ff", orange = "#ffa500", purple = "#800080",
  gray = "#808080", brown = "#a52a2a", pink = "#ffc0cb", navy = "#000080",
}

--- Red, green and blue of a name, "#rrggbb" or a list.
local function parsed_color(color)
  if type(color) == "table" and #color == 3 then return color end
  local text = type(color) == "string" and (kColors[color:lower()] or color)
  local red, green, blue = (text or ""):match "^#(%x%x)(%x%x)(%x%x)$"
  if not red then
    raise("draw_bounding_boxes: expected a color: a name such as red, '#rrggbb' or {red, green, blue}, got %s",
      type(color) == "string" and "'" .. color .. "'" or kind_of(color))
  end
  return {tonumber(red, 16), tonumber(green, 16), tonumber(blue, 16)}
end

--- A color for each of `count` boxes.
local function colors_for(colors, count)
  local result = {}
  local is_one = type(colors) == "string" or type(colors) == "table" and type(colors[1]) == "number"
  if colors and not is_one and #of_type("draw_bounding_boxes", "colors", colors, "table") < count then
    raise("draw_bounding_boxes: %d colors for %d boxes", #colors, count)
  end
  for i = 1, count do
    if colors then
      result[i] = parsed_color(is_one and colors or colors[i])
    else
      result[i] = {(i - 1) * 33554431 % 255, (i - 1) * 32767 % 255, (i - 1) * 2097151 % 255}
    end
  end
  return result
end

--- The opacity of filled boxes, of 255.
local kFillShare <const> = 100

--- Draws boxes (n, 4) into a copy of an image, {left, top, right, bottom} in pixels from 0; colors are names, "#rrggbb"
--- or {red, green, blue}; waits for the boxes.
---@param image tensor  the image (channels, height, width)
---@use vision: boxes
---@param colors string | table = nil  a color for all boxes or one for each
---@param fill boolean = false  fill the boxes
---@param width integer >= 0 = 1  width of the lines
---@example
--- local boxes = tide.tensor{{1, 1, 3, 3}}
--- tide.vision.draw_bounding_boxes(tide.zeros(1, 4, 4), boxes, {colors = "red"})[1][2] --> {0.0, 1.0, 1.0, 1.0}
local read_boxes = reader "vision.draw_bounding_boxes"

function utils.draw_bounding_boxes(...)
  local given = read_boxes(...)
  local image, boxes = given.image, given.boxes
  local channels = picture.check_colors("draw_bounding_boxes", image, 3)
  if image:dim() ~= 3 then raise("draw_bounding_boxes: expected one image, not a batch") end
  if boxes:dim() ~= 2 or boxes:size(2) ~= 4 then
    raise("draw_bounding_boxes: boxes: expected shape (n, 4), got (%s)", table.concat(boxes.shape, ", "))
  end
  if boxes:size(1) == 0 then return image end
  local white = picture.max_value(image.dtype) / 255
  if channels == 1 then image = image:expand(3, -1, -1) end
  local height, width = picture.size(image)
  local result = image:clone()
  local colors = colors_for(given.colors, boxes:size(1))
  for i, box in ipairs(boxes:to("int64"):tolist()) do
    local left, top, right, bottom = table.unpack(box)
    if left > right or top > bottom then
      raise("draw_bounding_boxes: expected boxes {left, top, right, bottom}, got {%d, %d, %d, %d}", left, top, right,
        bottom)
    end
    local color = (tide.tensor(colors[i], {device = image.device}):to("float32") * white):reshape(3, 1, 1)
    --- Draws columns x1..x2 of rows y1..y2, counted from 0, with the opacity `share` of 255.
    local function draw(x1, y1, x2, y2, share)
      x1, y1, x2, y2 = math.max(x1, 0), math.max(y1, 0), math.min(x2, width - 1), math.min(y2, height - 1)
      if x1 > x2 or y1 > y2 then return end
      local region = {{}, {y1 + 1, y2 + 1}, {x1 + 1, x2 + 1}}
      local value = color
      if share < 255 then value = (result[region] * (255.0 - share) + color * share) / 255 end
      if not image:is_floating_point() then value = value:round() end
      result[region] = value:to(image.dtype)
    end
    if given.fill then draw(left, top, right, bottom, kFillShare) end
    local across, down = math.min(given.width, right - left + 1) - 1, math.min(given.width, bottom - top + 1) - 1
    draw(left, top, right, top + down, 255)
    draw(left, bottom - down, right, bottom, 255)
    draw(left, top, left + across, bottom, 255)
    draw(right - across, top, right, bottom, 255)
  end
  return result
end

return utils

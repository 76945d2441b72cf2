-- Sizes of images: resizing, cropping, padding and flipping.
local checked = require "tide.internal.declare.checked"
local F = require("tide.native").functional
local reader = require "tide.internal.declare.reader"
local picture = require "tide.vision.transforms.picture"
local of_type = require "tide.internal.declare.of_type"
local raise = require "tide.internal.raise"
local tide = require "tide"

local shapes = {}

--- Channels, height and width.
---@param img tensor  images (..., channels, height, width)
---@example
--- {tide.vision.transforms.functional.get_dimensions(tide.ones(3, 4, 5))} --> {3, 4, 5}
shapes.get_dimensions = checked("vision.transforms.functional.get_dimensions", function(image)
  local height, width, channels = picture.size(picture.check("get_dimensions", image))
  return channels, height, width
end)

--- Width and height.
---@param img tensor  images (..., channels, height, width)
---@example
--- {tide.vision.transforms.functional.get_image_size(tide.ones(3, 4, 5))} --> {5, 4}
shapes.get_image_size = checked("vision.transforms.functional.get_image_size", function(image)
  local height, width = picture.size(picture.check("get_image_size", image))
  return width, height
end)

--- The number of channels.
---@param img tensor  images (..., channels, height, width)
---@example
--- tide.vision.transforms.functional.get_image_num_channels(tide.ones(3, 4, 5)) --> 3
shapes.get_image_num_channels = checked("vision.transforms.functional.get_image_num_channels", function(image)
  local _, _, channels = picture.size(picture.check("get_image_num_channels", image))
  return channels
end)

-- Resizing ----------------------------------------------------------------------------------------

local kInterpolations <const> = {
  nearest = true, ["nearest-exact"] = true, bilinear = true, bicubic = true,
}

--- The output size for an image of height x width: `size` is {h, w}, or the size of the shorter edge.
local function output_size(caller, height, width, size, max_size)
  local list = type(size) == "table" and size or {size}
  for _, edge in ipairs(list) do
    if not math.tointeger(edge) or edge < 1 then
      raise("%s: size: expected one or two integers of at least 1, got %s", caller, tostring(edge))
    end
  end
  if #list == 2 then
    if max_size then raise("%s: max_size needs size to be a single number", caller) end
    return math.tointeger(list[1]), math.tointeger(list[2])
  end
  if #list ~= 1 then raise("%s: size: expected one or two numbers, got %d", caller, #list) end
  local short, long = math.min(height, width), math.max(height, width)
  local new_short, new_long = math.tointeger(list[1]), math.tointeger(list[1] * long // short)
  if max_size then
    if max_size <= new_short then
      raise("%s: max_size must be greater than the shorter edge's size %d, got %d", caller, new_short, max_size)
    end
    if new_long > max_size then new_short, new_long = math.tointeger(max_size * new_short // new_long), max_size end
  end
  if width <= height then return new_long, new_short end
  return new_short, new_long
end

local function resized(caller, image, given)
  picture.check(caller, image)
  local mode = given.interpolation
  if not kInterpolations[mode] then
    raise("%s: interpolation: expected bicubic, bilinear, nearest or nearest-exact, got '%s'", caller, tostring(mode))
  end
  local height, width = picture.size(image)
  local new_height, new_width = output_size(caller, height, width, given.size, given.max_size)
  if new_height == height and new_width == width then return image end
  local options = {size = {new_height, new_width}, mode = mode}
  if mode == "bilinear" or mode == "bicubic" then options.antialias = given.antialias and true or false end
  -- Bytes use integer arithmetic, rounding after rows and after columns, like Pillow and torchvision's transforms v2.
  return picture.as_batch(image, function(batch) return F.interpolate(batch, options) end,
    image.dtype == "uint8" and "uint8" or nil)
end

--- Resizes to {height, width}, or the shorter edge to a size; nearest, nearest-exact, bilinear or bicubic.
---@use vision: img, size, interpolation = "bilinear"
---@param max_size integer >= 0 = nil  limit for the longer edge
---@use vision: antialias = true
---@example
--- tide.vision.transforms.functional.resize(tide.ones(3, 40, 60), 20).shape --> {3, 20, 30}
local read_resize = reader "vision.transforms.functional.resize"

function shapes.resize(...)
  local given = read_resize(...)
  return resized("resize", given.img, given)
end

-- Padding -----------------------------------------------------------------------------------------

--- The positions 1..size with `before` and `after` mirrored ones around them, edge included; negative
--- numbers remove positions instead.
local function mirrored(size, before, after, device)
  local cut = math.max(-before, 0)
  local count, positions = size - cut - math.max(-after, 0), {}
  for i = -math.max(before, 0), count + math.max(after, 0) - 1 do
    local phase = i % (2 * count)
    positions[#positions + 1] = cut + (phase < count and phase or 2 * count - 1 - phase) + 1
  end
  return tide.tensor(positions, {device = device})
end

local kPadModes <const> = {constant = "constant", edge = "replicate", reflect = "reflect", symmetric = "symmetric"}

--- Reads padding as left, top, right, bottom.
local function four_pads(caller, padding)
  if type(padding) == "number" then return padding, padding, padding, padding end
  for i, pixels in ipairs(of_type(caller, "padding", padding, "table")) do
    of_type(caller, ("padding[%d]"):format(i), pixels, "number")
  end
  local a, b, c, d = table.unpack(padding)
  if #padding == 1 then return a, a, a, a end
  if #padding == 2 then return a, b, a, b end
  if #padding ~= 4 then raise("%s: padding: expected 1, 2 or 4 numbers, got %d", caller, #padding) end
  return a, b, c, d
end

local function padded(caller, image, padding, fill, padding_mode)
  picture.check(caller, image)
  local mode = kPadModes[padding_mode]
  if not mode then
    raise("%s: padding_mode: expected constant, edge, reflect or symmetric, got '%s'", caller, tostring(padding_mode))
  end
  local left, top, right, bottom = four_pads(caller, padding)
  if mode == "symmetric" then
    local height, width = picture.size(image)
    local rows = mirrored(height, top, bottom, image.device)
    local columns = mirrored(width, left, right, image.device)
    return image:index_select(-2, rows):index_select(-1, columns)
  end
  if mode ~= "constant" then
    local shape = image.shape
    local height, width = picture.size(image)
    local result = F.pad(image:reshape(1, -1, height, width), {left, right, top, bottom}, mode)
    shape[#shape - 1], shape[#shape] = result:size(-2), result:size(-1)
    return result:reshape(shape)
  end
  if type(fill) == "table" then
    if #fill == 1 then
      fill = fill[1]
    else
      local parts = {}
      for channel, value in ipairs(fill) do
        parts[channel] = F.pad(image:narrow(-3, channel, 1), {left, right, top, bottom}, "constant", value)
      end
      return tide.cat(parts, -3)
    end
  end
  return F.pad(image, {left, right, top, bottom}, "constant", fill)
end

--- Pads an image: padding is one number, {horizontal, vertical} or {left, top, right, bottom}; mode constant, edge,
--- reflect or symmetric.
---@use vision: img, padding
---@param fill number | number[] = 0  value of padded pixels, for all channels or for each
---@use vision: padding_mode = "constant"
---@example
--- tide.vision.transforms.functional.pad(tide.tensor{{{1, 2}}}, {1, 0}, 9) --> {{{9, 1, 2, 9}}}
shapes.pad = checked("vision.transforms.functional.pad", function(img, padding, fill, padding_mode)
  return padded("pad", img, padding, fill, padding_mode)
end)

-- Cropping ----------------------------------------------------------------------------------------

--- The region of height x width that starts `top` rows below and `left` columns right of the corner;
--- black outside the image.
local function cropped(caller, image, top, left, height, width)
  picture.check(caller, image)
  local h, w = picture.size(image)
  local first_row, last_row = math.max(top, 0), math.min(top + height, h)
  local first_column, last_column = math.max(left, 0), math.min(left + width, w)
  if last_row <= first_row or last_column <= first_column then
    local shape = image.shape
    shape[#shape - 1], shape[#shape] = height, width
    return tide.zeros(shape, {dtype = image.dtype, device = image.device})
  end
  local part = image:narrow(-2, first_row + 1, last_row - first_row)
    :narrow(-1, first_column + 1, last_column - first_column)
  if last_row - first_row == height and last_column - first_column == width then return part end
  return F.pad(part, {first_column - left, left + width - last_column, first_row - top, top + height - last_row})
end

--- Crops the region whose first pixel is at row top and column left, from 1; black outside the image.
---@use vision: img, top, left, height, width
---@example
--- tide.vision.transforms.functional.crop(tide.tensor{{{1, 2, 3}}}, 1, 2, 1, 3) --> {{{2, 3, 0}}}
shapes.crop = checked("vision.transforms.functional.crop", function(img, top, left, height, width)
  return cropped("crop", img, top - 1, left - 1, height, width)
end)

--- Crops, then resizes.
---@use vision: img, top, left, height, width, size, interpolation = "bilinear", antialias = true
---@example
--- tide.vision.transforms.functional.resized_crop(tide.ones(3, 8, 8), 2, 2, 4, 4, {6, 6}).shape --> {3, 6, 6}
local read_resized_crop = reader "vision.transforms.functional.resized_crop"

function shapes.resized_crop(...)
  local given = read_resized_crop(...)
  local part = cropped("resized_crop", given.img, given.top - 1, given.left - 1, given.height, given.width)
  return resized("resized_crop", part, given)
end

--- Half of an integer, rounded half to even.
local function rounded_half(n)
  local half = n // 2
  return n % 2 == 1 and half % 2 == 1 and half + 1 or half
end

local function center_cropped(caller, image, size)
  picture.check(caller, image)
  local crop_height, crop_width = picture.pair(caller, "output_size", size)
  local height, width = picture.size(image)
  if crop_height > height or crop_width > width then
    local down, across = math.max(crop_height - height, 0), math.max(crop_width - width, 0)
    image = F.pad(image, {across // 2, (across + 1) // 2, down // 2, (down + 1) // 2})
    height, width = picture.size(image)
  end
  return cropped(caller, image, rounded_half(height - crop_height), rounded_half(width - crop_width),
    crop_height, crop_width)
end

--- Crops the center, padded with black if the image is too small.
---@use vision: img, output_size
---@example
--- tide.vision.transforms.functional.center_crop(tide.tensor{{{1, 2, 3}}}, {1, 1}) --> {{{2}}}
local read_center_crop = reader "vision.transforms.functional.center_crop"

function shapes.center_crop(...)
  local given = read_center_crop(...)
  return center_cropped("center_crop", given.img, given.output_size)
end

local function five_crops(caller, image, size)
  picture.check(caller, image)
  local height, width = picture.pair(caller, "size", size)
  local h, w = picture.size(image)
  if height > h or width > w then
    raise("%s: the size %d x %d is larger than the image's %d x %d", caller, height, width, h, w)
  end
  local function at(top, left) return cropped(caller, image, top, left, height, width) end
  return at(0, 0), at(0, w - width), at(h - height, 0), at(h - height, w - width),
    center_cropped(caller, image, {height, width})
end

--- Returns five crops: the corners and the center.
---@use vision: img, size
---@example
--- select("#", tide.vision.transforms.functional.five_crop(tide.ones(3, 4, 4), 2)) --> 5
shapes.five_crop = checked("vision.transforms.functional.five_crop", function(img, size)
  return five_crops("five_crop", img, size)
end)

--- Returns ten crops: five_crop of the image and of its mirror image.
---@use vision: img, size, vertical_flip = false
---@example
--- select("#", tide.vision.transforms.functional.ten_crop(tide.ones(3, 4, 4), 2)) --> 10
shapes.ten_crop = checked("vision.transforms.functional.ten_crop", function(img, size, vertical_flip)
  local crops = {five_crops("ten_crop", img, size)}
  local flipped = img:flip(vertical_flip and -2 or -1)
  table.move({five_crops("ten_crop", flipped, size)}, 1, 5, 6, crops)
  return table.unpack(crops)
end)

-- Flipping ----------------------------------------------------------------------------------------

--- Flips left and right.
---@param img tensor  images (..., channels, height, width)
---@example
--- tide.vision.transforms.functional.hflip(tide.tensor{{{1, 2}}}) --> {{{2, 1}}}
shapes.hflip = checked("vision.transforms.functional.hflip", function(img)
  return picture.check("hflip", img):flip(-1)
end)

--- Flips top and bottom.
---@param img tensor  images (..., channels, height, width)
---@example
--- tide.vision.transforms.functional.vflip(tide.tensor{{{1}, {2}}}) --> {{{2}, {1}}}
shapes.vflip = checked("vision.transforms.functional.vflip", function(img)
  return picture.check("vflip", img):flip(-2)
end)

--- Sets h x w pixels, starting at row i and column j (from 1), to the value v.
---@use vision: img
---@param i number  first row, from 1
---@param j number  first column, from 1
---@param h integer >= 0  height of the region
---@param w integer >= 0  width of the region
---@param v number | tensor  fill value
---@use vision: inplace = false
---@example
--- tide.vision.transforms.functional.erase(tide.ones(1, 1, 3), 1, 2, 1, 1, 0) --> {{{1.0, 0.0, 1.0}}}
shapes.erase = checked("vision.transforms.functional.erase", function(img, i, j, h, w, v, inplace)
  local image = picture.check("erase", img)
  if not inplace then image = image:clone() end
  local height, width = picture.size(image)
  if i < 1 or j < 1 then raise("erase: positions start at 1, got %d, %d", i, j) end
  local last_row, last_column = math.min(i + h - 1, height), math.min(j + w - 1, width)
  if last_row >= i and last_column >= j then
    image[{"...", {i, last_row}, {j, last_column}}] = v
  end
  return image
end)

return shapes

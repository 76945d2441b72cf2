-- Colors of images, and the dtypes and ranges of their values.
local F = require("tide.native").functional
local checked = require "tide.internal.declare.checked"
local reader = require "tide.internal.declare.reader"
local picture = require "tide.vision.transforms.picture"
local raise = require "tide.internal.raise"
local tide = require "tide"

local colors = {}

-- Types -------------------------------------------------------------------------------------------

--- Extends the float range so that each integer gets an equal part of 0..1.
local kShare <const> = 1 - 1e-3

local function converted(image, dtype)
  if image.dtype == dtype then return image end
  local to_bits = picture.bits(dtype)
  if image:is_floating_point() then
    if not to_bits then return image:to(dtype) end
    if to_bits == 63 or to_bits == 31 and image.dtype ~= "float64" then
      raise("convert_image_dtype: %s has too few digits for %s: use float64 or a narrower type", image.dtype, dtype)
    end
    return (image * (picture.max_value(dtype) + kShare)):to(dtype)
  end
  local from_bits = picture.bits(image.dtype)
  if not to_bits then return image:to(dtype) / picture.max_value(image.dtype) end
  if not from_bits then return image:to(dtype) * picture.max_value(dtype) end
  if from_bits > to_bits then return image:floor_divide(1 << (from_bits - to_bits)):to(dtype) end
  return image:to(dtype) * (1 << (to_bits - from_bits))
end

--- Converts to another dtype (float32), with values scaled to its range: 0..255, 0..1.
---@param image tensor  the images
---@use vision: dtype = "float32"
---@example
--- tide.vision.transforms.functional.convert_image_dtype(tide.tensor{{{0.0, 1.0}}}, "uint8") --> {{{0, 255}}}
colors.convert_image_dtype = checked("vision.transforms.functional.convert_image_dtype", function(image, dtype)
  image = picture.check("convert_image_dtype", image)
  local name = tide[dtype] or dtype
  return converted(image, tide.empty({0}, {dtype = name}).dtype)
end)

--- Converts a uint8 image to floats 0..1; returns others unchanged.
---@param img tensor  images (..., channels, height, width)
---@example
--- tide.vision.transforms.functional.to_tensor(tide.tensor({{{0, 255}}}, {dtype = "uint8"})) --> {{{0.0, 1.0}}}
colors.to_tensor = checked("vision.transforms.functional.to_tensor", function(pic)
  picture.check("to_tensor", pic)
  return pic.dtype == "uint8" and converted(pic, tide.get_default_dtype()) or pic
end)

--- Normalizes each channel: (x - mean) / std.
---@param tensor tensor  the images
---@use vision: mean, std, inplace = false
---@formula y = (x - mean) / std
---@see vision.transforms.Normalize
---@example
--- tide.vision.transforms.functional.normalize(tide.tensor{{{0.5, 1.0}}}, {0.5}, {0.25}) --> {{{0.0, 2.0}}}
local read_normalize = reader "vision.transforms.functional.normalize"

--- A number or a list of numbers, one for each channel.
local function per_channel(value, image)
  if type(value) == "number" then return value end
  local tensor = tide.is_tensor(value) and value or tide.tensor(value)
  tensor = tensor:to(image.dtype):to(image.device)
  return tensor:dim() == 1 and tensor:reshape(-1, 1, 1) or tensor
end

function colors.normalize(...)
  local given = read_normalize(...)
  local image = picture.check("normalize", given.tensor, 3)
  if not image:is_floating_point() then
    raise("normalize: expected an image of floats, got %s: use convert_image_dtype", image.dtype)
  end
  for _, value in ipairs(type(given.std) == "table" and given.std or {given.std}) do
    if value == 0 then raise("normalize: std must not be 0") end
  end
  local mean, std = per_channel(given.mean, image), per_channel(given.std, image)
  if given.inplace then return image:sub_(mean):div_(std) end
  return (image - mean) / std
end

-- Colors ------------------------------------------------------------------------------------------

--- The luminance, one channel, not yet in the image's dtype.
local function luminance(image)
  local red, green, blue = image:narrow(-3, 1, 1), image:narrow(-3, 2, 1), image:narrow(-3, 3, 1)
  return red * 0.2989 + green * 0.587 + blue * 0.114
end

local function gray(image)
  return luminance(image):to(image.dtype)
end

local function to_gray(declared)
  local read, name = reader(declared), declared:match "[%w_]+$"
  colors[name] = function(...)
    local given = read(...)
    local image, count = given.img, given.num_output_channels
    local channels = picture.check_colors(name, image, 3)
    if count ~= 1 and count ~= 3 then raise("%s: num_output_channels must be 1 or 3, got %d", name, count) end
    local result = channels == 3 and gray(image) or image:clone()
    if count == 1 then return result end
    local shape = result.shape
    shape[#shape - 2] = 3
    return result:expand(shape)
  end
end

--- Converts to grayscale with 1 or 3 channels.
---@use vision: img, num_output_channels = 1
---@example
--- tide.vision.transforms.functional.rgb_to_grayscale(tide.ones(3, 4, 5)).shape --> {1, 4, 5}
to_gray "vision.transforms.functional.rgb_to_grayscale"

--- Like rgb_to_grayscale.
---@like vision.transforms.functional.rgb_to_grayscale
---@example
--- tide.vision.transforms.functional.to_grayscale(tide.ones(3, 4, 5), 3).shape --> {3, 4, 5}
to_gray "vision.transforms.functional.to_grayscale"

--- ratio * a + (1 - ratio) * b in the range and dtype of a.
local function blend(a, b, ratio)
  local mixed = (a * ratio + b * (1 - ratio)):clamp(0, picture.max_value(a.dtype))
  return mixed.dtype == a.dtype and mixed or mixed:to(a.dtype)
end

--- Makes the declared function, NAME(img, factor).
local function adjustment(declared, adjust)
  local name = declared:match "[%w_]+$"
  colors[name] = checked(declared, function(img, factor)
    return adjust(img, factor + 0.0, picture.check_colors(name, img))
  end)
end

--- Multiplies all values by a factor.
---@use vision: img
---@param brightness_factor number >= 0  0 is black, 1 leaves the image unchanged
---@example
--- tide.vision.transforms.functional.adjust_brightness(tide.tensor{{{0.25, 0.5}}}, 1.5) --> {{{0.375, 0.75}}}
adjustment("vision.transforms.functional.adjust_brightness", function(image, factor)
  local brighter = (image * factor):clamp(0, picture.max_value(image.dtype))
  return brighter.dtype == image.dtype and brighter or brighter:to(image.dtype)
end)

--- Scales the distance of all values from the mean luminance.
---@use vision: img
---@param contrast_factor number >= 0  0 is gray, 1 leaves the image unchanged
---@example
--- tide.vision.transforms.functional.adjust_contrast(tide.tensor{{{0.25, 0.75}}}, 0.5) --> {{{0.375, 0.625}}}
adjustment("vision.transforms.functional.adjust_contrast", function(image, factor, channels)
  local grays = (channels == 3 and gray(image) or image):to(picture.computed_type(image))
  return blend(image, grays:mean(image:dim() == 2 and {-2, -1} or {-3, -2, -1}, {keepdim = true}), factor)
end)

--- Scales the distance of each pixel from its gray value.
---@use vision: img
---@param saturation_factor number >= 0  0 is gray, 1 leaves the image unchanged
---@example
--- tide.vision.transforms.functional.adjust_saturation(tide.ones(3, 2, 2), 0).shape --> {3, 2, 2}
adjustment("vision.transforms.functional.adjust_saturation", function(image, factor, channels)
  return channels == 1 and image or blend(image, gray(image), factor)
end)

--- Adjusts the sharpness: 0 blurs, 1 leaves the image unchanged, 2 sharpens.
---@use vision: img, sharpness_factor
---@example
--- tide.vision.transforms.functional.adjust_sharpness(tide.ones(3, 4, 4), 2).shape --> {3, 4, 4}
adjustment("vision.transforms.functional.adjust_sharpness", function(image, factor)
  local height, width = picture.size(image)
  if height <= 2 or width <= 2 then return image end
  local kernel = tide.tensor({{{{1, 1, 1}, {1, 5, 1}, {1, 1, 1}}}},
    {dtype = picture.computed_type(image), device = image.device}) / 13
  local inner = picture.as_batch(image, function(batch)
    local n, channels = batch:size(1), batch:size(2)
    return F.conv2d(batch:reshape(n * channels, 1, height, width), kernel)
      :reshape(n, channels, height - 2, width - 2)
  end)
  local blurred = image:clone()
  blurred[{"...", {2, height - 1}, {2, width - 1}}] = inner
  return blend(image, blurred, factor)
end)

--- Gamma correction: gain (1) * value ^ gamma for values 0..1.
---@use vision: img
---@param gamma number  exponent: above 1 darkens
---@param gain number = 1  factor
---@example
--- tide.vision.transforms.functional.adjust_gamma(tide.tensor{{{0.5, 1.0}}}, 2) --> {{{0.25, 1.0}}}
colors.adjust_gamma = checked("vision.transforms.functional.adjust_gamma", function(img, gamma, gain)
  local image = img
  picture.check_colors("adjust_gamma", image)
  if gamma < 0 then raise("adjust_gamma: gamma must not be negative, got %s", tostring(gamma)) end
  local unit = image:is_floating_point() and image or converted(image, "float32")
  return converted((unit ^ gamma * gain):clamp(0, 1), image.dtype)
end)

--- Hue (0..1), saturation and value of a float image, one channel each.
local function hsv(image)
  local red, green, blue = image:narrow(-3, 1, 1), image:narrow(-3, 2, 1), image:narrow(-3, 3, 1)
  local value, least = image:amax({-3}, {keepdim = true}), image:amin({-3}, {keepdim = true})
  local is_gray, range = value:eq(least), value - least
  local saturation = range / tide.where(is_gray, 1, value)
  local divisor = tide.where(is_gray, 1, range)
  local r, g, b = (value - red) / divisor, (value - green) / divisor, (value - blue) / divisor
  local sixth = tide.where(value:eq(red), b - g, tide.where(value:eq(green), r + 2 - b, g + 4 - r))
  return (sixth / 6 + 1):fmod(1), saturation, value
end

--- One RGB channel from hue * 6, saturation and value: offset 5 is red, 3 green, 1 blue.
local function channel_of(sixths, saturation, value, offset)
  local distance = (sixths + offset):remainder(6)
  return value - value * saturation * distance:minimum(4 - distance):clamp(0, 1)
end

--- Shifts the hue by a fraction of the color circle, -0.5 to 0.5.
---@use vision: img
---@param hue_factor number  shift of the hue, from -0.5 to 0.5
---@example
--- local red = tide.tensor{{{1.0}}, {{0.0}}, {{0.0}}}
--- tide.vision.transforms.functional.adjust_hue(red, 0.5) --> {{{0.0}}, {{1.0}}, {{1.0}}}
colors.adjust_hue = checked("vision.transforms.functional.adjust_hue", function(img, hue_factor)
  local image, turn = img, hue_factor
  if not (turn >= -0.5 and turn <= 0.5) then
    raise("adjust_hue: hue_factor must be between -0.5 and 0.5, got %s", tostring(turn))
  end
  if picture.check_colors("adjust_hue", image) == 1 then return image end
  local hue, saturation, value = hsv(converted(image, "float32"))
  local sixths = (hue + turn):remainder(1) * 6
  local channels = {}
  for i, offset in ipairs {5, 3, 1} do channels[i] = channel_of(sixths, saturation, value, offset) end
  return converted(tide.cat(channels, -3), image.dtype)
end)

--- Inverts the colors.
---@param img tensor  images (..., channels, height, width)
---@example
--- tide.vision.transforms.functional.invert(tide.tensor{{{0.25}}}) --> {{{0.75}}}
colors.invert = checked("vision.transforms.functional.invert", function(img)
  picture.check_colors("invert", img, 3)
  return picture.max_value(img.dtype) - img
end)

local function check_bytes(caller, image)
  picture.check_colors(caller, image, 3)
  if image.dtype ~= "uint8" then
    raise("%s: expected a uint8 image, got %s: use convert_image_dtype", caller, image.dtype)
  end
end

--- Keeps only the high bits of each byte.
---@use vision: img
---@param bits integer >= 0  number of bits to keep
---@example
--- tide.vision.transforms.functional.posterize(tide.tensor({{{255}}}, {dtype = "uint8"}), 1) --> {{{128}}}
colors.posterize = checked("vision.transforms.functional.posterize", function(img, bits)
  check_bytes("posterize", img)
  if bits > 8 then raise("posterize: bits must be between 0 and 8, got %d", bits) end
  return img & (256 - (1 << (8 - bits)))
end)

--- Inverts values at or above the threshold.
---@use vision: img, threshold
---@example
--- tide.vision.transforms.functional.solarize(tide.tensor{{{0.25, 0.75}}}, 0.5) --> {{{0.25, 0.25}}}
colors.solarize = checked("vision.transforms.functional.solarize", function(img, threshold)
  local image = img
  picture.check_colors("solarize", image, 3)
  local white = picture.max_value(image.dtype)
  if threshold > white then
    raise("solarize: threshold must be at most %s for %s, got %s", tostring(white), image.dtype, tostring(threshold))
  end
  return tide.where(image:ge(threshold), white - image, image)
end)

--- Stretches each channel to the full range.
---@param img tensor  images (..., channels, height, width)
---@example
--- tide.vision.transforms.functional.autocontrast(tide.tensor{{{0.25, 0.5, 0.75}}}) --> {{{0.0, 0.5, 1.0}}}
colors.autocontrast = checked("vision.transforms.functional.autocontrast", function(img)
  picture.check_colors("autocontrast", img, 3)
  local white = picture.max_value(img.dtype)
  local wide = img:to(picture.computed_type(img))
  local least, range = wide:amin({-2, -1}, {keepdim = true}), nil
  range = wide:amax({-2, -1}, {keepdim = true}) - least
  local is_flat = range:eq(0)
  local scale = tide.where(is_flat, 1, white / tide.where(is_flat, 1, range))
  return ((wide - tide.where(is_flat, 0, least)) * scale):clamp(0, white):to(img.dtype)
end)

--- Equalizes the histogram of each channel of a uint8 image.
---@param img tensor  images (..., channels, height, width)
---@example
--- tide.vision.transforms.functional.equalize(tide.zeros({1, 2, 2}, {dtype = "uint8"})) --> {{{0, 0}, {0, 0}}}
colors.equalize = checked("vision.transforms.functional.equalize", function(img)
  check_bytes("equalize", img)
  local shape, height, width = img.shape, picture.size(img)
  local pixels = height * width
  local bins = img:reshape(-1, pixels):to("int64") + 1
  local planes = bins:size(1)
  local options = {dtype = "int64", device = img.device}
  local counts = tide.zeros({planes, 256}, options)
    :scatter_add(2, bins, tide.ones({planes, pixels}, options))
  local sums = counts:cumsum(2)
  -- The lightest value is where the cumulative sum first reaches the total.
  local lightest = counts:gather(2, sums:eq(pixels):to("int32"):argmax(2, {keepdim = true}))
  local step = (pixels - lightest):floor_divide(255)
  local divisor = step:maximum(1)
  local spread = (sums + step:floor_divide(2)):floor_divide(divisor):clamp(0, 255)
  local lookup = F.pad(spread:narrow(2, 1, 255), {1, 0})
  return tide.where(step:eq(0), bins - 1, lookup:gather(2, bins)):to("uint8"):reshape(shape)
end)

return colors

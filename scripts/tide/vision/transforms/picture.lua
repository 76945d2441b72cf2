-- Shared by the functions on images: sizes, value ranges of dtypes, and float batches.
local kind_of = require "tide.internal.kind_of"
local raise = require "tide.internal.raise"
local tide = require "tide"

local picture = {}

--- The number of bits of each integer dtype's maximum.
local kBits <const> = {uint8 = 8, int8 = 7, int16 = 15, int32 = 31, int64 = 63}

--- The value of white: the maximum of an integer dtype, else 1.
function picture.max_value(dtype)
  local bits = kBits[dtype]
  return bits == 63 and math.maxinteger or bits and (1 << bits) - 1 or 1
end

--- The number of bits of an integer dtype's maximum; nil for other dtypes.
function picture.bits(dtype) return kBits[dtype] end

--- Raises an error unless `image` is a tensor of at least `rank` (2) dimensions.
function picture.check(caller, image, rank)
  if not tide.is_tensor(image) then raise("%s: expected an image (a tensor), got %s", caller, kind_of(image)) end
  if image:dim() < (rank or 2) then
    raise("%s: expected an image (..., channels, height, width), got shape (%s)", caller,
      table.concat(image.shape, ", "))
  end
  return image
end

--- Height, width and channels of an image.
function picture.size(image)
  return image:size(-2), image:size(-1), image:dim() == 2 and 1 or image:size(-3)
end

--- Raises an error unless the image has 1 or 3 channels.
function picture.check_colors(caller, image, rank)
  picture.check(caller, image, rank)
  local _, _, channels = picture.size(image)
  if channels ~= 1 and channels ~= 3 then
    raise("%s: expected an image of 1 or 3 channels, got shape (%s)", caller, table.concat(image.shape, ", "))
  end
  return channels
end

--- The dtype used for computing with an image.
function picture.computed_type(image)
  return image.dtype == "float64" and "float64" or "float32"
end

--- Calls fn(batch) with the image or images as a batch (n, channels, height, width) of dtype `computed`, by default
--- float32 or float64. The result gets the dtype of `image`, rounded for integers, and its leading dimensions.
function picture.as_batch(image, fn, computed)
  local leading, rank = {}, image:dim()
  for d = 1, rank - 3 do leading[d] = image:size(d) end
  local height, width, channels = picture.size(image)
  local count = 1
  for _, size in ipairs(leading) do count = count * size end
  local batch = image:reshape(count, channels, height, width)
  computed = computed or picture.computed_type(image)
  if image.dtype ~= computed then batch = batch:to(computed) end
  local result = fn(batch)
  if image.dtype ~= computed then
    if picture.bits(image.dtype) then result = result:round() end
    result = result:to(image.dtype)
  end
  local shape = leading
  for d = math.max(2, 5 - rank), 4 do shape[#shape + 1] = result:size(d) end
  return result:reshape(shape)
end

--- Reads a number for both directions, or a list of one or two, as two values.
function picture.pair(caller, name, value)
  if type(value) == "number" then return value, value end
  if type(value) == "table" and #value == 1 then return value[1], value[1] end
  if type(value) ~= "table" or #value ~= 2 then
    raise("%s: %s: expected a number or a list of two", caller, name)
  end
  return value[1], value[2]
end

return picture

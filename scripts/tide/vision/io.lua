-- Reads, decodes, encodes and writes images and raw files, like torchvision.io. An image is a uint8
-- tensor (channels, height, width).
local images = require("tide.native").images
local checked = require "tide.internal.declare.checked"
local reader = require "tide.internal.declare.reader"
local raise = require "tide.internal.raise"
local strict_table = require "tide.internal.strict_table"

local io = {}

--- The arguments of the native decoders: function, format, mode, max_pixels, exif, height, width.
local function request_of(caller, format, given)
  local hint = given.size_hint or {}
  if given.size_hint and (math.type(hint[1]) ~= "integer" or math.type(hint[2]) ~= "integer") then
    raise("%s: size_hint: expected {height, width}", caller)
  end
  return caller, format, tostring(given.mode):lower(), given.max_pixels,
    given.apply_exif_orientation, hint[1], hint[2]
end

--- Makes the declared function, decode(source, ...), whose first argument is the source.
local function decoder(declared, format, decode)
  local read, name = reader(declared), declared:match "[%w_]+$"
  io[name] = function(...)
    local given, names = read(...)
    return decode(given[names[1]], request_of(name, format, given))
  end
end

--- Reads a PNG or JPEG file as a uint8 tensor (channels, height, width). mode is unchanged, gray, gray_alpha, rgb or
--- rgb_alpha; more than max_pixels (178956970) are an error; with size_hint {height, width}, a JPEG is decoded at 1/2,
--- 1/4 or 1/8 of its size if that is not smaller than the hint.
---@use vision: path, mode = "unchanged", apply_exif_orientation = false, max_pixels = nil, size_hint = nil
---@example
--- local name = os.tmpname()
--- tide.vision.write_png(tide.ones(3, 4, 5):to("uint8"), name)
--- local x = tide.vision.read_image(name)
--- os.remove(name)
--- x.shape --> {3, 4, 5}
decoder("vision.read_image", "any", images.read_image)

--- Decodes the bytes of a PNG or JPEG file, a string or a uint8 tensor, to an image.
---@use vision: input, mode = "unchanged", apply_exif_orientation = false, max_pixels = nil, size_hint = nil
---@example
--- tide.vision.decode_image(tide.vision.encode_png(tide.full({1, 1, 2}, 7):to("uint8"))) --> {{{7, 7}}}
decoder("vision.decode_image", "any", images.decode_image)

--- Like decode_image, for PNG only.
---@like vision.decode_image
---@example
--- tide.vision.decode_png(tide.vision.encode_png(tide.full({1, 1, 2}, 7):to("uint8"))) --> {{{7, 7}}}
decoder("vision.decode_png", "png", images.decode_image)

--- Like decode_image, for JPEG only.
---@like vision.decode_image
---@example
--- tide.vision.decode_jpeg(tide.vision.encode_jpeg(tide.full({1, 1, 2}, 128):to("uint8"))) --> {{{128, 128}}}
decoder("vision.decode_jpeg", "jpeg", images.decode_image)

--- Encodes a uint8 image of 1 to 4 channels as the bytes of a PNG file; compression_level is 0 to 9 (6).
---@param input tensor  the image, uint8 (channels, height, width)
---@use vision: compression_level = 6
---@example
--- tide.vision.encode_png(tide.zeros({1, 2, 2}, {dtype = "uint8"}))[{{2, 4}}] --> {80, 78, 71}
io.encode_png = checked("vision.encode_png", function(input, compression_level)
  return images.encode_image(input, "encode_png", "png", compression_level)
end)

--- Writes an image to a PNG file, which is replaced atomically.
---@param input tensor  the image, uint8 (channels, height, width)
---@use vision: filename, compression_level = 6
---@example
--- local name = os.tmpname()
--- tide.vision.write_png(tide.ones(3, 4, 5):to("uint8"), name)
--- local x = tide.vision.read_image(name)
--- os.remove(name)
--- x.shape --> {3, 4, 5}
io.write_png = checked("vision.write_png", function(input, filename, compression_level)
  images.write_image(filename, input, "write_png", "png", compression_level)
end)

--- Encodes a uint8 image of 1 or 3 channels as the bytes of a JPEG file; quality is 1 to 100 (75).
---@param input tensor  the image, uint8 (channels, height, width)
---@use vision: quality = 75
---@example
--- tide.vision.encode_jpeg(tide.zeros({1, 2, 2}, {dtype = "uint8"}), 50)[{{1, 2}}] --> {255, 216}
io.encode_jpeg = checked("vision.encode_jpeg", function(input, quality)
  return images.encode_image(input, "encode_jpeg", "jpeg", quality)
end)

--- Writes an image to a JPEG file, which is replaced atomically.
---@param input tensor  the image, uint8 (channels, height, width)
---@use vision: filename, quality = 75
---@example
--- local name = os.tmpname()
--- tide.vision.write_jpeg(tide.zeros({3, 4, 5}, {dtype = "uint8"}), name, {quality = 90})
--- local x = tide.vision.read_image(name)
--- os.remove(name)
--- x.shape --> {3, 4, 5}
io.write_jpeg = checked("vision.write_jpeg", function(input, filename, quality)
  images.write_image(filename, input, "write_jpeg", "jpeg", quality)
end)

--- Reads all bytes of a file as a uint8 tensor.
---@use vision: path
---@example
--- local name = os.tmpname()
--- tide.vision.write_file(name, "AB")
--- local x = tide.vision.read_file(name)
--- os.remove(name)
--- x --> {65, 66}
io.read_file = checked("vision.read_file", images.read_bytes)

--- Writes the bytes of a uint8 tensor or a string to a file, replacing it.
---@use vision: filename
---@param data tensor | string  the bytes
---@example
--- local name = os.tmpname()
--- tide.vision.write_file(name, "AB")
--- local x = tide.vision.read_file(name)
--- os.remove(name)
--- x --> {65, 66}
io.write_file = checked("vision.write_file", function(filename, data)
  images.write_bytes(filename, data, "write_file")
end)

--- The functions of tide.vision for images and files, under torchvision.io's name.
---@type table
---@example
--- tide.vision.io.read_image == tide.vision.read_image --> true
return strict_table("tide.vision.io", io)

-- Pictures and whole files, as torchvision.io: read, decoded, encoded and written. A picture is a
-- uint8 tensor (channels, height, width).
local arguments = require "tide.internal.arguments"
local images = require("tide.native").images
local kind_of = require "tide.internal.kind_of"
local raise = require "tide.internal.raise"
local strict_table = require "tide.internal.strict_table"
local tide = require "tide"

local io = {}

local kDecoding <const> = {
  {"mode", "unchanged"}, {"apply_exif_orientation", false}, {"max_pixels"}, {"size_hint"},
}

--- The arguments of the native decoders: function, format, mode, max_pixels, exif, height, width.
local function request_of(caller, format, given)
  local hint = given.size_hint or {}
  if given.size_hint and (math.type(hint[1]) ~= "integer" or math.type(hint[2]) ~= "integer") then
    raise("%s: size_hint: expected {height, width}", caller)
  end
  return caller, format, tostring(given.mode):lower(), given.max_pixels,
    given.apply_exif_orientation, hint[1], hint[2]
end

local function define_decoder(name, source, format, decode)
  local declared = table.move(kDecoding, 1, #kDecoding, 2, {source})
  local read = arguments(name, declared, {
    mode = "string", apply_exif_orientation = "boolean", max_pixels = "count", size_hint = "table",
  })
  io[name] = function(...)
    local given = read(...)
    return decode(given[source], request_of(name, format, given))
  end
end

define_decoder("read_image", "path", "any", images.read_image)
define_decoder("decode_image", "input", "any", images.decode_image)
define_decoder("decode_png", "input", "png", images.decode_image)
define_decoder("decode_jpeg", "input", "jpeg", images.decode_image)

--- Defines encode_FORMAT and write_FORMAT, whose last argument is `option`, from `least` to `most`.
local function define_encoder(format, option, default, least, most)
  local function checked(caller, given)
    local value = given[option]
    if value < least or value > most then
      raise("%s: %s must be between %d and %d, got %d", caller, option, least, most, value)
    end
    return caller, format, value
  end
  local encode, write = "encode_" .. format, "write_" .. format
  local kinds = {input = "tensor", [option] = "count"}
  local read_encode = arguments(encode, {"input", {option, default}}, kinds)
  local read_write = arguments(write, {"input", "filename", {option, default}}, kinds)
  io[encode] = function(...)
    local given = read_encode(...)
    return images.encode_image(given.input, checked(encode, given))
  end
  io[write] = function(...)
    local given = read_write(...)
    images.write_image(given.filename, given.input, checked(write, given))
  end
end

define_encoder("png", "compression_level", 6, 0, 9)
define_encoder("jpeg", "quality", 75, 1, 100)

local read_path = arguments("read_file", {"path"})
local read_contents = arguments("write_file", {"filename", "data"})

--- All bytes of a file as a uint8 tensor.
function io.read_file(...) return images.read_bytes(read_path(...).path, "read_file") end

--- Replaces a file by the bytes of a uint8 tensor or a string.
function io.write_file(...)
  local given = read_contents(...)
  if type(given.data) ~= "string" and not tide.is_tensor(given.data) then
    raise("write_file: expected a uint8 tensor or a string, got %s", kind_of(given.data))
  end
  images.write_bytes(given.filename, given.data, "write_file")
end

return strict_table("tide.vision.io", io)

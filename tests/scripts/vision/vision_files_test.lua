-- Images in files: written and read back, and errors.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, raises = test.same_type, test.raises
local vision = tide.vision

describe("image files", function()
  local path
  test.before_each(function() path = os.tmpname() end)
  test.after_each(function() os.remove(path) end)

  local function picture(...)
    local count = 1
    for _, size in ipairs {...} do count = count * size end
    return (tide.arange(count) * 5 % 256):to("uint8"):reshape(...)
  end

  it("preserve every pixel in png", function()
    for channels = 1, 4 do
      local image = picture(channels, 9, 13)
      vision.write_png(image, path)
      test.identical(vision.read_image(path), image)
    end
    vision.write_png(picture(9, 13), path, {compression_level = 0})
    test.identical(vision.read_image(path), picture(1, 9, 13))
  end)
  it("are smaller for a lower quality of jpeg", function()
    local image = picture(3, 64, 64)
    local low, high = vision.encode_jpeg(image, 10), vision.encode_jpeg(image, {quality = 95})
    assert(#low < #high // 2)
    vision.write_jpeg(image, path, {quality = 95})
    test.identical(vision.read_file(path), high)
    test.identical(vision.decode_jpeg(high), vision.read_image(path))
  end)
  it("are decoded in the requested mode", function()
    local bytes = vision.encode_png(picture(4, 5, 7))
    for mode, channels in pairs {unchanged = 4, gray = 1, gray_alpha = 2, rgb = 3, rgb_alpha = 4, RGB = 3} do
      equal(vision.decode_image(bytes, {mode = mode}).shape, {channels, 5, 7})
    end
    raises("decode_image: expected mode to be 'unchanged', 'gray', 'gray_alpha', 'rgb' or 'rgb_alpha', got 'hsv'",
      function() vision.decode_image(bytes, {mode = "hsv"}) end)
  end)
  it("of jpeg are decoded at the smallest scale that satisfies a hint", function()
    local bytes = vision.encode_jpeg(picture(3, 64, 96))
    equal(vision.decode_image(bytes, {size_hint = {20, 20}}).shape, {3, 32, 48})
    equal(vision.decode_image(bytes, {size_hint = {8, 8}}).shape, {3, 8, 12})
    raises("size_hint: expected {height, width}", function() vision.decode_image(bytes, {size_hint = {8}}) end)
  end)
  it("are rejected with an error that names them", function()
    local bytes = vision.encode_png(picture(3, 5, 7)):bytes()
    vision.write_file(path, bytes:sub(1, 40))
    raises(path .. ": is a damaged PNG picture: it is cut short", function() vision.read_image(path) end)
    vision.write_file(path, "")
    raises(path .. ": is empty", function() vision.read_image(path) end)
    vision.write_file(path, bytes)
    raises(path .. ": has 5 x 7 pixels, more than max_pixels = 34: pass a larger max_pixels if the picture can be "
      .. "trusted", function() vision.read_image(path, {max_pixels = 34}) end)
    raises("decode_jpeg: data: is not a JPEG file but a PNG file", function() vision.decode_jpeg(bytes) end)
    raises("no/such.png: cannot be read: No such file", function() vision.read_image("no/such.png") end)
    raises("read_image: unknown option 'colour'", function() vision.read_image(path, {colour = 1}) end)
    raises("decode_image: argument 1 (input): expected tensor or string, got table", function()
      vision.decode_image {}
    end)
  end)
  it("accept images of bytes only", function()
    raises("write_png: expected a uint8 picture, got float32", function()
      vision.write_png(tide.ones(3, 4, 5), path)
    end)
    raises("quality must be between 1 and 100, got 0", function() vision.encode_jpeg(picture(3, 4, 5), 0) end)
  end)
  it("are not changed if they cannot be written", function()
    vision.write_file(path, "old")
    raises("write_jpeg: expected 1 or 3 channels", function() vision.write_jpeg(picture(2, 4, 5), path) end)
    equal(vision.read_file(path):bytes(), "old")
    vision.write_png(picture(3, 4, 5), "/dev/null")
  end)
end)

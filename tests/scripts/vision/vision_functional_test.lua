-- Functions on images: shapes, types, gradients and errors. Values are compared with torchvision's
-- in the golden cases.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, raises = test.same_type, test.raises
local T = tide.vision.transforms.functional

describe("functions on images", function(device)
  local function floats(...)
    local count = 1
    for _, size in ipairs {...} do count = count * size end
    return (tide.arange(count, {device = device}) * 7 % 256 / 255.0):reshape(...)
  end
  local function bytes(...) return (floats(...) * 255):round():to("uint8") end

  it("compute the same for batches as for single images", function()
    local points = {{0, 0}, {12, 0}, {12, 8}, {0, 8}}
    local moved = {{1, 1}, {11, 0}, {12, 7}, {2, 8}}
    local functions = {
      function(x) return T.resize(x, {5, 7}) end, function(x) return T.resize(x, 20, {interpolation = "bicubic"}) end,
      function(x) return T.rotate(x, 30, {interpolation = "bilinear", fill = 1}) end,
      function(x) return T.perspective(x, points, moved) end, function(x) return T.gaussian_blur(x, 3) end,
      function(x) return T.adjust_hue(x, 0.2) end, function(x) return T.adjust_contrast(x, 0.3) end,
      function(x) return T.adjust_sharpness(x, 1.7) end, T.autocontrast,
      function(x) return T.pad(x, {1, 2}, 0, "symmetric") end,
    }
    for _, make in ipairs {floats, bytes} do
      local batch = make(2, 2, 3, 9, 13)
      for number, fn in ipairs(functions) do
        local all = fn(batch)
        equal({number, all.dtype}, {number, batch.dtype})
        test.close(all[2][1]:float(), fn(batch[2][1]):float(), {rtol = 1e-5, atol = 1e-5})
      end
    end
    local batch = bytes(2, 3, 9, 13)
    test.identical(T.equalize(batch)[2], T.equalize(batch[2]))
  end)
  it("resize bytes to the values of torchvision's transforms v2", function()
    local x = tide.tensor({{0, 255, 0, 255, 12}, {255, 255, 0, 0, 200}, {9, 80, 160, 240, 30}, {0, 0, 255, 255, 128}},
      {dtype = "uint8", device = device}):unsqueeze(1)
    for _, case in ipairs {
      {"bilinear", true, {{121, 149, 104, 96}, {141, 131, 104, 117}, {8, 108, 241, 137}}},
      {"bilinear", false, {{69, 159, 133, 64}, {137, 135, 105, 116}, {3, 98, 248, 129}}},
      {"bicubic", true, {{123, 154, 100, 99}, {144, 133, 104, 118}, {0, 99, 255, 128}}},
      {"bicubic", false, {{66, 173, 144, 62}, {158, 138, 102, 121}, {0, 94, 255, 126}}},
    } do
      local mode, antialias, values = table.unpack(case)
      equal(T.resize(x, {3, 4}, {interpolation = mode, antialias = antialias})[1]:tolist(), values)
    end
    local larger = T.resize(x, {6, 7}, {interpolation = "bicubic", antialias = true})
    equal(larger[1][3]:tolist(), {240, 235, 182, 18, 17, 91, 200})
  end)
  it("are differentiable", function()
    local x = floats(3, 6, 8):requires_grad_()
    for _, fn in ipairs {
      function(v) return T.resize(v, {4, 5}) end, function(v) return T.rotate(v, 20, {interpolation = "bilinear"}) end,
      function(v) return T.adjust_sharpness(v, 1.5) end, function(v) return T.normalize(v, {0.5}, {0.2}) end,
      function(v) return T.gaussian_blur(v, 3, 1) end, function(v) return T.crop(v, 2, 3, 4, 4) end,
    } do
      x.grad = nil
      fn(x):sum():backward()
      assert(x.grad:abs():sum():item() > 0)
    end
  end)
  it("count rows and columns from 1", function()
    local x = floats(1, 5, 6)
    test.identical(T.crop(x, 2, 3, 2, 2), x[{{}, {2, 3}, {3, 4}}])
    test.identical(T.crop(x, 0, 0, 2, 2)[1][2][2], x[1][1][1])
    equal(T.crop(x, 20, 20, 2, 3):sum():item(), 0.0)
    equal(T.erase(x, 5, 6, 3, 3, 7)[1][5][6]:item(), 7.0)
  end)
  it("return the image itself if there is nothing to do", function()
    local x = bytes(3, 6, 8)
    for _, result in ipairs {
      T.resize(x, {6, 8}), T.adjust_brightness(x, 1), T.adjust_contrast(x, 1), T.rotate(x, 0), T.pad(x, 0),
      T.hflip(T.hflip(x)), T.invert(T.invert(x)), T.posterize(x, 8), T.center_crop(x, {6, 8}),
    } do
      test.identical(result, x)
    end
  end)
  it("fill with a color for each channel", function()
    local x = tide.ones(3, 4, 4, {device = device})
    local turned = T.rotate(x, 45, {fill = {0.25, 0.5, 0.75}})
    for channel = 1, 3 do equal(turned[channel][1][1]:item(), channel / 4) end
    local padded = T.pad(x, 1, {0.25, 0.5, 0.75})
    for channel = 1, 3 do equal(padded[channel][1][1]:item(), channel / 4) end
  end)
  it("report errors", function()
    local x = floats(3, 6, 8)
    raises("resize: argument 1 (img): expected tensor, got number", function() T.resize(1, 2) end)
    raises('resize: interpolation must be "nearest", "bilinear", "bicubic" or "nearest-exact"',
      function() T.resize(x, 4, {interpolation = "box"}) end)
    raises("resize: max_size must be greater than the shorter edge's size 4, got 3",
      function() T.resize(x, 4, {max_size = 3}) end)
    raises("five_crop: the size 7 x 7 is larger than the image's 6 x 8", function() T.five_crop(x, 7) end)
    raises("adjust_hue: hue_factor must be between -0.5 and 0.5, got 0.6", function() T.adjust_hue(x, 0.6) end)
    raises("adjust_brightness: brightness_factor must be non-negative, got -1",
      function() T.adjust_brightness(x, -1) end)
    raises("invert: expected an image of 1 or 3 channels, got shape (2, 4, 4)",
      function() T.invert(floats(2, 4, 4)) end)
    raises("equalize: expected a uint8 image, got float32", function() T.equalize(x) end)
    raises("normalize: expected an image of floats, got uint8", function() T.normalize(bytes(3, 4, 4), 0, 1) end)
    raises("gaussian_blur: kernel_size must be odd and positive, got 4", function() T.gaussian_blur(x, 4) end)
    raises("rotate: fill: expected 1 or 3 numbers, got 2", function() T.rotate(x, 3, {fill = {1, 2}}) end)
    raises('pad: padding_mode must be "constant", "edge", "reflect" or "symmetric", got "wrap"',
      function() T.pad(x, 1, 0, "wrap") end)
    raises("convert_image_dtype: float32 has too few digits for int32",
      function() T.convert_image_dtype(x, "int32") end)
    raises("erase: positions start at 1, got 0, 2", function() T.erase(x, 0, 2, 1, 1, 0) end)
    raises("tide.vision.transforms.functional.colorize: there is no such name", function() return T.colorize end)
  end)
end)

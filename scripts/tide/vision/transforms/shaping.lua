-- Geometric transforms: cropping, resizing, padding, flipping, warps.
local F = require "tide.vision.transforms.functional"
local draw = require "tide.internal.draw"
local picture = require "tide.vision.transforms.picture"
local of_type = require "tide.internal.declare.of_type"
local raise = require "tide.internal.raise"
local tide = require "tide"
local transform = require "tide.vision.transforms.transform"
local define, define_random, range, uniform =
  transform.define, transform.define_random, transform.range, transform.uniform

local shaping = {}

local function round(x) return math.floor(x + 0.5) end

-- Sizes -------------------------------------------------------------------------------------------

--- Resizes to {height, width}, or the shorter edge to a size.
---@use vision: size, interpolation = "bilinear"
---@param max_size integer = nil  limit for the longer edge
---@use vision: antialias = true
---@example
--- tide.vision.transforms.Resize(20)(tide.ones(3, 40, 60)).shape --> {3, 20, 30}
shaping.Resize = define("vision.transforms.Resize")

function shaping.Resize:forward(image)
  return F.resize(image, self.size, self.interpolation, self.max_size, self.antialias)
end

--- Crops the center.
---@use vision: size
---@example
--- tide.vision.transforms.CenterCrop(4)(tide.ones(3, 8, 8)).shape --> {3, 4, 4}
shaping.CenterCrop = define("vision.transforms.CenterCrop")

function shaping.CenterCrop:forward(image) return F.center_crop(image, self.size) end

--- Pads an image.
---@use vision: padding
---@param fill number | number[] = 0  value of pixels outside the image, for all channels or for each
---@use vision: padding_mode = "constant"
---@example
--- tide.vision.transforms.Pad(1)(tide.ones(3, 2, 2)).shape --> {3, 4, 4}
shaping.Pad = define("vision.transforms.Pad")

function shaping.Pad:forward(image) return F.pad(image, self.padding, self.fill, self.padding_mode) end

--- Returns five crops: the corners and the center.
---@use vision: size
---@example
--- select("#", tide.vision.transforms.FiveCrop(2)(tide.ones(3, 4, 4))) --> 5
shaping.FiveCrop = define("vision.transforms.FiveCrop")

function shaping.FiveCrop:forward(image) return F.five_crop(image, self.size) end

--- Returns ten crops: the corners and the center, of the image and of its mirror image.
---@use vision: size, vertical_flip = false
---@example
--- select("#", tide.vision.transforms.TenCrop(2)(tide.ones(3, 4, 4))) --> 10
shaping.TenCrop = define("vision.transforms.TenCrop")

function shaping.TenCrop:forward(image) return F.ten_crop(image, self.size, self.vertical_flip) end

--- Crops a region of this size at a random position.
---@use vision: size, padding = nil
---@param pad_if_needed boolean = false  pad images that are too small
---@param fill number | number[] = 0  value of pixels outside the image, for all channels or for each
---@use vision: padding_mode = "constant"
---@example
--- tide.vision.transforms.RandomCrop(8, {padding = 2})(tide.ones(3, 8, 8)).shape --> {3, 8, 8}
shaping.RandomCrop = define("vision.transforms.RandomCrop")

--- Row, column, height and width of a crop of {height, width}.
function shaping.RandomCrop.get_params(image, output_size)
  local height, width = picture.pair("RandomCrop", "size", output_size)
  local h, w = picture.size(picture.check("RandomCrop", image))
  if h < height or w < width then
    raise("RandomCrop: the size %d x %d is larger than the image's %d x %d; pad_if_needed = true pads it",
      height, width, h, w)
  end
  if h == height and w == width then return 1, 1, h, w end
  return draw.integer(1, h - height + 1), draw.integer(1, w - width + 1), height, width
end

function shaping.RandomCrop:forward(image)
  if self.padding then image = F.pad(image, self.padding, self.fill, self.padding_mode) end
  if self.pad_if_needed then
    local height, width = picture.pair("RandomCrop", "size", self.size)
    local h, w = picture.size(picture.check("RandomCrop", image))
    if w < width then image = F.pad(image, {width - w, 0}, self.fill, self.padding_mode) end
    if h < height then image = F.pad(image, {0, height - h}, self.fill, self.padding_mode) end
  end
  return F.crop(image, shaping.RandomCrop.get_params(image, self.size))
end

--- Crops a region of random size and aspect ratio, and resizes it.
---@use vision: size, scale = {0.08, 1}, ratio = {3 / 4, 4 / 3}, interpolation = "bilinear", antialias =
---  true
---@example
--- tide.vision.transforms.RandomResizedCrop(8)(tide.ones(3, 20, 30)).shape --> {3, 8, 8}
shaping.RandomResizedCrop = define("vision.transforms.RandomResizedCrop")

--- Row, column, height and width of a region with a random fraction of the area and aspect ratio.
function shaping.RandomResizedCrop.get_params(image, scale, ratio)
  local h, w = picture.size(picture.check("RandomResizedCrop", image))
  for _ = 1, 10 do
    local width, height = transform.random_sides(h * w, scale, ratio)
    if width > 0 and width <= w and height > 0 and height <= h then
      local row = draw.integer(1, h - height + 1)
      return row, draw.integer(1, w - width + 1), height, width
    end
  end
  local width, height = w, h
  if w / h < math.min(ratio[1], ratio[2]) then height = round(w / math.min(ratio[1], ratio[2])) end
  if w / h > math.max(ratio[1], ratio[2]) then width = round(h * math.max(ratio[1], ratio[2])) end
  return (h - height) // 2 + 1, (w - width) // 2 + 1, height, width
end

function shaping.RandomResizedCrop:forward(image)
  local height, width = picture.pair("RandomResizedCrop", "size", self.size)
  local i, j, h, w = shaping.RandomResizedCrop.get_params(image, self.scale, self.ratio)
  return F.resized_crop(image, i, j, h, w, {height, width}, self.interpolation, self.antialias)
end

-- Flips and warps ---------------------------------------------------------------------------------

--- Flips left and right with probability p (0.5).
---@use vision: p = 0.5
---@example
--- tide.vision.transforms.RandomHorizontalFlip(1)(tide.tensor{{{1, 2}}}) --> {{{2, 1}}}
shaping.RandomHorizontalFlip = define_random("vision.transforms.RandomHorizontalFlip", function(_, image)
  return F.hflip(image)
end)

--- Flips top and bottom with probability p (0.5).
---@use vision: p = 0.5
---@example
--- tide.vision.transforms.RandomVerticalFlip(1)(tide.tensor{{{1}, {2}}}) --> {{{2}, {1}}}
shaping.RandomVerticalFlip = define_random("vision.transforms.RandomVerticalFlip", function(_, image)
  return F.vflip(image)
end)

--- Rotates by a random angle from -degrees..degrees or {from, to}.
---@use vision: degrees, interpolation = "nearest", expand = false, center = nil
---@param fill number | number[] = 0  value of pixels outside the image, for all channels or for each
---@example
--- tide.vision.transforms.RandomRotation(20)(tide.ones(3, 8, 8)).shape --> {3, 8, 8}
shaping.RandomRotation = define("vision.transforms.RandomRotation", function(self)
  self.degrees = range("RandomRotation", "degrees", self.degrees)
end)

--- A random angle.
function shaping.RandomRotation.get_params(degrees) return uniform(degrees) end

function shaping.RandomRotation:forward(image)
  local angle = shaping.RandomRotation.get_params(self.degrees)
  return F.rotate(image, angle, self.interpolation, self.expand, self.center, self.fill)
end

--- Applies a random affine map; translate is a fraction of the size.
---@use vision: degrees, translate = nil
---@param scale number[] = nil  smallest and largest scale factor
---@use vision: shear = nil, interpolation = "nearest"
---@param fill number | number[] = 0  value of pixels outside the image, for all channels or for each
---@use vision: center = nil
---@example
--- tide.vision.transforms.RandomAffine(20, {translate = {0.1, 0.1}})(tide.ones(3, 8, 8)).shape --> {3, 8, 8}
shaping.RandomAffine = define("vision.transforms.RandomAffine", function(self)
  self.degrees = range("RandomAffine", "degrees", self.degrees)
  for _, share in ipairs(self.translate or {}) do
    if of_type("RandomAffine", "translate", share, "number") < 0 or share > 1 then
      raise("RandomAffine: translate must be between 0 and 1, got %s", tostring(share))
    end
  end
  for _, factor in ipairs(self.scale or {}) do
    if of_type("RandomAffine", "scale", factor, "number") <= 0 then
      raise("RandomAffine: scale must be positive, got %s", tostring(factor))
    end
  end
  if type(self.shear) == "table" and #self.shear == 4 then return end
  if self.shear ~= nil then self.shear = range("RandomAffine", "shear", self.shear) end
end)

--- Angle, translation {x, y}, scale and shear {x, y} for an image of {width, height}.
function shaping.RandomAffine.get_params(degrees, translate, scale, shear, size)
  local angle, moved = uniform(degrees), {0, 0}
  for i, share in ipairs(translate or {}) do
    moved[i] = round(draw.uniform(-share * size[i], share * size[i]))
  end
  local factor, sheared = scale and uniform(scale) or 1, {0, 0}
  if shear then
    sheared[1] = uniform(shear)
    if #shear == 4 then sheared[2] = draw.uniform(shear[3], shear[4]) end
  end
  return angle, moved, factor, sheared
end

function shaping.RandomAffine:forward(image)
  local height, width = picture.size(picture.check("RandomAffine", image))
  local angle, moved, factor, sheared = shaping.RandomAffine.get_params(self.degrees, self.translate, self.scale,
    self.shear, {width, height})
  return F.affine(image, angle, moved, factor, sheared, self.interpolation, self.fill, self.center)
end

--- Applies a random perspective transform with probability p (0.5).
---@param distortion_scale number = 0.5  strength of the distortion, from 0 to 1
---@use vision: p = 0.5, interpolation = "bilinear"
---@param fill number | number[] = 0  value of pixels outside the image, for all channels or for each
---@example
--- tide.vision.transforms.RandomPerspective()(tide.ones(3, 8, 8)).shape --> {3, 8, 8}
shaping.RandomPerspective = define_random("vision.transforms.RandomPerspective", function(self, image)
    local height, width = picture.size(picture.check("RandomPerspective", image))
    local from, to = shaping.RandomPerspective.get_params(width, height, self.distortion_scale)
    return F.perspective(image, from, to, self.interpolation, self.fill)
  end)

--- The corners {x, y} of an image, and their new positions.
function shaping.RandomPerspective.get_params(width, height, distortion_scale)
  local right, bottom = width - 1, height - 1
  local x, y = math.floor(distortion_scale * (width // 2)), math.floor(distortion_scale * (height // 2))
  local function near(first_x, last_x, first_y, last_y)
    return {draw.integer(first_x, last_x), draw.integer(first_y, last_y)}
  end
  return {{0, 0}, {right, 0}, {right, bottom}, {0, bottom}}, {
    near(0, x, 0, y), near(right - x, right, 0, y), near(right - x, right, bottom - y, bottom),
    near(0, x, bottom - y, bottom),
  }
end

--- Displaces pixels by smooth random distances.
---@param alpha number | number[] = 50  strength of the displacement
---@param sigma number | number[] = 5  smoothness of the displacement
---@use vision: interpolation = "bilinear"
---@param fill number | number[] = 0  value of pixels outside the image, for all channels or for each
---@example
--- tide.vision.transforms.ElasticTransform(50, 1)(tide.ones(3, 8, 8)).shape --> {3, 8, 8}
shaping.ElasticTransform = define("vision.transforms.ElasticTransform", function(self)
    self.alpha = {picture.pair("ElasticTransform", "alpha", self.alpha)}
    self.sigma = {picture.pair("ElasticTransform", "sigma", self.sigma)}
  end)

--- The displacement (1, height, width, 2) for an image of {height, width}.
function shaping.ElasticTransform.get_params(alpha, sigma, size, device)
  local parts = {}
  for i = 1, 2 do
    local part = tide.rand({1, 1, size[1], size[2]}, {device = device}) * 2 - 1
    if sigma[i] > 0 then
      local count = math.floor(8 * sigma[i] + 1)
      if count % 2 == 0 then count = count + 1 end
      part = F.gaussian_blur(part, {count, count}, sigma)
    end
    parts[i] = part:squeeze(2) * (alpha[i] / size[i])
  end
  return tide.stack(parts, -1)
end

function shaping.ElasticTransform:forward(image)
  local height, width = picture.size(picture.check("ElasticTransform", image))
  local moved = shaping.ElasticTransform.get_params(self.alpha, self.sigma, {height, width}, image.device)
  return F.elastic_transform(image, moved, self.interpolation, self.fill)
end

return shaping

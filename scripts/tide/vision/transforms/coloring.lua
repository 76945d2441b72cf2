-- Transforms of colors, dtypes and value ranges, and erasing.
local F = require "tide.vision.transforms.functional"
local draw = require "tide.internal.draw"
local picture = require "tide.vision.transforms.picture"
local of_type = require "tide.internal.declare.of_type"
local raise = require "tide.internal.raise"
local tide = require "tide"
local transform = require "tide.vision.transforms.transform"
local define, define_random, uniform = transform.define, transform.define_random, transform.uniform

local coloring = {}

-- Types -------------------------------------------------------------------------------------------

--- Converts a uint8 image to floats 0..1; returns others unchanged.
---@example
--- tide.vision.transforms.ToTensor()(tide.tensor({{{0, 255}}}, {dtype = "uint8"})) --> {{{0.0, 1.0}}}
coloring.ToTensor = define("vision.transforms.ToTensor")

function coloring.ToTensor:forward(image) return F.to_tensor(image) end

--- Converts to another dtype, with values scaled to its range.
---@use vision: dtype = "float32"
---@example
--- tide.vision.transforms.ConvertImageDtype("uint8")(tide.ones(1, 1, 1)) --> {{{255}}}
coloring.ConvertImageDtype = define("vision.transforms.ConvertImageDtype")

function coloring.ConvertImageDtype:forward(image) return F.convert_image_dtype(image, self.dtype) end

--- Normalizes each channel: (x - mean) / std.
---@use vision: mean, std, inplace = false
---@example
--- tide.vision.transforms.Normalize({0.5}, {0.25})(tide.ones(1, 1, 1)) --> {{{2.0}}}
coloring.Normalize = define("vision.transforms.Normalize")

function coloring.Normalize:forward(image) return F.normalize(image, self.mean, self.std, self.inplace) end

--- Subtracts a mean from the flattened image and multiplies the result by a matrix.
---@param transformation_matrix tensor  a square matrix with channels * height * width rows
---@param mean_vector tensor  the mean, of channels * height * width elements
---@example
--- local whiten = tide.vision.transforms.LinearTransformation(tide.eye(4), tide.ones(4))
--- whiten(tide.ones(1, 2, 2)) --> {{{0.0, 0.0}, {0.0, 0.0}}}
coloring.LinearTransformation = define("vision.transforms.LinearTransformation")

function coloring.LinearTransformation:forward(image)
  local shape, count = image.shape, self.mean_vector:numel()
  if image:size(-1) * image:size(-2) * image:size(-3) ~= count then
    raise("LinearTransformation: expected an image with %d values, as mean_vector has, got shape (%s)",
      count, table.concat(shape, ", "))
  end
  local matrix, mean = self.transformation_matrix:to(image.device), self.mean_vector:to(image.device)
  return (image:reshape(-1, count) - mean):matmul(matrix):reshape(shape)
end

-- Colors ------------------------------------------------------------------------------------------

--- Converts to grayscale with 1 or 3 channels.
---@param num_output_channels integer = 1  1, or 3 equal channels
---@example
--- tide.vision.transforms.Grayscale()(tide.ones(3, 8, 8)).shape --> {1, 8, 8}
coloring.Grayscale = define("vision.transforms.Grayscale")

function coloring.Grayscale:forward(image) return F.rgb_to_grayscale(image, self.num_output_channels) end

--- Converts to grayscale with probability p (0.1).
---@use vision: p = 0.1
---@example
--- tide.vision.transforms.RandomGrayscale()(tide.ones(3, 8, 8)).shape --> {3, 8, 8}
coloring.RandomGrayscale = define_random("vision.transforms.RandomGrayscale", function(_, image)
  local _, _, channels = picture.size(picture.check("RandomGrayscale", image))
  return channels == 1 and image or F.rgb_to_grayscale(image, channels)
end)

--- Inverts the colors with probability p (0.5).
---@use vision: p = 0.5
---@example
--- tide.vision.transforms.RandomInvert(1)(tide.ones(1, 1, 1)) --> {{{0.0}}}
coloring.RandomInvert = define_random("vision.transforms.RandomInvert", function(_, image) return F.invert(image) end)

--- Posterizes with probability p (0.5); uint8.
---@param bits integer  number of bits to keep
---@use vision: p = 0.5
---@example
--- tide.vision.transforms.RandomPosterize(4)(tide.zeros({3, 8, 8}, {dtype = "uint8"})).shape --> {3, 8, 8}
coloring.RandomPosterize = define_random("vision.transforms.RandomPosterize", function(self, image)
  return F.posterize(image, self.bits)
end)

--- Solarizes with probability p (0.5).
---@use vision: threshold, p = 0.5
---@example
--- tide.vision.transforms.RandomSolarize(0.5)(tide.ones(3, 8, 8)).shape --> {3, 8, 8}
coloring.RandomSolarize = define_random("vision.transforms.RandomSolarize", function(self, image)
  return F.solarize(image, self.threshold)
end)

--- Adjusts the sharpness with probability p (0.5).
---@use vision: sharpness_factor, p = 0.5
---@example
--- tide.vision.transforms.RandomAdjustSharpness(2)(tide.ones(3, 8, 8)).shape --> {3, 8, 8}
coloring.RandomAdjustSharpness = define_random("vision.transforms.RandomAdjustSharpness", function(self, image)
  return F.adjust_sharpness(image, self.sharpness_factor)
end)

--- Applies autocontrast with probability p (0.5).
---@use vision: p = 0.5
---@example
--- tide.vision.transforms.RandomAutocontrast()(tide.ones(3, 8, 8)).shape --> {3, 8, 8}
coloring.RandomAutocontrast = define_random("vision.transforms.RandomAutocontrast", function(_, image)
  return F.autocontrast(image)
end)

--- Equalizes with probability p (0.5); uint8.
---@use vision: p = 0.5
---@example
--- tide.vision.transforms.RandomEqualize()(tide.zeros({3, 8, 8}, {dtype = "uint8"})).shape --> {3, 8, 8}
coloring.RandomEqualize = define_random("vision.transforms.RandomEqualize", function(_, image)
  return F.equalize(image)
end)

--- The range of a factor around `center`; nil if it can only be `center`.
local function factor_range(name, value, center, least, most)
  if type(value) == "number" then
    if value < 0 then raise("ColorJitter: %s must not be negative, got %s", name, tostring(value)) end
    value = {center - value, center + value}
    if center == 1 then value[1] = math.max(value[1], 0) end
  end
  if type(value) ~= "table" or #value ~= 2 then raise("ColorJitter: %s: expected a number or {from, to}", name) end
  if value[1] < least or value[2] > most or value[1] > value[2] then
    raise("ColorJitter: %s must be between %s and %s, got %s to %s", name, least, most, value[1], value[2])
  end
  if value[1] == center and value[2] == center then return nil end
  return value
end

--- Randomly changes brightness, contrast, saturation and hue, in random order.
---@param brightness number | number[] = 0  maximum change of the factor from 1, or its range
---@param contrast number | number[] = 0  maximum change of the factor from 1, or its range
---@param saturation number | number[] = 0  maximum change of the factor from 1, or its range
---@param hue number | number[] = 0  maximum shift of the hue, or its range
---@example
--- tide.vision.transforms.ColorJitter(0.4, 0.4)(tide.ones(3, 8, 8)).shape --> {3, 8, 8}
coloring.ColorJitter = define("vision.transforms.ColorJitter", function(self)
    for _, name in ipairs {"brightness", "contrast", "saturation"} do
      self[name] = factor_range(name, self[name], 1, 0, math.huge)
    end
    self.hue = factor_range("hue", self.hue, 0, -0.5, 0.5)
  end)

--- The order of the four adjustments, and their factors: nil for no change.
function coloring.ColorJitter.get_params(brightness, contrast, saturation, hue)
  local order, factors = draw.permutation(4), {}
  local ranges = {brightness, contrast, saturation, hue}
  for i = 1, 4 do factors[i] = ranges[i] and uniform(ranges[i]) end
  return order, factors[1], factors[2], factors[3], factors[4]
end

function coloring.ColorJitter:forward(image)
  local order, brightness, contrast, saturation, hue =
    coloring.ColorJitter.get_params(self.brightness, self.contrast, self.saturation, self.hue)
  local changes = {
    brightness and function(x) return F.adjust_brightness(x, brightness) end or false,
    contrast and function(x) return F.adjust_contrast(x, contrast) end or false,
    saturation and function(x) return F.adjust_saturation(x, saturation) end or false,
    hue and function(x) return F.adjust_hue(x, hue) end or false,
  }
  for _, index in ipairs(order) do
    if changes[index] then image = changes[index](image) end
  end
  return image
end

--- Blurs with a Gaussian kernel of a random standard deviation from a range (0.1 to 2).
---@use vision: kernel_size, sigma = {0.1, 2}
---@example
--- tide.vision.transforms.GaussianBlur(3)(tide.ones(3, 8, 8)).shape --> {3, 8, 8}
coloring.GaussianBlur = define("vision.transforms.GaussianBlur", function(self)
  if type(self.sigma) == "number" then self.sigma = {self.sigma, self.sigma} end
  local sigma = of_type("GaussianBlur", "sigma", self.sigma, "table")
  local is_pair = #sigma == 2 and type(sigma[1]) == "number" and type(sigma[2]) == "number"
  if not is_pair or sigma[1] <= 0 or sigma[1] > sigma[2] then
    raise("GaussianBlur: sigma: expected a positive number or {from, to}")
  end
end)

--- The standard deviation of the kernel.
function coloring.GaussianBlur.get_params(from, to) return draw.uniform(from, to) end

function coloring.GaussianBlur:forward(image)
  local sigma = coloring.GaussianBlur.get_params(self.sigma[1], self.sigma[2])
  return F.gaussian_blur(image, self.kernel_size, {sigma, sigma})
end

-- Erasing -----------------------------------------------------------------------------------------

--- Erases a random rectangle with a value, or with random values if value is "random".
---@use vision: p = 0.5, scale = {0.02, 0.33}, ratio = {0.3, 3.3}
---@param value number | number[] | "random" = 0  fill value
---@use vision: inplace = false
---@example
--- tide.vision.transforms.RandomErasing(1)(tide.ones(3, 8, 8)).shape --> {3, 8, 8}
coloring.RandomErasing = define("vision.transforms.RandomErasing", function(self)
    local scale = of_type("RandomErasing", "scale", self.scale, "table")
    local is_range = type(scale[1]) == "number" and type(scale[2]) == "number"
    if not is_range or scale[1] < 0 or scale[2] > 1 then raise("RandomErasing: scale must be between 0 and 1") end
    if type(self.value) == "string" and self.value ~= "random" then
      raise("RandomErasing: value: expected a number, a list of numbers or 'random', got '%s'", self.value)
    end
  end)

--- Row, column, height and width of the rectangle, and its value; nothing if none was found.
function coloring.RandomErasing.get_params(image, scale, ratio, value)
  local height, width, channels = picture.size(picture.check("RandomErasing", image, 3))
  for _ = 1, 10 do
    local h, w = transform.random_sides(height * width, scale, ratio)
    if h > 0 and w > 0 and h < height and w < width then
      local options = {dtype = image.dtype, device = image.device}
      if value == "random" then
        value = tide.randn({channels, h, w}, {device = image.device}):to(image.dtype)
      elseif type(value) == "table" then
        value = tide.tensor(value, options):reshape(-1, 1, 1)
      end
      local row = draw.integer(1, height - h + 1)
      return row, draw.integer(1, width - w + 1), h, w, value
    end
  end
end

function coloring.RandomErasing:forward(image)
  if not draw.chance(self.p) then return image end
  local i, j, h, w, value = coloring.RandomErasing.get_params(image, self.scale, self.ratio, self.value)
  return i and F.erase(image, i, j, h, w, value, self.inplace) or image
end

return coloring

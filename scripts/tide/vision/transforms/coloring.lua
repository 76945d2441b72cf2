-- Transforms of colours, types and ranges, and erasing.
local F = require "tide.vision.transforms.functional"
local draw = require "tide.internal.draw"
local picture = require "tide.vision.transforms.picture"
local of_kind = require "tide.internal.of_kind"
local raise = require "tide.internal.raise"
local tide = require "tide"
local transform = require "tide.vision.transforms.transform"
local define, define_random, uniform = transform.define, transform.define_random, transform.uniform

local coloring = {}

-- Types -------------------------------------------------------------------------------------------

coloring.ToTensor = define("ToTensor", {})

function coloring.ToTensor:forward(image) return F.to_tensor(image) end

coloring.ConvertImageDtype = define("ConvertImageDtype", {{"dtype", "float32"}}, {dtype = "string"})

function coloring.ConvertImageDtype:forward(image) return F.convert_image_dtype(image, self.dtype) end

coloring.Normalize = define("Normalize", {"mean", "std", {"inplace", false}})

function coloring.Normalize:forward(image) return F.normalize(image, self.mean, self.std, self.inplace) end

coloring.LinearTransformation = define("LinearTransformation", {"transformation_matrix", "mean_vector"},
  {transformation_matrix = "tensor", mean_vector = "tensor"})

function coloring.LinearTransformation:forward(image)
  local shape, count = image.shape, self.mean_vector:numel()
  if image:size(-1) * image:size(-2) * image:size(-3) ~= count then
    raise("LinearTransformation: a picture of shape (%s) has not the %d values of mean_vector",
      table.concat(shape, ", "), count)
  end
  local matrix, mean = self.transformation_matrix:to(image.device), self.mean_vector:to(image.device)
  return (image:reshape(-1, count) - mean):matmul(matrix):reshape(shape)
end

-- Colours -----------------------------------------------------------------------------------------

coloring.Grayscale = define("Grayscale", {{"num_output_channels", 1}})

function coloring.Grayscale:forward(image) return F.rgb_to_grayscale(image, self.num_output_channels) end

coloring.RandomGrayscale = define_random("RandomGrayscale", {{"p", 0.1}}, function(_, image)
  local _, _, channels = picture.size(picture.check("RandomGrayscale", image))
  return channels == 1 and image or F.rgb_to_grayscale(image, channels)
end)

coloring.RandomInvert = define_random("RandomInvert", {{"p", 0.5}}, function(_, image) return F.invert(image) end)
coloring.RandomPosterize = define_random("RandomPosterize", {"bits", {"p", 0.5}},
  function(self, image) return F.posterize(image, self.bits) end)
coloring.RandomSolarize = define_random("RandomSolarize", {"threshold", {"p", 0.5}},
  function(self, image) return F.solarize(image, self.threshold) end)
coloring.RandomAdjustSharpness = define_random("RandomAdjustSharpness", {"sharpness_factor", {"p", 0.5}},
  function(self, image) return F.adjust_sharpness(image, self.sharpness_factor) end)
coloring.RandomAutocontrast = define_random("RandomAutocontrast", {{"p", 0.5}},
  function(_, image) return F.autocontrast(image) end)
coloring.RandomEqualize = define_random("RandomEqualize", {{"p", 0.5}}, function(_, image) return F.equalize(image) end)

--- The range of a factor around `center`; nil if it can only be `center`.
local function factor_range(name, value, center, least, most)
  if type(value) == "number" then
    if value < 0 then raise("ColorJitter: %s must not be negative, got %s", name, tostring(value)) end
    value = {center - value, center + value}
    if center == 1 then value[1] = math.max(value[1], 0) end
  end
  if type(value) ~= "table" or #value ~= 2 then raise("ColorJitter: %s: expected a number or {from, to}", name) end
  if value[1] < least or value[2] > most or value[1] > value[2] then
    raise("ColorJitter: %s must lie between %s and %s, got %s to %s", name, least, most, value[1], value[2])
  end
  if value[1] == center and value[2] == center then return nil end
  return value
end

coloring.ColorJitter = define("ColorJitter",
  {{"brightness", 0}, {"contrast", 0}, {"saturation", 0}, {"hue", 0}}, nil, function(self)
    for _, name in ipairs {"brightness", "contrast", "saturation"} do
      self[name] = factor_range(name, self[name], 1, 0, math.huge)
    end
    self.hue = factor_range("hue", self.hue, 0, -0.5, 0.5)
  end)

--- The order of the four changes, and their factors: nil for what does not change.
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
  for _, place in ipairs(order) do
    if changes[place] then image = changes[place](image) end
  end
  return image
end

coloring.GaussianBlur = define("GaussianBlur", {"kernel_size", {"sigma", {0.1, 2}}}, nil, function(self)
  if type(self.sigma) == "number" then self.sigma = {self.sigma, self.sigma} end
  local sigma = of_kind("GaussianBlur", "sigma", self.sigma, "table")
  if #sigma ~= 2 or type(sigma[1]) ~= "number" or type(sigma[2]) ~= "number" or self.sigma[1] <= 0 or self.sigma[1] > self.sigma[2] then
    raise("GaussianBlur: sigma: expected a positive number or {from, to}")
  end
end)

--- The deviation of the bell.
function coloring.GaussianBlur.get_params(from, to) return draw.uniform(from, to) end

function coloring.GaussianBlur:forward(image)
  local sigma = coloring.GaussianBlur.get_params(self.sigma[1], self.sigma[2])
  return F.gaussian_blur(image, self.kernel_size, {sigma, sigma})
end

-- Erasing -----------------------------------------------------------------------------------------

coloring.RandomErasing = define("RandomErasing",
  {{"p", 0.5}, {"scale", {0.02, 0.33}}, {"ratio", {0.3, 3.3}}, {"value", 0}, {"inplace", false}}, {p = "number"},
  function(self)
    local scale = of_kind("RandomErasing", "scale", self.scale, "table")
    local is_range = type(scale[1]) == "number" and type(scale[2]) == "number"
    if not is_range or scale[1] < 0 or scale[2] > 1 then raise("RandomErasing: scale must lie between 0 and 1") end
    if type(self.value) == "string" and self.value ~= "random" then
      raise("RandomErasing: value: expected a number, a list of numbers or 'random', got '%s'", self.value)
    end
  end)

--- Row, column, height and width of a part, and its value; nothing if none was found.
function coloring.RandomErasing.get_params(image, scale, ratio, value)
  local height, width, channels = picture.size(picture.check("RandomErasing", image, 3))
  for _ = 1, 10 do
    local area = height * width * uniform(scale)
    local aspect = math.exp(draw.uniform(math.log(ratio[1]), math.log(ratio[2])))
    local h = math.floor(math.sqrt(area * aspect) + 0.5)
    local w = math.floor(math.sqrt(area / aspect) + 0.5)
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

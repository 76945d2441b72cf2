-- Transforms that choose among many operations: AutoAugment, RandAugment, TrivialAugmentWide, AugMix.
local F = require "tide.vision.transforms.functional"
local draw = require "tide.internal.draw"
local of_type = require "tide.internal.declare.of_type"
local picture = require "tide.vision.transforms.picture"
local policies = require "tide.vision.transforms.auto_augment_policies"
local raise = require "tide.internal.raise"
local transform = require "tide.vision.transforms.transform"
local define = transform.define

local augmentation = {}

-- The changes, as change(image, magnitude, interpolation, fill).
local changes = {Identity = function(image) return image end}

local function shear(x, y)
  return function(image, magnitude, interpolation, fill)
    local angle = math.deg(math.atan(magnitude))
    return F.affine(image, 0, {0, 0}, 1, {x * angle, y * angle}, interpolation, fill, {0, 0})
  end
end

local function translate(x, y)
  return function(image, magnitude, interpolation, fill)
    local amount = magnitude < 0 and math.ceil(magnitude) or math.floor(magnitude)
    return F.affine(image, 0, {x * amount, y * amount}, 1, {0, 0}, interpolation, fill)
  end
end

changes.ShearX, changes.ShearY = shear(1, 0), shear(0, 1)
changes.TranslateX, changes.TranslateY = translate(1, 0), translate(0, 1)
function changes.Rotate(image, magnitude, interpolation, fill)
  return F.rotate(image, magnitude, interpolation, false, nil, fill)
end
function changes.Brightness(image, magnitude) return F.adjust_brightness(image, 1 + magnitude) end
function changes.Color(image, magnitude) return F.adjust_saturation(image, 1 + magnitude) end
function changes.Contrast(image, magnitude) return F.adjust_contrast(image, 1 + magnitude) end
function changes.Sharpness(image, magnitude) return F.adjust_sharpness(image, 1 + magnitude) end
function changes.Posterize(image, magnitude) return F.posterize(image, math.floor(magnitude)) end
function changes.Solarize(image, magnitude) return F.solarize(image, magnitude) end
function changes.AutoContrast(image) return F.autocontrast(image) end
function changes.Equalize(image) return F.equalize(image) end
function changes.Invert(image) return F.invert(image) end

-- Magnitudes --------------------------------------------------------------------------------------
-- A space: {name, magnitude as a function of the bin from 0, whether the sign is random}.

local function to(most) return function(number, bins) return most * number / (bins - 1) end end

--- A decreasing number of bits, rounded half to even.
local function bits(most, fall)
  return function(number, bins)
    local lost = number / ((bins - 1) / fall)
    local rounded = math.floor(lost + 0.5)
    if lost + 0.5 == rounded and rounded % 2 == 1 then rounded = rounded - 1 end
    return most - rounded
  end
end

local function from_white(number, bins) return 255 - 255 * number / (bins - 1) end

local kNone <const> = function() return 0 end

--- The space with these maximum magnitudes.
local function space_of(most)
  local space = {
    {"ShearX", to(most.shear), true}, {"ShearY", to(most.shear), true},
    {"TranslateX", to(most.x), true}, {"TranslateY", to(most.y), true}, {"Rotate", to(most.degrees), true},
    {"Posterize", most.bits, false}, {"Solarize", from_white, false}, {"AutoContrast", kNone, false},
    {"Equalize", kNone, false},
  }
  for _, name in ipairs(most.factor and {"Brightness", "Color", "Contrast", "Sharpness"} or {}) do
    space[#space + 1] = {name, to(most.factor), true}
  end
  if most.other then space[#space + 1] = {most.other, kNone, false} end
  return space
end

--- The space of AutoAugment and RandAugment for the size of an image.
local function usual_space(image, other)
  local height, width = picture.size(image)
  return space_of {
    shear = 0.3, x = 150 / 331 * width, y = 150 / 331 * height, degrees = 30, factor = 0.9, bits = bits(8, 4),
    other = other,
  }
end

local function apply(self, image, entry, number, bins)
  local magnitude = entry[2](number, bins)
  if entry[3] and draw.integer(0, 1) == 1 then magnitude = -magnitude end
  return changes[entry[1]](image, magnitude, self.interpolation, self.fill)
end

--- Applies random operations with one magnitude (Cubuk et al. 2020); uint8.
---@param num_ops integer = 2  number of operations
---@param magnitude integer = 9  strength, below num_magnitude_bins
---@use vision: num_magnitude_bins = 31, interpolation = "nearest", fill = nil
---@example
--- tide.vision.transforms.RandAugment()(tide.zeros({3, 8, 8}, {dtype = "uint8"})).shape --> {3, 8, 8}
augmentation.RandAugment = define("vision.transforms.RandAugment", function(self)
    for _, name in ipairs {"num_ops", "magnitude", "num_magnitude_bins"} do
      of_type("RandAugment", name, self[name], "integer >= 0")
    end
    if self.magnitude >= self.num_magnitude_bins then
      raise("RandAugment: magnitude must be between 0 and %d, got %s", self.num_magnitude_bins - 1,
        tostring(self.magnitude))
    end
  end)

function augmentation.RandAugment:forward(image)
  local space = usual_space(picture.check("RandAugment", image), "Identity")
  for _ = 1, self.num_ops do
    image = apply(self, image, space[draw.integer(1, #space)], self.magnitude, self.num_magnitude_bins)
  end
  return image
end

--- Applies one random operation with a random magnitude (Muller and Hutter 2021); uint8.
---@use vision: num_magnitude_bins = 31, interpolation = "nearest", fill = nil
---@example
--- tide.vision.transforms.TrivialAugmentWide()(tide.zeros({3, 8, 8}, {dtype = "uint8"})).shape --> {3, 8, 8}
augmentation.TrivialAugmentWide = define("vision.transforms.TrivialAugmentWide")

local kWide <const> = space_of {
  shear = 0.99, x = 32, y = 32, degrees = 135, factor = 0.99, bits = bits(8, 6), other = "Identity",
}

function augmentation.TrivialAugmentWide:forward(image)
  picture.check("TrivialAugmentWide", image)
  local bins = self.num_magnitude_bins
  return apply(self, image, kWide[draw.integer(1, #kWide)], draw.integer(0, bins - 1), bins)
end

--- Applies two operations from a policy learned on imagenet, cifar10 or svhn (Cubuk et al. 2019); uint8.
---@param policy "imagenet" | "cifar10" | "svhn" = "imagenet"  the dataset the policy was learned on
---@use vision: interpolation = "nearest", fill = nil
---@example
--- tide.vision.transforms.AutoAugment("cifar10")(tide.zeros({3, 8, 8}, {dtype = "uint8"})).shape --> {3, 8, 8}
augmentation.AutoAugment = define("vision.transforms.AutoAugment", function(self)
    if not policies[self.policy] then
      raise("AutoAugment: policy: expected cifar10, imagenet or svhn, got '%s'", self.policy)
    end
  end)

local kPolicyBins <const> = 10

function augmentation.AutoAugment:forward(image)
  local by_name = {}
  for _, entry in ipairs(usual_space(picture.check("AutoAugment", image), "Invert")) do by_name[entry[1]] = entry end
  local pairs_of = policies[self.policy]
  for _, step in ipairs(pairs_of[draw.integer(1, #pairs_of)]) do
    local name, p, number = table.unpack(step)
    if draw.chance(p) then image = apply(self, image, by_name[name], number or 0, kPolicyBins) end
  end
  return image
end

--- Mixes the image with results of chains of random operations (Hendrycks et al. 2020); uint8.
---@param severity number = 3  strength, from 1 to 10
---@param mixture_width integer >= 0 = 3  number of chains to mix
---@param chain_depth number = -1  operations in a chain; -1: 1 to 3 at random
---@param alpha number = 1  parameter of the beta distribution of the mixing weights
---@param all_ops boolean = true  include changes of brightness, color and sharpness
---@use vision: interpolation = "bilinear", fill = nil
---@example
--- tide.vision.transforms.AugMix()(tide.zeros({3, 8, 8}, {dtype = "uint8"})).shape --> {3, 8, 8}
augmentation.AugMix = define("vision.transforms.AugMix", function(self)
  if self.severity < 1 or self.severity > 10 then
    raise("AugMix: severity must be between 1 and 10, got %s", tostring(self.severity))
  end
end)

function augmentation.AugMix:forward(image)
  local height, width = picture.size(picture.check("AugMix", image))
  local space = space_of {
    shear = 0.3, x = width / 3, y = height / 3, degrees = 30, factor = self.all_ops and 0.9, bits = bits(4, 4),
  }
  local share, weights = draw.beta(self.alpha), draw.shares(self.mixture_width, self.alpha)
  local mix = image * share
  for i = 1, self.mixture_width do
    local changed = image
    for _ = 1, self.chain_depth > 0 and self.chain_depth or draw.integer(1, 3) do
      changed = apply(self, changed, space[draw.integer(1, #space)], draw.integer(0, self.severity - 1), 10)
    end
    mix = mix + changed * (weights[i] * (1 - share))
  end
  return mix:to(image.dtype)
end

return augmentation

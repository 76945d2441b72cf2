-- Transforms as objects: their effects, and the distributions of their parameters.
local tide = require "tide"
local draw = require "tide.internal.draw"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, raises = test.same_type, test.raises
local V = tide.vision.transforms
local F = V.functional

local function bytes(...) return (tide.rand(...) * 256):to("uint8") end

--- Mean, minimum and maximum of the results of `fn`.
local function summary(fn, count)
  local sum, least, most = 0, math.huge, -math.huge
  for _ = 1, count or 2000 do
    local value = fn()
    sum, least, most = sum + value, math.min(least, value), math.max(most, value)
  end
  return sum / (count or 2000), least, most
end

--- Asserts that a value is within `distance` of the expected one.
local function near(value, expected, distance)
  test.is_true(math.abs(value - expected) <= distance, ("%g is not near %g"):format(value, expected))
end

describe("random numbers drawn on the host", function()
  it("equal those of a tensor of random numbers", function()
    for _, seed in ipairs {0, 7, -5, 1 << 40} do
      tide.manual_seed(seed)
      tide.rand(3)
      local state = tide.get_rng_state()
      local drawn = {draw.unit(), draw.unit()}
      local after = tide.get_rng_state()
      tide.set_rng_state(state)
      equal(tide.rand({2}, {dtype = "float64"}):tolist(), drawn)
      equal(tide.get_rng_state().offset, after.offset)
    end
  end)
  it("have the distributions in their names", function()
    tide.manual_seed(1)
    local mean, least, most = summary(function() return draw.integer(3, 6) end)
    near(mean, 4.5, 0.1)
    equal({least, most}, {3, 6})
    near(summary(function() return draw.chance(0.3) and 1 or 0 end), 0.3, 0.04)
    for _, parameter in ipairs {0.3, 1, 4} do
      near(summary(function() return draw.beta(parameter) end), 0.5, 0.03)
      near(summary(function() return (draw.beta(parameter) - 0.5) ^ 2 end), 0.25 / (2 * parameter + 1), 0.01)
    end
    local places = {0, 0, 0}
    for _ = 1, 3000 do
      local first = draw.permutation(3)[1]
      places[first] = places[first] + 1
    end
    for i = 1, 3 do near(places[i], 1000, 150) end
  end)
end)

describe("transforms", function()
  test.before_each(function() tide.manual_seed(3) end)

  it("are the same for the same seed, and differ otherwise", function()
    local image = bytes(3, 24, 32)
    local change = V.Compose {
      V.RandomResizedCrop(16), V.RandomHorizontalFlip(), V.ColorJitter(0.4, 0.4, 0.4, 0.1), V.RandAugment(),
      V.RandomAffine(20, {translate = {0.1, 0.1}, scale = {0.8, 1.2}, shear = 5}), V.RandomPerspective(),
      V.RandomErasing(), V.ConvertImageDtype(),
    }
    tide.manual_seed(5)
    local first, second = change(image), change(image)
    tide.manual_seed(5)
    test.identical(change(image), first)
    test.is_false(first:equal(second))
    equal({first.shape, first.dtype}, {{3, 16, 16}, "float32"})
  end)
  it("agree with the functions", function()
    local image = bytes(3, 24, 32)
    test.identical(V.Resize(12)(image), F.resize(image, 12))
    test.identical(V.Pad({1, 2}, 5)(image), F.pad(image, {1, 2}, 5))
    test.identical(V.Grayscale(3)(image), F.rgb_to_grayscale(image, 3))
    test.identical(V.RandomHorizontalFlip(1)(image), F.hflip(image))
    test.identical(V.RandomVerticalFlip {p = 0}(image), image)
    test.identical(V.RandomRotation({30, 30})(image), F.rotate(image, 30, {fill = 0}))
    test.identical(V.ColorJitter {brightness = {0.5, 0.5}}(image), F.adjust_brightness(image, 0.5))
    test.identical(V.GaussianBlur(3, 1.5)(image), F.gaussian_blur(image, 3, 1.5))
    test.identical(V.ToTensor()(image), image:float() / 255)
    test.identical(V.RandomPosterize(3, 1)(image), F.posterize(image, 3))
  end)
  it("are composed", function()
    local image = bytes(3, 24, 32)
    local crops = V.Compose {V.FiveCrop(8), V.Lambda(function(...) return tide.stack {...} end)}(image)
    equal(crops.shape, {5, 3, 8, 8})
    test.identical(V.RandomApply({V.Pad(1), V.Pad(2)}, 1)(image), F.pad(image, 3))
    test.identical(V.RandomApply({V.Pad(1)}, 0)(image), image)
    test.identical(V.RandomOrder {V.Pad(1), V.Pad(2)}(image), F.pad(image, 3))
    local wide = summary(function()
      return V.RandomChoice({V.Pad(1), V.Pad(0)}, {3, 1})(image):size(-1) - 32
    end, 400)
    near(wide, 1.5, 0.2)
  end)
  it("choose parts of the image uniformly", function()
    local image = tide.zeros(3, 20, 30)
    local mean, least, most = summary(function() return (V.RandomCrop.get_params(image, {5, 10})) end)
    near(mean, 8.5, 0.4)
    equal({least, most}, {1, 16})
    local share = summary(function()
      local i, j, h, w = V.RandomResizedCrop.get_params(image, {0.2, 0.6}, {3 / 4, 4 / 3})
      test.is_true(i >= 1 and j >= 1 and i + h - 1 <= 20 and j + w - 1 <= 30)
      return h * w / 600
    end)
    near(share, 0.4, 0.02)
    local _, _, height, width = V.RandomResizedCrop.get_params(tide.zeros(1, 2, 100), {0.9, 1}, {3 / 4, 4 / 3})
    equal({height, width}, {2, 3})
    local erased = summary(function()
      local _, _, h, w = V.RandomErasing.get_params(image, {0.1, 0.3}, {0.5, 2}, 0)
      return h * w / 600
    end)
    near(erased, 0.2, 0.02)
  end)
  it("draw factors, angles and corners from their ranges", function()
    local jitter = V.ColorJitter(0.4, 0, 2, 0.1)
    equal({jitter.brightness, jitter.contrast, jitter.saturation, jitter.hue}, {{0.6, 1.4}, nil, {0, 3}, {-0.1, 0.1}})
    local mean, least, most = summary(function()
      return (select(2, V.ColorJitter.get_params({0.6, 1.4})))
    end)
    near(mean, 1, 0.02)
    test.is_true(least >= 0.6 and least < 0.61 and most <= 1.4 and most > 1.39)
    mean, least, most = summary(function()
      return (select(2, V.RandomAffine.get_params({-10, 10}, {0.1, 0.2}, nil, nil, {100, 50})))[1]
    end)
    near(mean, 0, 0.5)
    equal({least, most}, {-10, 10})
    mean, least, most = summary(function()
      local _, corners = V.RandomPerspective.get_params(40, 20, 0.5)
      return corners[3][1]
    end)
    near(mean, 34, 0.3)
    equal({least, most}, {29, 39})
  end)
  it("apply every operation of an augmentation", function()
    local image = bytes(3, 16, 16)
    for _, change in ipairs {
      V.RandAugment(), V.TrivialAugmentWide(), V.AutoAugment(), V.AutoAugment "cifar10", V.AutoAugment "svhn",
      V.AugMix(), V.RandAugment {num_ops = 1, magnitude = 30, fill = {1, 2, 3}, interpolation = "bilinear"},
    } do
      local changed = 0
      for _ = 1, 60 do
        local result = change(image)
        equal({result.shape, result.dtype}, {{3, 16, 16}, "uint8"})
        if not result:equal(image) then changed = changed + 1 end
      end
      test.is_true(changed > 30)
    end
  end)
  it("mix batches and their labels", function()
    local images, labels = tide.rand(4, 3, 16, 16), tide.tensor {1, 2, 3, 1}
    local mixed, shares = V.MixUp(0.4, 3)(images, labels)
    local share = shares[2][2]:item()
    test.close(mixed, images * share + images:roll(1, 1) * (1 - share), {rtol = 1e-6, atol = 1e-6})
    near(shares[2][1]:item(), 1 - share, 1e-6)
    for _ = 1, 20 do
      mixed, shares = V.CutMix {num_classes = 3}(images, labels)
      local same = mixed:eq(images):float():mean():item()
      near(shares[2][2]:item(), same, 1e-6)
      equal(mixed:eq(images):logical_or(mixed:eq(images:roll(1, 1))):all():item(), true)
    end
  end)
  it("report errors", function()
    local image = bytes(3, 8, 8)
    raises("RandomCrop: the size 9 x 9 is larger than the image's 8 x 8; pad_if_needed = true pads it",
      function() V.RandomCrop(9)(image) end)
    equal(V.RandomCrop(9, {pad_if_needed = true})(image).shape, {3, 9, 9})
    raises("RandomHorizontalFlip: p must be between 0 and 1, got 2", function() V.RandomHorizontalFlip(2) end)
    raises("Compose: transforms: element 2: expected function, got number", function() V.Compose {V.Pad(1), 3} end)
    raises("ColorJitter: hue must be between -0.5 and 0.5", function() V.ColorJitter {hue = 0.6} end)
    raises('AutoAugment: policy must be "imagenet", "cifar10" or "svhn", got "mnist"',
      function() V.AutoAugment "mnist" end)
    raises("RandAugment: magnitude must be between 0 and 30, got 31", function() V.RandAugment(2, 31) end)
    raises("MixUp: num_classes is required for labels that are class indices",
      function() V.MixUp()(tide.rand(2, 3, 4, 4), tide.tensor {1, 2}) end)
    equal(tostring(V.Resize(20)), 'Resize(size = 20, interpolation = "bilinear", antialias = true)')
  end)
  it("do not wait", function()
    local image = tide.rand(3, 16, 16)
    local change = V.Compose {
      V.RandomResizedCrop(8), V.RandomHorizontalFlip(), V.ColorJitter(0.4, 0.4, 0.4), V.RandomErasing(1),
    }
    local before = tide.wait_count()
    for _ = 1, 3 do change(image) end
    equal(tide.wait_count(), before)
  end)
end)

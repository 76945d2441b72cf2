-- Transforms of batches and their labels: each image is mixed with the previous one.
local draw = require "tide.internal.draw"
local raise = require "tide.internal.raise"
local tide = require "tide"
local transform = require "tide.vision.transforms.transform"

local mixing = {}

--- Raises an error unless these are a batch and its labels; returns the labels as class probabilities.
local function checked_labels(self, images, labels)
  local name = getmetatable(self).name
  if not tide.is_tensor(images) or images:dim() ~= 4 then
    raise("%s: expected a batch (n, channels, height, width)", name)
  end
  if not tide.is_tensor(labels) or labels:size(1) ~= images:size(1) then
    raise("%s: expected a label for each of the %d images", name, images:size(1))
  end
  if labels:dim() == 2 then return labels:is_floating_point() and labels or labels:float() end
  if not self.num_classes then raise("%s: num_classes is required for labels that are class indices", name) end
  return tide.nn.functional.one_hot(labels:to("int64"), self.num_classes):float()
end

local function define(name)
  return transform.define(name, function(self)
    if self.alpha <= 0 then
      raise("%s: alpha must be positive, got %s", getmetatable(self).name, tostring(self.alpha))
    end
  end)
end

--- share * a + (1 - share) * (a rolled by one row).
local function mixed(a, share) return a * share + a:roll(1, 1) * (1 - share) end

--- Mixes each image of a batch with the previous one, and the labels likewise.
---@use vision: alpha = 1
---@param num_classes integer >= 0 = nil  number of classes, for labels that are class indices from 1
---@example
--- select("#", tide.vision.transforms.MixUp(1, 10)(tide.ones(2, 3, 8, 8), tide.tensor{1, 2})) --> 2
mixing.MixUp = define "vision.transforms.MixUp"

function mixing.MixUp:forward(images, labels)
  local shares = checked_labels(self, images, labels)
  local share = draw.beta(self.alpha)
  local wide = images:is_floating_point() and images or images:float()
  return mixed(wide, share):to(images.dtype), mixed(shares, share)
end

--- Replaces a region of each image of a batch with the previous image, and mixes the labels by area.
---@like vision.transforms.MixUp
---@example
--- select("#", tide.vision.transforms.CutMix(1, 10)(tide.ones(2, 3, 8, 8), tide.tensor{1, 2})) --> 2
mixing.CutMix = define "vision.transforms.CutMix"

--- First and last row and column of the replaced region, and the fraction that is not replaced.
function mixing.CutMix.get_params(share, height, width)
  local x, y = draw.integer(0, width - 1), draw.integer(0, height - 1)
  local half = 0.5 * math.sqrt(1 - share)
  local across, down = math.floor(half * width), math.floor(half * height)
  local left, right = math.max(x - across, 0), math.min(x + across, width)
  local top, bottom = math.max(y - down, 0), math.min(y + down, height)
  return top + 1, bottom, left + 1, right, 1 - (right - left) * (bottom - top) / (width * height)
end

function mixing.CutMix:forward(images, labels)
  local shares = checked_labels(self, images, labels)
  local top, bottom, left, right, share =
    mixing.CutMix.get_params(draw.beta(self.alpha), images:size(3), images:size(4))
  local result = images:clone()
  if bottom >= top and right >= left then
    local part = {{}, {}, {top, bottom}, {left, right}}
    result[part] = images:roll(1, 1)[part]
  end
  return result, mixed(shares, share)
end

return mixing

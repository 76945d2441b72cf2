-- Layers without parameters that move, pad, resample or compare: each calls a function of
-- tide.nn.functional with the module's options.
local define = require "tide.internal.declare.define"
local F = require "tide.nn.functional"
local Module = require "tide.nn.module"

local rearrangements = {}

--- Makes the class declared as `name`, whose arguments become its fields.
local function layer(name, forward)
  local Layer, read, _, option_names = define(name, Module)
  function Layer:init(...)
    local given, names = read(...)
    for _, key in ipairs(names) do self[key] = given[key] end
  end
  Layer.forward = forward
  function Layer:describe()
    local words = {}
    for _, key in ipairs(option_names()) do
      local value = self[key]
      if value ~= nil then
        local text = type(value) == "table" and table.concat(value, ", ") or tostring(value)
        words[#words + 1] = ("%s = %s"):format(key, text)
      end
    end
    return table.concat(words, ", ")
  end
  rearrangements[Layer.name] = Layer
end

--- Padding amounts as a list, from the last dimension backwards; one amount applies to all sides.
local function amounts(padding, dims)
  if type(padding) == "table" then return padding end
  local list = {}
  for i = 1, 2 * dims do list[i] = padding end
  return list
end

--- Pads `dims` dimensions in a mode of F.pad.
local function padding(dims, mode)
  return function(self, x) return F.pad(x, amounts(self.padding, dims), mode) end
end

--- Pads `dims` dimensions with `value`, or with the layer's own value.
local function filling(dims, value)
  return function(self, x) return F.pad(x, amounts(self.padding, dims), "constant", value or self.value) end
end

--- Pads with the reflection at the edges.
---@use nn: padding
---@shapes x (n, channels, size...) -> (n, channels, before + size + after for each)
---@see nn.ConstantPad2d nn.ReplicationPad2d nn.CircularPad2d F.pad
---@example
--- nn.ReflectionPad1d(1)(tide.tensor{{1, 2, 3}}) --> {{2, 1, 2, 3, 2}}
layer("nn.ReflectionPad1d", padding(1, "reflect"))

--- Pads with the reflection at the edges.
---@use nn: padding
---@shapes x (n, channels, size...) -> (n, channels, before + size + after for each)
---@see nn.ConstantPad2d nn.ReplicationPad2d nn.CircularPad2d F.pad
---@example
--- nn.ReflectionPad2d(1)(tide.ones(1, 2, 2)).shape --> {1, 4, 4}
layer("nn.ReflectionPad2d", padding(2, "reflect"))

--- Pads with the reflection at the edges.
---@use nn: padding
---@shapes x (n, channels, size...) -> (n, channels, before + size + after for each)
---@see nn.ConstantPad2d nn.ReplicationPad2d nn.CircularPad2d F.pad
---@example
--- nn.ReflectionPad3d(1)(tide.ones(1, 2, 2, 2)).shape --> {1, 4, 4, 4}
layer("nn.ReflectionPad3d", padding(3, "reflect"))

--- Pads by repeating the edges.
---@use nn: padding
---@shapes x (n, channels, size...) -> (n, channels, before + size + after for each)
---@see nn.ConstantPad2d nn.ReflectionPad2d nn.CircularPad2d F.pad
---@example
--- nn.ReplicationPad1d(1)(tide.tensor{{1, 2, 3}}) --> {{1, 1, 2, 3, 3}}
layer("nn.ReplicationPad1d", padding(1, "replicate"))

--- Pads by repeating the edges.
---@use nn: padding
---@shapes x (n, channels, size...) -> (n, channels, before + size + after for each)
---@see nn.ConstantPad2d nn.ReflectionPad2d nn.CircularPad2d F.pad
---@example
--- nn.ReplicationPad2d(1)(tide.ones(1, 2, 2)).shape --> {1, 4, 4}
layer("nn.ReplicationPad2d", padding(2, "replicate"))

--- Pads by repeating the edges.
---@use nn: padding
---@shapes x (n, channels, size...) -> (n, channels, before + size + after for each)
---@see nn.ConstantPad2d nn.ReflectionPad2d nn.CircularPad2d F.pad
---@example
--- nn.ReplicationPad3d(1)(tide.ones(1, 2, 2, 2)).shape --> {1, 4, 4, 4}
layer("nn.ReplicationPad3d", padding(3, "replicate"))

--- Pads with elements from the opposite end.
---@use nn: padding
---@shapes x (n, channels, size...) -> (n, channels, before + size + after for each)
---@see nn.ConstantPad2d nn.ReflectionPad2d nn.ReplicationPad2d F.pad
---@example
--- nn.CircularPad1d(1)(tide.tensor{{1, 2, 3}}) --> {{3, 1, 2, 3, 1}}
layer("nn.CircularPad1d", padding(1, "circular"))

--- Pads with elements from the opposite end.
---@use nn: padding
---@shapes x (n, channels, size...) -> (n, channels, before + size + after for each)
---@see nn.ConstantPad2d nn.ReflectionPad2d nn.ReplicationPad2d F.pad
---@example
--- nn.CircularPad2d(1)(tide.ones(1, 2, 2)).shape --> {1, 4, 4}
layer("nn.CircularPad2d", padding(2, "circular"))

--- Pads with elements from the opposite end.
---@use nn: padding
---@shapes x (n, channels, size...) -> (n, channels, before + size + after for each)
---@see nn.ConstantPad2d nn.ReflectionPad2d nn.ReplicationPad2d F.pad
---@example
--- nn.CircularPad3d(1)(tide.ones(1, 2, 2, 2)).shape --> {1, 4, 4, 4}
layer("nn.CircularPad3d", padding(3, "circular"))

--- Pads with a value.
---@use nn: padding, value
---@shapes x (n, channels, size...) -> (n, channels, before + size + after for each)
---@see nn.ReflectionPad2d nn.ReplicationPad2d nn.CircularPad2d F.pad
---@example
--- nn.ConstantPad1d(1, 7)(tide.tensor{{1, 2}}) --> {{7, 1, 2, 7}}
layer("nn.ConstantPad1d", filling(1))

--- Pads with a value.
---@like nn.ConstantPad1d
---@example
--- nn.ConstantPad2d(1, 7)(tide.tensor{{{1}}}) --> {{{7, 7, 7}, {7, 1, 7}, {7, 7, 7}}}
layer("nn.ConstantPad2d", filling(2))

--- Pads with a value.
---@like nn.ConstantPad1d
---@example
--- nn.ConstantPad3d(1, 7)(tide.ones(1, 2, 2, 2)).shape --> {1, 4, 4, 4}
layer("nn.ConstantPad3d", filling(3))

--- Pads with zeros.
---@use nn: padding
---@shapes x (n, channels, size...) -> (n, channels, before + size + after for each)
---@see nn.ConstantPad2d nn.ReflectionPad2d nn.ReplicationPad2d nn.CircularPad2d F.pad
---@example
--- nn.ZeroPad1d(1)(tide.tensor{{1, 2, 3}}) --> {{0, 1, 2, 3, 0}}
layer("nn.ZeroPad1d", filling(1, 0))

--- Pads with zeros.
---@use nn: padding
---@shapes x (n, channels, size...) -> (n, channels, before + size + after for each)
---@see nn.ConstantPad2d nn.ReflectionPad2d nn.ReplicationPad2d nn.CircularPad2d F.pad
---@example
--- nn.ZeroPad2d(1)(tide.ones(1, 2, 2)).shape --> {1, 4, 4}
layer("nn.ZeroPad2d", filling(2, 0))

--- Pads with zeros.
---@use nn: padding
---@shapes x (n, channels, size...) -> (n, channels, before + size + after for each)
---@see nn.ConstantPad2d nn.ReflectionPad2d nn.ReplicationPad2d nn.CircularPad2d F.pad
---@example
--- nn.ZeroPad3d(1)(tide.ones(1, 2, 2, 2)).shape --> {1, 4, 4, 4}
layer("nn.ZeroPad3d", filling(3, 0))

--- Splits one dimension into several.
---@param dim integer  the dimension, from 1; negative ones count from the end
---@param unflattened_size integer[]  sizes of the new dimensions; one may be -1 to be inferred
---@see nn.Flatten x:flatten
---@example
--- nn.Unflatten(2, {3, 4})(tide.ones(2, 12)).shape --> {2, 3, 4}
layer("nn.Unflatten", function(self, x)
  return x:unflatten(self.dim, self.unflattened_size)
end)

--- Rearranges channels into pixels.
---@param upscale_factor integer  factor of height and width
---@shapes x (n, channels r^2, height, width) -> (n, channels, height r, width r), where r is the factor
---@see nn.PixelUnshuffle
---@example
--- nn.PixelShuffle(2)(tide.ones(1, 8, 3, 3)).shape --> {1, 2, 6, 6}
layer("nn.PixelShuffle", function(self, x)
  return F.pixel_shuffle(x, self.upscale_factor)
end)

--- Rearranges pixels into channels.
---@param downscale_factor integer  divisor of height and width
---@shapes x (n, channels, height r, width r) -> (n, channels r^2, height, width), where r is the factor
---@see nn.PixelShuffle
---@example
--- nn.PixelUnshuffle(2)(tide.ones(1, 2, 6, 6)).shape --> {1, 8, 3, 3}
layer("nn.PixelUnshuffle", function(self, x)
  return F.pixel_unshuffle(x, self.downscale_factor)
end)

--- Interleaves the channels of groups.
---@param groups integer  number of groups; must divide the number of channels
---@shapes x (n, channels, ...) -> the same
---@see nn.PixelShuffle
---@example
--- nn.ChannelShuffle(2)(tide.arange(4):reshape(1, 4, 1)):flatten() --> {0, 2, 1, 3}
layer("nn.ChannelShuffle", function(self, x) return F.channel_shuffle(x, self.groups) end)

--- Resamples to another size.
---@use nn: size = nil, scale_factor = nil, mode = "nearest", align_corners = nil
---@param recompute_scale_factor boolean = nil  recompute the factor from the sizes; nil is false
---@shapes x (n, channels, size...) -> (n, channels, size or floor(scale_factor size))
---@errors not exactly one of size and scale_factor is given
---@see F.interpolate nn.ConvTranspose2d
---@example
--- nn.Upsample({scale_factor = 2})(tide.tensor{{{1.0, 2}}}) --> {{{1.0, 1.0, 2.0, 2.0}}}
layer("nn.Upsample", function(self, x)
  return F.interpolate(x, self.size, self.scale_factor, self.mode, self.align_corners,
    self.recompute_scale_factor)
end)

--- Resamples by the nearest pixel.
---@use nn: size = nil, scale_factor = nil
---@shapes x (n, channels, size...) -> (n, channels, size or floor(scale_factor size))
---@errors not exactly one of size and scale_factor is given
---@see nn.Upsample F.interpolate nn.ConvTranspose2d
---@example
--- nn.UpsamplingNearest2d({scale_factor = 2})(tide.ones(1, 1, 2, 2)).shape --> {1, 1, 4, 4}
layer("nn.UpsamplingNearest2d", function(self, x)
  return F.interpolate(x, self.size, self.scale_factor, "nearest")
end)

--- Resamples by bilinear interpolation with aligned corners.
---@like nn.UpsamplingNearest2d
---@example
--- nn.UpsamplingBilinear2d({scale_factor = 2})(tide.ones(1, 1, 2, 2)).shape --> {1, 1, 4, 4}
layer("nn.UpsamplingBilinear2d", function(self, x)
  return F.interpolate(x, self.size, self.scale_factor, "bilinear", true)
end)

--- Extracts windows as columns.
---@use nn: kernel_size, dilation = 1
---@param padding integer | integer[] = 0  elements added at both ends of x: one number for all dimensions, or one for
---  each
---@use nn: stride = 1
---@shapes x (n, channels, height, width) -> (n, channels * window, number of windows)
---@see nn.Fold
---@example
--- nn.Unfold(2)(tide.ones(1, 3, 4, 4)).shape --> {1, 12, 9}
layer("nn.Unfold", function(self, x)
  return F.unfold(x, self.kernel_size, self.dilation, self.padding, self.stride)
end)

--- Sums overlapping windows (columns) into images.
---@param output_size integer | integer[]  height and width of the images
---@use nn: kernel_size, dilation = 1
---@param padding integer | integer[] = 0  elements added at both ends of x: one number for all dimensions, or one for
---  each
---@use nn: stride = 1
---@shapes x (n, channels * window, number of windows) -> (n, channels, height, width)
---@see nn.Unfold F.fold
---@example
--- nn.Fold({3, 3}, 2)(tide.ones(1, 4, 4)) --> {{{{1.0, 2.0, 1.0}, {2.0, 4.0, 2.0}, {1.0, 2.0, 1.0}}}}
layer("nn.Fold", function(self, x)
  return F.fold(x, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)
end)

--- Cosine of the angle between vectors.
---@param dim integer = 2  the dimension of the vectors, from 1
---@param eps number = 1e-8  small number that avoids division by zero
---@formula x1 . x2 / max(||x1|| ||x2||, eps)
---@see nn.PairwiseDistance
---@example
--- nn.CosineSimilarity({dim = 1})(tide.tensor{1.0, 0}, tide.tensor{1.0, 1}) --> 0.7071
layer("nn.CosineSimilarity", function(self, x1, x2)
  return F.cosine_similarity(x1, x2, self.dim, self.eps)
end)

--- Distance between vectors.
---@param p number = 2.0  exponent of the norm
---@param eps number = 1e-6  small number that avoids division by zero
---@param keepdim boolean = false  keep the reduced dimension, with size 1
---@formula ||x1 - x2 + eps||_p
---@see tide.cdist
---@example
--- nn.PairwiseDistance()(tide.tensor{{0.0, 0}}, tide.tensor{{3.0, 4}}) --> {5.0}
layer("nn.PairwiseDistance", function(self, x1, x2)
  return F.pairwise_distance(x1, x2, self.p, self.eps, self.keepdim)
end)

return rearrangements

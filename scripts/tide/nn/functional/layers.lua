-- tide.nn.functional: layers and resampling, composed of ops.
local checked = require "tide.internal.declare.checked"
local F = require "tide.nn.functional"
local raise = require "tide.internal.raise"
local tide = require "tide"

--- x1' A x2 + b, with a matrix A for each output feature.
---@param input1 tensor  first input: (..., in1_features)
---@param input2 tensor  second input: (..., in2_features)
---@param weight tensor  (out_features, in1_features, in2_features)
---@param bias tensor = nil  one element for each feature of the result
---@formula y[k] = x1' A[k] x2 + b[k]
---@shapes x1 (..., in1_features), x2 (..., in2_features) -> (..., out_features)
---@see nn.Bilinear nn.Linear
---@example
--- F.bilinear(tide.ones(4, 3), tide.ones(4, 5), tide.ones(2, 3, 5)).shape --> {4, 2}
F.bilinear = checked("nn.functional.bilinear", function(input1, input2, weight, bias)
  local y = tide.einsum("...i,oij,...j->...o", input1, weight, input2)
  return bias and y + bias or y
end)

--- Normalizes each element by the squares of neighboring channels.
---@use nn: x
---@param size integer >= 0  number of neighboring channels
---@use nn: alpha = 0.0001, beta = 0.75, k = 1.0
---@formula y[c] = x[c] / (k + alpha / size * sum over size neighboring channels of x^2)^beta
---@example
--- F.local_response_norm(tide.ones(1, 3, 4), 2).shape --> {1, 3, 4}
F.local_response_norm = checked("nn.functional.local_response_norm", function(x, size, alpha, beta, k)
  if x:dim() < 3 then
    raise("local_response_norm: expected 3 dimensions or more, got %d", x:dim())
  end
  local rows = (x * x):flatten(3):transpose(2, 3)
  local padded = F.pad(rows, {size // 2, (size - 1) // 2})
  local means = F.avg_pool1d(padded, size, 1):transpose(2, 3):reshape(x.shape)
  return x / (means * alpha + k) ^ beta
end)

--- Interleaves the channels of groups.
---@use nn: x
---@param groups integer >= 0  number of groups; must divide the number of channels
---@shapes x (n, channels, ...) -> the same
---@see nn.PixelShuffle
---@example
--- F.channel_shuffle(tide.arange(4):reshape(1, 4, 1), 2):flatten() --> {0, 2, 1, 3}
F.channel_shuffle = checked("nn.functional.channel_shuffle", function(x, groups)
  if x:dim() < 2 then raise("channel_shuffle: expected 2 dimensions or more, got %d", x:dim()) end
  if groups < 1 or x:size(2) % groups ~= 0 then
    raise("channel_shuffle: %d channels do not divide into %d groups", x:size(2), groups)
  end
  local group_size = x:size(2) // groups
  if groups == 1 or group_size == 1 then return x:clone() end
  return x:unflatten(2, {groups, group_size}):transpose(2, 3):flatten(2, 3)
end)

--- Resamples to another size: the old name of interpolate.
---@use nn: input, size = nil, scale_factor = nil, mode = "nearest", align_corners = nil
---@shapes x (n, channels, size...) -> (n, channels, size or floor(scale_factor size))
---@errors not exactly one of size and scale_factor is given
---@see nn.Upsample F.interpolate nn.ConvTranspose2d
---@example
--- F.upsample(tide.tensor{{{1.0, 3}}}, {scale_factor = 2}) --> {{{1.0, 1.0, 3.0, 3.0}}}
F.upsample = checked("nn.functional.upsample", function(input, size, scale_factor, mode, align_corners)
  return F.interpolate(input, size, scale_factor, mode, align_corners)
end)

--- Resamples by repeating the nearest element.
---@use nn: input, size = nil, scale_factor = nil
---@example
--- F.upsample_nearest(tide.tensor{{{1.0, 3}}}, 4) --> {{{1.0, 1.0, 3.0, 3.0}}}
F.upsample_nearest = checked("nn.functional.upsample_nearest", function(input, size, scale_factor)
  return F.interpolate(input, size, scale_factor, "nearest")
end)

--- Resamples by bilinear interpolation with aligned corners.
---@like nn.functional.upsample_nearest
---@example
--- F.upsample_bilinear(tide.tensor{{{{1.0, 3}}}}, {1, 3}) --> {{{{1.0, 2.0, 3.0}}}}
F.upsample_bilinear = checked("nn.functional.upsample_bilinear", function(input, size, scale_factor)
  return F.interpolate(input, size, scale_factor, "bilinear", true)
end)

return F

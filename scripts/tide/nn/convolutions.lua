-- Convolutions and transposed convolutions over one, two and three dimensions, and lazy ones that infer their
-- input channels from the first batch.
local class = require "tide.internal.class"
local define = require "tide.internal.declare.define"
local F = require "tide.nn.functional"
local init = require "tide.nn.init"
local lazy_layer = require "tide.nn.internal.lazy_layer"
local Module = require "tide.nn.module"
local raise = require "tide.internal.raise"
local sizes = require "tide.nn.internal.sizes"

local convolutions = {}

-- Base class: options, the weight, and the printed description.
local Convolution = class("Convolution", Module)
Convolution:optional("in_channels", "weight", "bias")

function Convolution:setup(given)
  local name = getmetatable(self).name
  self:place(given.device, given.dtype)
  self.out_channels, self.groups = given.out_channels, given.groups
  self.kernel_size = sizes.expand(name, given.kernel_size, self.dims)
  self.stride = sizes.expand(name, given.stride, self.dims)
  self.dilation = sizes.expand(name, given.dilation, self.dims)
  self.padding = type(given.padding) == "string" and given.padding
    or sizes.expand(name, given.padding, self.dims)
  self.padding_mode, self.with_bias = given.padding_mode, given.bias
end

--- Creates the parameters for this number of input channels.
function Convolution:build(in_channels)
  local name, groups = getmetatable(self).name, self.groups
  self.in_channels = in_channels
  if groups == 0 or in_channels % groups ~= 0 or self.out_channels % groups ~= 0 then
    raise("%s: channels must be divisible by groups: %s -> %s in %s", name, in_channels,
      self.out_channels, groups)
  end
  local shape = self:weight_shape()
  -- fan_in is the second size of the weight times the kernel size, also if transposed.
  local start = init.fan_in_uniform(shape[2] * sizes.product(self.kernel_size))
  self:parameter("weight", shape, start)
  if self.with_bias then self:parameter("bias", {self.out_channels}, start) end
end

function Convolution:channels_of(x) return x:size(-self.dims - 1) end

function Convolution:weight_shape()
  return {self.out_channels, self.in_channels // self.groups, table.unpack(self.kernel_size)}
end

--- Padding amounts as F.pad expects them, from the last dimension backwards.
function Convolution:pads()
  local amounts = {}
  for d = self.dims, 1, -1 do
    local before, after
    if self.padding == "same" then
      local total = self.dilation[d] * (self.kernel_size[d] - 1)
      before, after = total // 2, total - total // 2
    elseif self.padding == "valid" then
      before, after = 0, 0
    else
      before, after = self.padding[d], self.padding[d]
    end
    amounts[#amounts + 1], amounts[#amounts + 2] = before, after
  end
  return amounts
end

function Convolution:forward(x)
  local padding = self.padding
  if self.padding_mode ~= "zeros" then -- F.pad pads before the convolution
    x, padding = F.pad(x, self:pads(), self.padding_mode), 0
  end
  return F[self.fn](x, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)
end

function Convolution:describe()
  return ("%s -> %d, %s"):format(self.in_channels or "?", self.out_channels,
    sizes.text(self.kernel_size))
end

local Transposed = class("Transposed", Convolution)

function Transposed:weight_shape()
  return {self.in_channels, self.out_channels // self.groups, table.unpack(self.kernel_size)}
end

--- The output padding for which the result has the `wanted` sizes.
function Transposed:padding_for(x, wanted)
  local extra = {}
  if type(wanted) ~= "table" or #wanted < self.dims then
    raise("%s: expected output_size to be a list of %d sizes", getmetatable(self).name, self.dims)
  end
  for d = 1, self.dims do
    local least = (x:size(d - self.dims - 1) - 1) * self.stride[d] - 2 * self.padding[d]
      + self.dilation[d] * (self.kernel_size[d] - 1) + 1
    extra[d] = wanted[#wanted - self.dims + d] - least
    if extra[d] < 0 or extra[d] >= math.max(self.stride[d], self.dilation[d]) then
      raise("%s: the result cannot have size %d: the sizes from %d to %d are possible",
        getmetatable(self).name, wanted[#wanted - self.dims + d], least,
        least + math.max(self.stride[d], self.dilation[d]) - 1)
    end
  end
  return extra
end

--- `output_size` selects the size of the result among those that the stride allows.
function Transposed:forward(x, output_size)
  local extra = output_size and self:padding_for(x, output_size) or self.output_padding
  return F[self.fn](x, self.weight, self.bias, self.stride, self.padding, extra, self.groups,
    self.dilation)
end

--- Sets all options except the input channels.
function Convolution:take(given)
  self:setup(given)
  if given.output_padding then
    self.output_padding = sizes.expand(getmetatable(self).name, given.output_padding, self.dims)
  end
end

--- Makes the class declared as `name`, which calls F[fn].
local function layer(name, dims, fn, base)
  local Layer, read = define(name, base)
  Layer.dims, Layer.fn = dims, fn
  function Layer:init(...)
    local given = read(...)
    self:take(given)
    self:build(given.in_channels)
  end
  convolutions[Layer.name] = Layer
end

local function lazy(name) convolutions[name:match "%w+$"] = lazy_layer(name, convolutions[name:match "Lazy(.*)"]) end

--- Convolution of sequences (n, channels, length).
---@use nn: in_channels, out_channels, kernel_size, stride = 1
---@param padding integer | integer[] | "valid" | "same" = 0  elements added at both ends of x: one number, or one for
---  each dimension; "same" keeps the size
---@use nn: dilation = 1, groups = 1, bias = true, padding_mode = "zeros", device = nil, dtype = nil
---@formula y[n, o, t] = b[o] + sum over c, i of w[o, c, i] x[n, c, stride t + dilation i - padding]
---@shapes x (n, in_channels, length) -> (n, out_channels, (length + 2 padding - dilation (kernel_size - 1) - 1) //
---  stride + 1); n is optional
---@see nn.LazyConv1d nn.ConvTranspose1d F.conv1d
---@example
--- nn.Conv1d(3, 6, 5)(tide.ones(2, 3, 9)).shape --> {2, 6, 5}
layer("nn.Conv1d", 1, "conv1d", Convolution)

--- A Conv1d that infers in_channels from the first batch.
---@like nn.Conv1d without in_channels
---@see nn.Conv1d nn.ConvTranspose1d F.conv1d
---@example
--- nn.LazyConv1d(6, 5)(tide.ones(2, 3, 9)).shape --> {2, 6, 5}
lazy("nn.LazyConv1d")

--- Convolution of images (n, channels, height, width).
---@like nn.Conv1d
---@formula y[n, o, p, q] = b[o] + sum over c, i, j of w[o, c, i, j] x[n, c, stride p + dilation i - padding, stride q
---  + dilation j - padding]
---@shapes x (n, in_channels, height, width) -> (n, out_channels, (size + 2 padding - dilation (kernel_size - 1) - 1)
---  // stride + 1 for height and width); n is optional
---@errors x does not have in_channels channels, or the kernel is larger than the padded x
---@see nn.LazyConv2d nn.ConvTranspose2d nn.MaxPool2d F.conv2d
---@example
--- nn.Conv2d(3, 6, 5, {padding = 2})(tide.ones(1, 3, 8, 8)).shape --> {1, 6, 8, 8}
layer("nn.Conv2d", 2, "conv2d", Convolution)

--- A Conv2d that infers in_channels from the first batch.
---@like nn.Conv2d without in_channels
---@see nn.Conv2d nn.ConvTranspose2d nn.MaxPool2d F.conv2d
---@example
--- nn.LazyConv2d(6, 5)(tide.ones(1, 3, 8, 8)).shape --> {1, 6, 4, 4}
lazy("nn.LazyConv2d")

--- Convolution of volumes (n, channels, depth, height, width).
---@like nn.Conv1d
---@formula as in Conv2d, with depth
---@shapes x (n, in_channels, depth, height, width) -> (n, out_channels, (size + 2 padding - dilation (kernel_size -
---  1) - 1) // stride + 1 for each)
---@see nn.LazyConv3d nn.ConvTranspose3d F.conv3d
---@example
--- nn.Conv3d(1, 2, 3)(tide.ones(1, 1, 4, 4, 4)).shape --> {1, 2, 2, 2, 2}
layer("nn.Conv3d", 3, "conv3d", Convolution)

--- A Conv3d that infers in_channels from the first batch.
---@like nn.Conv3d without in_channels
---@see nn.Conv3d nn.ConvTranspose3d F.conv3d
---@example
--- nn.LazyConv3d(2, 3)(tide.ones(1, 1, 4, 4, 4)).shape --> {1, 2, 2, 2, 2}
lazy("nn.LazyConv3d")

--- Transposed convolution of sequences, which enlarges them.
---@use nn: in_channels, out_channels, kernel_size, stride = 1
---@param padding integer | integer[] = 0  elements removed at both ends of the result: one number for all
---  dimensions, or one for each
---@use nn: output_padding = 0, groups = 1, bias = true, dilation = 1
---@param padding_mode "zeros" = "zeros"  values of the padding around x
---@use nn: device = nil, dtype = nil
---@formula the gradient of a convolution with respect to its input
---@shapes x (n, in_channels, size...) -> (n, out_channels, (size - 1) stride - 2 padding + dilation (kernel_size - 1)
---  + output_padding + 1 for each)
---@see nn.ConvTranspose2d nn.Conv2d F.conv_transpose2d nn.Upsample
---@example
--- nn.ConvTranspose1d(3, 6, 2, {stride = 2})(tide.ones(1, 3, 4)).shape --> {1, 6, 8}
layer("nn.ConvTranspose1d", 1, "conv_transpose1d", Transposed)

--- A ConvTranspose1d that infers in_channels from the first batch.
---@like nn.ConvTranspose1d without in_channels
---@example
--- nn.LazyConvTranspose1d(6, 2)(tide.ones(1, 3, 4)).shape --> {1, 6, 5}
lazy("nn.LazyConvTranspose1d")

--- Transposed convolution of images, which enlarges them.
---@like nn.ConvTranspose1d
---@see nn.Conv2d F.conv_transpose2d nn.Upsample
---@example
--- nn.ConvTranspose2d(3, 6, 2, {stride = 2})(tide.ones(1, 3, 4, 4)).shape --> {1, 6, 8, 8}
layer("nn.ConvTranspose2d", 2, "conv_transpose2d", Transposed)

--- A ConvTranspose2d that infers in_channels from the first batch.
---@like nn.LazyConvTranspose1d
---@example
--- nn.LazyConvTranspose2d(6, 2)(tide.ones(1, 3, 4, 4)).shape --> {1, 6, 5, 5}
lazy("nn.LazyConvTranspose2d")

--- Transposed convolution of volumes, which enlarges them.
---@like nn.ConvTranspose1d
---@example
--- nn.ConvTranspose3d(1, 2, 2, {stride = 2})(tide.ones(1, 1, 2, 2, 2)).shape --> {1, 2, 4, 4, 4}
layer("nn.ConvTranspose3d", 3, "conv_transpose3d", Transposed)

--- A ConvTranspose3d that infers in_channels from the first batch.
---@like nn.LazyConvTranspose1d
---@example
--- nn.LazyConvTranspose3d(2, 2)(tide.ones(1, 1, 2, 2, 2)).shape --> {1, 2, 3, 3, 3}
lazy("nn.LazyConvTranspose3d")

return convolutions

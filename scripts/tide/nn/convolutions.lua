-- Convolutions over one, two and three dimensions, forwards, transposed, and lazy ones that learn
-- their input channels from the first batch.
local arguments = require "tide.internal.arguments"
local class = require "tide.internal.class"
local F = require "tide.nn.functional"
local init = require "tide.nn.init"
local Module = require "tide.nn.module"
local raise = require "tide.internal.raise"
local sizes = require "tide.nn.internal.sizes"

local convolutions = {}

-- What all of them share: options, the weight, and how they are shown.
local Convolution = class("Convolution", Module)
Convolution:optional("in_channels", "weight", "bias")

--- Padding that is not zeros is put on by F.pad, in front of the convolution.
local pad_modes = {reflect = "reflect", replicate = "replicate", circular = "circular"}

function Convolution:setup(given)
  local name = getmetatable(self).name
  self:place(given)
  if given.padding_mode ~= "zeros" and not pad_modes[given.padding_mode] then
    raise("%s: padding_mode must be zeros, reflect, replicate or circular, got %s", name,
      tostring(given.padding_mode))
  end
  self.out_channels, self.groups = given.out_channels, given.groups
  self.kernel_size = sizes.expand(name, given.kernel_size, self.dims)
  self.stride = sizes.expand(name, given.stride, self.dims)
  self.dilation = sizes.expand(name, given.dilation, self.dims)
  self.padding = type(given.padding) == "string" and given.padding
    or sizes.expand(name, given.padding, self.dims)
  self.padding_mode, self.with_bias = given.padding_mode, given.bias
end

--- Makes the parameters for so many input channels.
function Convolution:build(in_channels)
  local name, groups = getmetatable(self).name, self.groups
  self.in_channels = in_channels
  if groups == 0 or in_channels % groups ~= 0 or self.out_channels % groups ~= 0 then
    raise("%s: channels must be divisible by groups: %s -> %s in %s", name, in_channels,
      self.out_channels, groups)
  end
  local shape = self:weight_shape()
  -- One unit sees the second size of the weight times the kernel, forwards and transposed.
  local start = init.fan_in_uniform(shape[2] * sizes.product(self.kernel_size))
  self:parameter("weight", shape, start)
  if self.with_bias then self:parameter("bias", {self.out_channels}, start) end
end

function Convolution:weight_shape()
  return {self.out_channels, self.in_channels // self.groups, table.unpack(self.kernel_size)}
end

--- Amounts to pad with, from the last dimension backwards.
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
  if self.padding_mode ~= "zeros" then
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

--- The amounts to add behind the result so that it gets `wanted` sizes.
function Transposed:padding_for(x, wanted)
  local extra = {}
  if type(wanted) ~= "table" or #wanted < self.dims then
    raise("%s: output_size is a list of %d sizes", getmetatable(self).name, self.dims)
  end
  for d = 1, self.dims do
    local least = (x:size(d - self.dims - 1) - 1) * self.stride[d] - 2 * self.padding[d]
      + self.dilation[d] * (self.kernel_size[d] - 1) + 1
    extra[d] = wanted[#wanted - self.dims + d] - least
    if extra[d] < 0 or extra[d] >= math.max(self.stride[d], self.dilation[d]) then
      raise("%s: the result cannot have size %d: from %d on %d are possible",
        getmetatable(self).name, wanted[#wanted - self.dims + d], least,
        math.max(self.stride[d], self.dilation[d]))
    end
  end
  return extra
end

--- With `output_size` the sizes of the result are chosen among those that the stride allows.
function Transposed:forward(x, output_size)
  local extra = output_size and self:padding_for(x, output_size) or self.output_padding
  return F[self.fn](x, self.weight, self.bias, self.stride, self.padding, extra, self.groups,
    self.dilation)
end

local tail = {{"stride", 1}, {"padding", 0}, {"dilation", 1}, {"groups", 1}, {"bias", true},
  {"padding_mode", "zeros"}, {"device"}, {"dtype"}}
local transposed_tail = {{"stride", 1}, {"padding", 0}, {"output_padding", 0}, {"groups", 1},
  {"bias", true}, {"dilation", 1}, {"padding_mode", "zeros"}, {"device"}, {"dtype"}}

local kinds = {in_channels = "count", out_channels = "count", groups = "count"}

local function reader(name, first, rest)
  return arguments(name, table.move(rest, 1, #rest, #first + 1, first), kinds)
end

local function define(name, dims, fn, base, rest)
  local Layer = class(name, base)
  Layer.dims, Layer.fn = dims, fn
  local read = reader(name, {"in_channels", "out_channels", "kernel_size"}, rest)
  function Layer:init(...)
    local given = read(...)
    self:setup(given)
    if given.output_padding then
      self.output_padding = sizes.expand(name, given.output_padding, dims)
    end
    self:build(given.in_channels)
  end
  convolutions[name] = Layer

  local Lazy = class("Lazy" .. name, Layer)
  local read_lazy = reader("Lazy" .. name, {"out_channels", "kernel_size"}, rest)
  function Lazy:init(...)
    local given = read_lazy(...)
    self:setup(given)
    if given.output_padding then
      self.output_padding = sizes.expand(name, given.output_padding, dims)
    end
    self.unbuilt = true
  end
  function Lazy:forward(x, ...)
    if self.unbuilt then
      local place = self:placement()
      self:place({device = place.device or x.device, dtype = place.dtype or x.dtype})
      self:build(x:size(-dims - 1))
      self.unbuilt = false
    end
    return Layer.forward(self, x, ...)
  end
  convolutions["Lazy" .. name] = Lazy
end

for dims = 1, 3 do
  define(("Conv%dd"):format(dims), dims, ("conv%dd"):format(dims), Convolution, tail)
  define(("ConvTranspose%dd"):format(dims), dims, ("conv_transpose%dd"):format(dims), Transposed,
    transposed_tail)
end

return convolutions

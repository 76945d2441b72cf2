-- nn.Conv2d: cross-correlates images (n, channels, height, width) with learned kernels.
local arguments = require "tide.arguments"
local class = require "tide.class"
local F = require "tide.nn.functional"
local init = require "tide.nn.init"
local Module = require "tide.nn.module"
local raise = require "tide.raise"

local Conv2d = class("Conv2d", Module)

local read = arguments("Conv2d", {
  "in_channels", "out_channels", "kernel_size", {"stride", 1}, {"padding", 0}, {"dilation", 1},
  {"groups", 1}, {"bias", true}, {"device"}, {"dtype"},
})

--- {height, width} of a size given as one number or as two.
local function pair(value)
  if type(value) == "table" then return value end
  return {value, value}
end

function Conv2d:init(...)
  local given = read(...)
  self:place(given)
  local groups, kernel = given.groups, pair(given.kernel_size)
  if given.in_channels % groups ~= 0 or given.out_channels % groups ~= 0 then
    raise("Conv2d: channels must be divisible by groups: %s -> %s in %s", given.in_channels,
      given.out_channels, groups)
  end
  self.in_channels, self.out_channels = given.in_channels, given.out_channels
  self.kernel_size, self.stride, self.padding = kernel, given.stride, given.padding
  self.dilation, self.groups = given.dilation, groups
  local inputs = given.in_channels // groups
  local start = init.fan_in_uniform(inputs * kernel[1] * kernel[2])
  self:parameter("weight", {given.out_channels, inputs, kernel[1], kernel[2]}, start)
  if given.bias then self:parameter("bias", {given.out_channels}, start) end
end

function Conv2d:forward(x)
  return F.conv2d(x, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)
end

function Conv2d:describe()
  return ("%d -> %d, %dx%d"):format(self.in_channels, self.out_channels,
    table.unpack(self.kernel_size))
end

return Conv2d

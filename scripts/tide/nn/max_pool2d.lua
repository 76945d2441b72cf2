-- nn.MaxPool2d: the largest value of each window of an image.
local arguments = require "tide.arguments"
local class = require "tide.class"
local F = require "tide.nn.functional"
local Module = require "tide.nn.module"

local MaxPool2d = class("MaxPool2d", Module)

local read = arguments("MaxPool2d", {
  "kernel_size", {"stride"}, {"padding", 0}, {"dilation", 1}, {"return_indices", false},
  {"ceil_mode", false},
})

function MaxPool2d:init(...)
  for name, value in pairs(read(...)) do self[name] = value end
end

function MaxPool2d:forward(x)
  return F.max_pool2d(x, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode,
    self.return_indices)
end

function MaxPool2d:describe()
  local size = self.kernel_size
  if type(size) ~= "table" then size = {size, size} end
  return ("%dx%d"):format(size[1], size[2])
end

return MaxPool2d

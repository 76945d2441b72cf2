-- Building blocks of inception networks.
local class = require "tide.internal.class"
local nn = require "tide.nn"

local BasicConv2d = class("BasicConv2d", nn.Module)

--- A convolution with nn.Conv2d's options, batch norm and ReLU.
function BasicConv2d:init(inputs, outputs, size, options)
  options = options or {}
  options.bias = false
  self.conv = nn.Conv2d(inputs, outputs, size, options)
  self.bn = nn.BatchNorm2d(outputs, {eps = 0.001})
end

function BasicConv2d:forward(x) return self.bn(self.conv(x)):relu() end

--- Converts images normalized for other networks to the normalization that torchvision's weights expect.
local function transformed(x)
  local scale = x:new_tensor({0.229 / 0.5, 0.224 / 0.5, 0.225 / 0.5}):reshape(1, 3, 1, 1)
  local shift = x:new_tensor({(0.485 - 0.5) / 0.5, (0.456 - 0.5) / 0.5, (0.406 - 0.5) / 0.5})
  return x * scale + shift:reshape(1, 3, 1, 1)
end

return {BasicConv2d = BasicConv2d, transformed = transformed}

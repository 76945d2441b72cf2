-- Layers that networks for images share.
local arguments = require "tide.internal.arguments"
local class = require "tide.internal.class"
local kind_of = require "tide.internal.kind_of"
local nn = require "tide.nn"
local of_kind = require "tide.internal.of_kind"
local raise = require "tide.internal.raise"
local sizes = require "tide.nn.internal.sizes"

local layers = {}

--- An activation with the option `inplace`, which those that lack it are not given.
local function make_activation(layer, inplace)
  if inplace then return layer({inplace = true}) end
  return layer()
end

local Conv2dNormActivation = class("Conv2dNormActivation", nn.Sequential)

local read_block = arguments("Conv2dNormActivation", {
  "in_channels", "out_channels", {"kernel_size", 3}, {"stride", 1}, {"padding"}, {"groups", 1},
  {"norm_layer", nn.BatchNorm2d}, {"activation_layer", nn.ReLU}, {"dilation", 1}, {"inplace", true},
  {"bias"},
}, {in_channels = "count", out_channels = "count", groups = "count"})

--- A convolution, norm_layer(out_channels) and activation_layer(); false leaves one out. Padding keeps
--- the size of the image unless it is given; there is a bias if there is no norm.
function Conv2dNormActivation:init(...)
  local given = read_block(...)
  for _, name in ipairs {"norm_layer", "activation_layer"} do
    if given[name] then of_kind("Conv2dNormActivation", name, given[name], "callable") end
  end
  local padding, bias = given.padding, given.bias
  if padding == nil then
    local kernel = sizes.expand("Conv2dNormActivation", given.kernel_size, 2)
    local dilation = sizes.expand("Conv2dNormActivation", given.dilation, 2)
    padding = {(kernel[1] - 1) // 2 * dilation[1], (kernel[2] - 1) // 2 * dilation[2]}
  end
  if bias == nil then bias = not given.norm_layer end
  local list = {nn.Conv2d(given.in_channels, given.out_channels, given.kernel_size, {
    stride = given.stride, padding = padding, dilation = given.dilation, groups = given.groups,
    bias = bias,
  })}
  if given.norm_layer then list[2] = given.norm_layer(given.out_channels) end
  if given.activation_layer then
    list[#list + 1] = make_activation(given.activation_layer, given.inplace)
  end
  nn.Sequential.init(self, list)
  self.out_channels = given.out_channels
end

layers.Conv2dNormActivation = Conv2dNormActivation

local SqueezeExcitation = class("SqueezeExcitation", nn.Module)

local read_squeeze = arguments("SqueezeExcitation", {
  "input_channels", "squeeze_channels", {"activation", nn.ReLU}, {"scale_activation", nn.Sigmoid},
}, {
  input_channels = "count", squeeze_channels = "count", activation = "callable", scale_activation = "callable",
})

--- Scales each channel by what two layers make of the means of all channels.
function SqueezeExcitation:init(...)
  local given = read_squeeze(...)
  self.avgpool = nn.AdaptiveAvgPool2d(1)
  self.fc1 = nn.Conv2d(given.input_channels, given.squeeze_channels, 1)
  self.fc2 = nn.Conv2d(given.squeeze_channels, given.input_channels, 1)
  self.activation, self.scale_activation = given.activation(), given.scale_activation()
end

function SqueezeExcitation:forward(x)
  local scale = self.fc2(self.activation(self.fc1(self.avgpool(x))))
  return self.scale_activation(scale) * x
end

layers.SqueezeExcitation = SqueezeExcitation

local MLP = class("MLP", nn.Sequential)

local read_mlp = arguments("MLP", {
  "in_channels", "hidden_channels", {"norm_layer"}, {"activation_layer", nn.ReLU}, {"inplace"},
  {"bias", true}, {"dropout", 0.0},
}, {in_channels = "count", hidden_channels = "table", norm_layer = "callable", activation_layer = "callable",
  bias = "boolean", dropout = "number"})

--- Linear layers, with norm_layer(size), activation_layer() and dropout between them.
function MLP:init(...)
  local given = read_mlp(...)
  local hidden, inputs, list = given.hidden_channels, given.in_channels, {}
  if #hidden == 0 then raise("MLP: hidden_channels: the list of sizes is empty") end
  for i, outputs in ipairs(hidden) do
    list[#list + 1] = nn.Linear(inputs, outputs, {bias = given.bias})
    if i < #hidden then
      if given.norm_layer then list[#list + 1] = given.norm_layer(outputs) end
      list[#list + 1] = make_activation(given.activation_layer, given.inplace)
    end
    list[#list + 1] = nn.Dropout(given.dropout, given.inplace or false)
    inputs = outputs
  end
  nn.Sequential.init(self, list)
end

layers.MLP = MLP

local Permute = class("Permute", nn.Module)

--- Permute{1, 3, 4, 2}: the dimensions in this order.
function Permute:init(dims)
  if type(dims) ~= "table" then raise("Permute: expected a list of dimensions, got %s", kind_of(dims)) end
  self.dims = dims
end

function Permute:forward(x) return x:permute(self.dims) end

function Permute:describe() return table.concat(self.dims, ", ") end

layers.Permute = Permute

return layers

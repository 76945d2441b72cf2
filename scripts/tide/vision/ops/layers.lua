-- Layers shared by image networks.
local define = require "tide.internal.declare.define"
local nn = require "tide.nn"
local of_type = require "tide.internal.declare.of_type"
local raise = require "tide.internal.raise"
local sizes = require "tide.nn.internal.sizes"
local tide = require "tide"

local layers = {}

--- Makes an activation, passing `inplace` only if it is true: not all activations have the option.
local function make_activation(layer, inplace)
  if inplace then return layer({inplace = true}) end
  return layer()
end

--- A convolution, norm_layer(channels) and activation_layer(); false omits one of them.
---@param in_channels integer >= 0  channels of the input
---@param out_channels integer >= 0  channels of the result
---@use vision: kernel_size = 3
---@param stride integer | integer[] = 1  stride of the window
---@param padding integer | integer[] = nil  padding on each side; nil keeps the size
---@param groups integer >= 0 = 1  number of channel groups
---@use vision: norm_layer = nn.BatchNorm2d, activation_layer = nn.ReLU
---@param dilation integer | integer[] = 1  distance between the elements of a window
---@use vision: inplace = true
---@param bias boolean = nil  add a bias; nil: only without a norm layer
---@example
--- tide.vision.ops.Conv2dNormActivation(3, 8)(tide.ones(1, 3, 6, 6)).shape --> {1, 8, 6, 6}
local Conv2dNormActivation, read_block = define("vision.ops.Conv2dNormActivation", nn.Sequential)

--- A convolution, norm_layer(out_channels) and activation_layer(); false omits one of them. The default
--- padding keeps the size of the image; by default there is a bias only without a norm layer.
function Conv2dNormActivation:init(...)
  local given = read_block(...)
  for _, name in ipairs {"norm_layer", "activation_layer"} do
    if given[name] then of_type("Conv2dNormActivation", name, given[name], "function") end
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

--- Squeeze-and-excitation: scales each channel by a factor that two layers compute from the channel means.
---@param input_channels integer >= 0  channels of the input
---@param squeeze_channels integer >= 0  channels between the layers
---@param activation function = nn.ReLU  makes the activation between the layers
---@param scale_activation function = nn.Sigmoid  makes the activation of the scale factors
---@example
--- tide.vision.ops.SqueezeExcitation(8, 2)(tide.ones(1, 8, 6, 6)).shape --> {1, 8, 6, 6}
local SqueezeExcitation, read_squeeze = define("vision.ops.SqueezeExcitation", nn.Module)

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

--- A multilayer perceptron: linear layers of these sizes with activations between them.
---@param in_channels integer >= 0  size of the input
---@param hidden_channels integer[]  sizes of the layers
---@use vision: norm_layer = nil, activation_layer = nn.ReLU
---@param inplace boolean = nil  let activations overwrite their input; nil is the default of each activation
---@param bias boolean = true  add biases to the layers
---@param dropout number = 0.0  probability that an element becomes 0
---@example
--- tide.vision.ops.MLP(3, {8, 2})(tide.ones(4, 3)).shape --> {4, 2}
local MLP, read_mlp = define("vision.ops.MLP", nn.Sequential)

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

--- Permutes the dimensions.
---@param dims integer[]  the input dimensions in their new order, from 1
---@example
--- tide.vision.ops.Permute{1, 3, 2}(tide.ones(2, 3, 4)).shape --> {2, 4, 3}
local Permute, read_permute = define("vision.ops.Permute", nn.Module)

function Permute:init(...) self.dims = read_permute(...).dims end

function Permute:forward(x) return x:permute(self.dims) end

function Permute:describe() return table.concat(self.dims, ", ") end

layers.Permute = Permute

--- Batch normalization of images with fixed statistics, without trained parameters. Loads the state of a BatchNorm2d.
---@param num_features integer >= 0  channels of the input
---@param eps number >= 0 = 1e-5  added to the variance
---@formula y = (x - running_mean) / sqrt(running_var + eps) * weight + bias
---@shapes x (n, num_features, height, width) -> the same
---@see nn.BatchNorm2d
---@example
--- tide.vision.ops.FrozenBatchNorm2d(3, {eps = 0})(tide.ones(1, 3, 2, 2)):sum() --> 12.0
local FrozenBatchNorm2d, read_frozen = define("vision.ops.FrozenBatchNorm2d", nn.Module)

function FrozenBatchNorm2d:init(...)
  local given = read_frozen(...)
  self.num_features, self.eps = given.num_features, given.eps
  self:register_buffer("weight", tide.ones(given.num_features))
  self:register_buffer("bias", tide.zeros(given.num_features))
  self:register_buffer("running_mean", tide.zeros(given.num_features))
  self:register_buffer("running_var", tide.ones(given.num_features))
  self:register_load_state_dict_pre_hook(function(_, state, prefix) state[prefix .. "num_batches_tracked"] = nil end)
end

function FrozenBatchNorm2d:forward(x)
  local scale = self.weight * (self.running_var + self.eps):rsqrt()
  local shift = self.bias - self.running_mean * scale
  return x * scale:view(1, -1, 1, 1) + shift:view(1, -1, 1, 1)
end

function FrozenBatchNorm2d:describe() return ("%d, eps = %g"):format(self.num_features, self.eps) end

layers.FrozenBatchNorm2d = FrozenBatchNorm2d

return layers

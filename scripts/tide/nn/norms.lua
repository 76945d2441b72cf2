-- Normalization layers: over the batch, over features, over groups of channels.
local class = require "tide.internal.class"
local define = require "tide.internal.declare.define"
local F = require "tide.nn.functional"
local init = require "tide.nn.init"
local lazy_layer = require "tide.nn.internal.lazy_layer"
local Module = require "tide.nn.module"
local raise = require "tide.internal.raise"
local tide = require "tide"

local norms = {}

--- Creates the trained weight and bias of a layer, if it has them.
local function add_affine(layer, shape, has_weight, has_bias)
  if has_weight then layer:parameter("weight", shape, init.ones_) end
  if has_weight and has_bias then layer:parameter("bias", shape, init.zeros_) end
end

-- Batch and instance normalization ---------------------------------------------------------------

-- Base class of batch and instance normalization: channel weights and running statistics.
local ChannelNorm = class("ChannelNorm", Module)
ChannelNorm:optional("num_features", "weight", "bias", "running_mean", "running_var", "num_batches_tracked")

--- Creates the parameters and statistics for this number of channels.
function ChannelNorm:build(num_features)
  self.num_features = num_features
  add_affine(self, {num_features}, self.affine, self.biased)
  if self.track_running_stats then
    local options = {device = self:placement().device, dtype = self:placement().dtype}
    self:register_buffer("running_mean", tide.zeros({num_features}, options))
    self:register_buffer("running_var", tide.ones({num_features}, options))
    self:register_buffer("num_batches_tracked",
      tide.zeros({}, {dtype = "int64", device = options.device}))
  end
end

function ChannelNorm:check_input(x)
  local ranks = self.ranks
  for _, rank in ipairs(ranks) do
    if x:dim() == rank then return end
  end
  raise("%s: expected an input of %s dimensions, got %d", getmetatable(self).name,
    table.concat(ranks, " or "), x:dim())
end

function ChannelNorm:channels_of(x)
  self:check_input(x)
  return x:size(2)
end

--- Resets the running statistics to their initial values.
function ChannelNorm:reset_running_stats()
  if not self.running_mean then return end
  self.running_mean:zero_()
  self.running_var:fill_(1)
  self.num_batches_tracked:zero_()
end

function ChannelNorm:describe()
  return ("%s channels"):format(self.num_features or "?")
end

local BatchNorm = class("BatchNorm", ChannelNorm)
norms.BatchNorm = BatchNorm

--- With momentum = false the running statistics are cumulative averages; reading the batch count waits.
function BatchNorm:forward(x)
  self:check_input(x)
  local counts = self.num_batches_tracked
  local momentum = self.momentum
  if self.training and counts then
    local _ <close> = tide.no_grad()
    counts:add_(1)
    if not momentum then momentum = 1 / counts:item() end
  end
  local by_batch = self.training or not self.running_mean
  return F.batch_norm(x, self.running_mean, self.running_var, self.weight, self.bias, by_batch,
    momentum or 0.0, self.eps)
end

local InstanceNorm = class("InstanceNorm", ChannelNorm)

function InstanceNorm:channels_of(x)
  self:check_input(x)
  return x:size(x:dim() == self.ranks[#self.ranks] and 2 or 1)
end

function InstanceNorm:forward(x)
  self:check_input(x)
  local single = x:dim() == self.ranks[#self.ranks] - 1
  local by_instance = self.training or not self.running_mean
  local y = F.instance_norm(single and x:unsqueeze(1) or x, self.running_mean, self.running_var,
    self.weight, self.bias, by_instance, self.momentum, self.eps)
  return single and y:squeeze(1) or y
end

--- Sets all options except the number of features.
function ChannelNorm:take(given)
  self:place(given.device, given.dtype)
  self.eps, self.momentum = given.eps, given.momentum
  self.affine, self.track_running_stats = given.affine, given.track_running_stats
  self.biased = given.bias
end

--- Makes the class declared as `name`, for inputs of these ranks.
local function norm(name, base, ranks)
  local Norm, read = define(name, base)
  Norm.ranks = ranks
  function Norm:init(...)
    local given = read(...)
    self:take(given)
    self:build(given.num_features)
  end
  norms[Norm.name] = Norm
end

local function lazy(name) norms[name:match "%w+$"] = lazy_layer(name, norms[name:match "Lazy(.*)"]) end

--- Normalizes channels of (n, c) or (n, c, length) over the batch.
---@use nn: num_features, eps = 1e-5, momentum = 0.1, affine = true, track_running_stats = true, device = nil, dtype =
---  nil
---@param bias boolean = true  if affine, train a bias in addition to the weight
---@formula y = (x - mean) / sqrt(var + eps) * weight + bias, mean and var over all dimensions except 2; running = (1 -
---  momentum) running + momentum batch
---@shapes x (n, num_features, ...) -> the same
---@waits only with momentum = false, in training
---@errors only one value for each channel in training, which has no variance
---@see nn.BatchNorm2d nn.LayerNorm nn.GroupNorm nn.InstanceNorm2d F.batch_norm module:eval
---@example
--- nn.BatchNorm1d(1, {eps = 0})(tide.tensor{{1.0}, {3}}) --> {{-1.0}, {1.0}}
norm("nn.BatchNorm1d", BatchNorm, {2, 3})

--- A BatchNorm1d that infers num_features from the first batch.
---@like nn.BatchNorm1d without num_features
---@example
--- nn.LazyBatchNorm1d()(tide.ones(2, 3)).shape --> {2, 3}
lazy("nn.LazyBatchNorm1d")

--- Normalizes channels of images over the batch.
---@like nn.BatchNorm1d
---@see nn.LayerNorm nn.GroupNorm nn.InstanceNorm2d F.batch_norm module:eval
---@example
--- nn.BatchNorm2d(3)(tide.ones(2, 3, 4, 4)).shape --> {2, 3, 4, 4}
norm("nn.BatchNorm2d", BatchNorm, {4})

--- A BatchNorm2d that infers num_features from the first batch.
---@like nn.LazyBatchNorm1d
---@example
--- nn.LazyBatchNorm2d()(tide.ones(2, 3, 4, 4)).shape --> {2, 3, 4, 4}
lazy("nn.LazyBatchNorm2d")

--- Normalizes channels of volumes over the batch.
---@like nn.BatchNorm1d
---@example
--- nn.BatchNorm3d(3)(tide.ones(2, 3, 4, 4, 4)).shape --> {2, 3, 4, 4, 4}
norm("nn.BatchNorm3d", BatchNorm, {5})

--- A BatchNorm3d that infers num_features from the first batch.
---@like nn.LazyBatchNorm1d
---@example
--- nn.LazyBatchNorm3d()(tide.ones(2, 3, 4, 4, 4)).shape --> {2, 3, 4, 4, 4}
lazy("nn.LazyBatchNorm3d")

--- Normalizes each channel of each sequence.
---@use nn: num_features, eps = 1e-5, momentum = 0.1, affine = false, track_running_stats = false, device = nil, dtype
---  = nil
---@param bias boolean = true  if affine, train a bias in addition to the weight
---@formula y = (x - mean) / sqrt(var + eps) * weight + bias, mean and var of each channel of each sample
---@shapes x (n, num_features, ...) -> the same
---@see nn.InstanceNorm2d nn.BatchNorm2d F.instance_norm
---@example
--- nn.InstanceNorm1d(3)(tide.ones(2, 3, 4)).shape --> {2, 3, 4}
norm("nn.InstanceNorm1d", InstanceNorm, {2, 3})

--- An InstanceNorm1d that infers num_features from the first batch.
---@like nn.InstanceNorm1d without num_features
---@example
--- nn.LazyInstanceNorm1d()(tide.ones(2, 3, 4)).shape --> {2, 3, 4}
lazy("nn.LazyInstanceNorm1d")

--- Normalizes each channel of each image.
---@like nn.InstanceNorm1d
---@see nn.BatchNorm2d F.instance_norm
---@example
--- nn.InstanceNorm2d(3)(tide.ones(2, 3, 4, 4)).shape --> {2, 3, 4, 4}
norm("nn.InstanceNorm2d", InstanceNorm, {3, 4})

--- An InstanceNorm2d that infers num_features from the first batch.
---@like nn.LazyInstanceNorm1d
---@example
--- nn.LazyInstanceNorm2d()(tide.ones(2, 3, 4, 4)).shape --> {2, 3, 4, 4}
lazy("nn.LazyInstanceNorm2d")

--- Normalizes each channel of each volume.
---@like nn.InstanceNorm1d
---@example
--- nn.InstanceNorm3d(3)(tide.ones(2, 3, 4, 4, 4)).shape --> {2, 3, 4, 4, 4}
norm("nn.InstanceNorm3d", InstanceNorm, {4, 5})

--- An InstanceNorm3d that infers num_features from the first batch.
---@like nn.LazyInstanceNorm1d
---@example
--- nn.LazyInstanceNorm3d()(tide.ones(2, 3, 4, 4, 4)).shape --> {2, 3, 4, 4, 4}
lazy("nn.LazyInstanceNorm3d")

-- Layer, root mean square and group normalization -------------------------------------------------

-- Base class of norms over the last dimensions.
local ShapeNorm = class("ShapeNorm", Module)
ShapeNorm:optional("weight", "bias")

function ShapeNorm:take(given)
  self:place(given.device, given.dtype)
  local shape = given.normalized_shape
  self.normalized_shape = type(shape) == "table" and shape or {shape}
  self.eps = given.eps
  add_affine(self, self.normalized_shape, given.elementwise_affine, given.bias)
end

function ShapeNorm:describe() return table.concat(self.normalized_shape, "x") end

--- Normalizes over the last dimensions.
---@use nn: normalized_shape, eps = 1e-5, elementwise_affine = true
---@param bias boolean = true  if elementwise_affine, train a bias in addition to the weight
---@use nn: device = nil, dtype = nil
---@formula y = (x - mean) / sqrt(var + eps) * weight + bias, mean and var over the last dimensions
---@shapes x (..., normalized_shape) -> the same
---@errors the last dimensions of x are not normalized_shape
---@see nn.RMSNorm nn.BatchNorm1d
---@example
--- nn.LayerNorm(2, {eps = 0})(tide.tensor{1.0, 3}) --> {-1.0, 1.0}
local LayerNorm, read_layer = define("nn.LayerNorm", ShapeNorm)
norms.LayerNorm = LayerNorm

function LayerNorm:init(...) self:take(read_layer(...)) end

function LayerNorm:forward(x)
  return F.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)
end

--- Divides by the root mean square over the last dimensions.
---@use nn: normalized_shape
---@param eps number = nil  added to the mean square; nil is the machine epsilon of the type
---@use nn: elementwise_affine = true, device = nil, dtype = nil
---@formula y = x / sqrt(mean(x^2) + eps) * weight, the mean over the last dimensions
---@shapes x (..., normalized_shape) -> the same
---@see nn.LayerNorm F.rms_norm
---@example
--- nn.RMSNorm(4, {eps = 0})(tide.tensor{3.0, 4, 0, 0}) --> {1.2, 1.6, 0.0, 0.0}
local RMSNorm, read_rms = define("nn.RMSNorm", ShapeNorm)
norms.RMSNorm = RMSNorm

function RMSNorm:init(...) self:take(read_rms(...)) end

function RMSNorm:forward(x) return F.rms_norm(x, self.normalized_shape, self.weight, self.eps) end

--- Normalizes groups of channels.
---@param num_groups integer >= 0  number of groups; must divide num_channels
---@param num_channels integer >= 0  number of channels of x, its dimension 2
---@use nn: eps = 1e-5, affine = true, device = nil, dtype = nil
---@param bias boolean = true  if affine, train a bias in addition to the weight
---@formula y = (x - mean) / sqrt(var + eps) * weight + bias, mean and var of each group of channels of each sample
---@shapes x (n, num_channels, ...) -> the same
---@errors num_groups does not divide num_channels
---@see nn.LayerNorm
---@example
--- nn.GroupNorm(2, 4)(tide.ones(2, 4, 3)).shape --> {2, 4, 3}
local GroupNorm, read_group = define("nn.GroupNorm", Module)
GroupNorm:optional("weight", "bias")
norms.GroupNorm = GroupNorm

function GroupNorm:init(...)
  local given = read_group(...)
  self:place(given.device, given.dtype)
  if given.num_groups == 0 or given.num_channels % given.num_groups ~= 0 then
    raise("GroupNorm: %d channels do not divide into %d groups", given.num_channels,
      given.num_groups)
  end
  self.num_groups, self.num_channels, self.eps = given.num_groups, given.num_channels, given.eps
  add_affine(self, {given.num_channels}, given.affine, given.bias)
end

function GroupNorm:forward(x)
  return F.group_norm(x, self.num_groups, self.weight, self.bias, self.eps)
end

function GroupNorm:describe()
  return ("%d channels in %d groups"):format(self.num_channels, self.num_groups)
end

--- Normalizes each element by the squares of neighboring channels.
---@param size integer  number of neighboring channels
---@use nn: alpha = 0.0001, beta = 0.75, k = 1.0
---@formula y[c] = x[c] / (k + alpha / size * sum over size neighboring channels of x^2)^beta
---@example
--- nn.LocalResponseNorm(2)(tide.ones(1, 3, 4)).shape --> {1, 3, 4}
local LocalResponseNorm, read_response = define("nn.LocalResponseNorm", Module)
norms.LocalResponseNorm = LocalResponseNorm

function LocalResponseNorm:init(...)
  for key, value in pairs(read_response(...)) do self[key] = value end
end

function LocalResponseNorm:forward(x)
  return F.local_response_norm(x, self.size, self.alpha, self.beta, self.k)
end

function LocalResponseNorm:describe() return ("%d channels"):format(self.size) end

return norms

-- Normalization layers: over the batch, over features, over groups of channels.
local arguments = require "tide.internal.arguments"
local class = require "tide.internal.class"
local F = require "tide.nn.functional"
local init = require "tide.nn.init"
local Module = require "tide.nn.module"
local raise = require "tide.internal.raise"
local tide = require "tide"

local norms = {}

-- Batch and instance normalization ---------------------------------------------------------------

-- What both share: weights of channels, and running statistics.
local ChannelNorm = class("ChannelNorm", Module)
ChannelNorm:optional("num_features", "weight", "bias", "running_mean", "running_var", "num_batches_tracked")

--- Makes the parameters and statistics for so many channels.
function ChannelNorm:build(num_features)
  self.num_features = num_features
  if self.affine then
    self:parameter("weight", {num_features}, init.ones_)
    if self.biased then self:parameter("bias", {num_features}, init.zeros_) end
  end
  if self.track_running_stats then
    local place = {device = self:placement().device, dtype = self:placement().dtype}
    self:register_buffer("running_mean", tide.zeros({num_features}, place))
    self:register_buffer("running_var", tide.ones({num_features}, place))
    self:register_buffer("num_batches_tracked",
      tide.zeros({}, {dtype = "int64", device = place.device}))
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

--- Forgets what was learned of the data.
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

--- With momentum = false the running statistics are plain means over all batches, whose number is
--- then read: that waits.
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

function InstanceNorm:forward(x)
  self:check_input(x)
  local single = x:dim() == self.ranks[#self.ranks] - 1
  local by_instance = self.training or not self.running_mean
  local y = F.instance_norm(single and x:unsqueeze(1) or x, self.running_mean, self.running_var,
    self.weight, self.bias, by_instance, self.momentum, self.eps)
  return single and y:squeeze(1) or y
end

local function define(name, base, ranks, affine, tracked)
  local Norm = class(name, base)
  Norm.ranks = ranks
  local options = {{"eps", 1e-5}, {"momentum", 0.1}, {"affine", affine},
    {"track_running_stats", tracked}, {"device"}, {"dtype"}, {"bias", true}}
  local function setup(self, given)
    self:place(given)
    self.eps, self.momentum = given.eps, given.momentum
    self.affine, self.track_running_stats = given.affine, given.track_running_stats
    self.biased = given.bias
  end
  local read = arguments(name, {"num_features", table.unpack(options)}, {num_features = "count"})
  function Norm:init(...)
    local given = read(...)
    setup(self, given)
    self:build(given.num_features)
  end
  norms[name] = Norm

  local Lazy = class("Lazy" .. name, Norm)
  local read_lazy = arguments("Lazy" .. name, options)
  function Lazy:init(...)
    setup(self, read_lazy(...))
    self.unbuilt = true
  end
  function Lazy:forward(x)
    if self.unbuilt then
      self:check_input(x)
      local place = self:placement()
      self:place({device = place.device or x.device, dtype = place.dtype or x.dtype})
      local unbatched = base == InstanceNorm and x:dim() == ranks[#ranks] - 1
      self:build(x:size(unbatched and 1 or 2))
      self.unbuilt = false
    end
    return Norm.forward(self, x)
  end
  norms["Lazy" .. name] = Lazy
end

define("BatchNorm1d", BatchNorm, {2, 3}, true, true)
define("BatchNorm2d", BatchNorm, {4}, true, true)
define("BatchNorm3d", BatchNorm, {5}, true, true)
define("InstanceNorm1d", InstanceNorm, {2, 3}, false, false)
define("InstanceNorm2d", InstanceNorm, {3, 4}, false, false)
define("InstanceNorm3d", InstanceNorm, {4, 5}, false, false)

-- Layer, root mean square and group normalization -------------------------------------------------

local LayerNorm = class("LayerNorm", Module)
LayerNorm:optional("weight", "bias")
norms.LayerNorm = LayerNorm

local read_layer = arguments("LayerNorm", {
  "normalized_shape", {"eps", 1e-5}, {"elementwise_affine", true}, {"bias", true}, {"device"},
  {"dtype"},
})

function LayerNorm:init(...)
  local given = read_layer(...)
  self:place(given)
  local shape = given.normalized_shape
  self.normalized_shape = type(shape) == "table" and shape or {shape}
  self.eps = given.eps
  if given.elementwise_affine then
    self:parameter("weight", self.normalized_shape, init.ones_)
    if given.bias then self:parameter("bias", self.normalized_shape, init.zeros_) end
  end
end

function LayerNorm:forward(x)
  return F.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)
end

function LayerNorm:describe() return table.concat(self.normalized_shape, "x") end

local RMSNorm = class("RMSNorm", Module)
RMSNorm:optional "weight"
norms.RMSNorm = RMSNorm

local read_rms = arguments("RMSNorm", {
  "normalized_shape", {"eps"}, {"elementwise_affine", true}, {"device"}, {"dtype"},
})

function RMSNorm:init(...)
  local given = read_rms(...)
  self:place(given)
  local shape = given.normalized_shape
  self.normalized_shape = type(shape) == "table" and shape or {shape}
  self.eps = given.eps
  if given.elementwise_affine then
    self:parameter("weight", self.normalized_shape, init.ones_)
  end
end

function RMSNorm:forward(x) return F.rms_norm(x, self.normalized_shape, self.weight, self.eps) end

function RMSNorm:describe() return table.concat(self.normalized_shape, "x") end

local GroupNorm = class("GroupNorm", Module)
GroupNorm:optional("weight", "bias")
norms.GroupNorm = GroupNorm

local read_group = arguments("GroupNorm", {
  "num_groups", "num_channels", {"eps", 1e-5}, {"affine", true}, {"device"}, {"dtype"},
  {"bias", true},
}, {num_groups = "count", num_channels = "count"})

function GroupNorm:init(...)
  local given = read_group(...)
  self:place(given)
  if given.num_groups == 0 or given.num_channels % given.num_groups ~= 0 then
    raise("GroupNorm: %d channels do not divide into %d groups", given.num_channels,
      given.num_groups)
  end
  self.num_groups, self.num_channels, self.eps = given.num_groups, given.num_channels, given.eps
  if given.affine then
    self:parameter("weight", {given.num_channels}, init.ones_)
    if given.bias then self:parameter("bias", {given.num_channels}, init.zeros_) end
  end
end

function GroupNorm:forward(x)
  return F.group_norm(x, self.num_groups, self.weight, self.bias, self.eps)
end

function GroupNorm:describe()
  return ("%d channels in %d groups"):format(self.num_channels, self.num_groups)
end

local LocalResponseNorm = class("LocalResponseNorm", Module)
norms.LocalResponseNorm = LocalResponseNorm

local read_response = arguments("LocalResponseNorm", {
  "size", {"alpha", 1e-4}, {"beta", 0.75}, {"k", 1.0},
})

function LocalResponseNorm:init(...)
  for key, value in pairs(read_response(...)) do self[key] = value end
end

function LocalResponseNorm:forward(x)
  return F.local_response_norm(x, self.size, self.alpha, self.beta, self.k)
end

function LocalResponseNorm:describe() return ("%d channels"):format(self.size) end

return norms

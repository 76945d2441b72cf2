-- Random numbers and dropout. The attribute `seed` is ignored: use tide.manual_seed.
local F = require "tide.nn.functional"
local tensors = require "tide.onnx.tensors"
local tide = require "tide"
local values = require "tide.onnx.values"

local ops = {with_run = {}, host = {Dropout = {2, 3}}}

ops.attributes = {
  Bernoulli = "dtype seed",
  Dropout = "ratio seed",
  Multinomial = "dtype sample_size seed",
  RandomNormal = "dtype mean scale seed shape",
  RandomNormalLike = "dtype mean scale seed",
  RandomUniform = "dtype high low seed shape",
  RandomUniformLike = "dtype high low seed",
}

local with_run = ops.with_run

--- The dtype in a node's attributes.
local function dtype_of(node, default)
  return node.attributes.dtype and tensors.dtype_of(node.attributes.dtype) or default
end

local function normal(a, shape, options)
  return tide.randn(shape, options) * (a.scale or 1.0) + (a.mean or 0.0)
end

local function uniform(a, shape, options)
  local low, high = a.low or 0.0, a.high or 1.0
  return tide.rand(shape, options) * (high - low) + low
end

local function define(name, draw)
  with_run[name] = function(run, node)
    return draw(node.attributes, node.attributes.shape,
      {dtype = dtype_of(node, "float32"), device = run.device or "cpu"})
  end
  ops[name .. "Like"] = function(node, x)
    local dtype = dtype_of(node, x:is_floating_point() and x.dtype or "float32")
    return draw(node.attributes, x.shape, {dtype = dtype, device = x.device})
  end
end

define("RandomNormal", normal)
define("RandomUniform", uniform)

function ops.Bernoulli(node, x) return x:bernoulli():to(dtype_of(node, x.dtype)) end

--- Positions from 0, sampled by unnormalized log probabilities.
function ops.Multinomial(node, x)
  local drawn = x:softmax(2):multinomial(node.attributes.sample_size or 1, true) - 1
  return drawn:to(dtype_of(node, "int32"))
end

--- Drops elements if training_mode is set in the file or the module is in training mode.
function with_run.Dropout(run, node, x, ratio, training_mode)
  local given = values.number(training_mode)
  local training = given == true or given == 1 or run.module.training
  local p = values.number(ratio, node.attributes.ratio or 0.5)
  if #node.outputs < 2 then return F.dropout(x, p, training) end
  local kept = tide.ones_like(x)
  if training and p > 0 then kept = F.dropout(kept, p, true) end
  return x * kept, kept:ne(0)
end

return ops

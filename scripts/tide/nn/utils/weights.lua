-- nn.utils: weights that are recomputed from others before each forward.
local checked = require "tide.internal.declare.checked"
local reader = require "tide.internal.declare.reader"
local raise = require "tide.internal.raise"
local tide = require "tide"

local weights = {}

--- The parameter `name` of a module; raises an error for `caller` if it does not exist.
function weights.parameter_of(caller, module, name)
  local weight = rawget(module, name)
  if not tide.is_tensor(weight) then
    raise("%s: the module has no parameter %s", caller, tostring(name))
  end
  return weight
end

--- Checks a dimension; returns it counted from 1.
local function checked_dim(caller, dim, weight)
  local place = dim < 0 and dim + weight:dim() + 1 or dim
  if place < 1 or place > weight:dim() then
    raise("%s: there is no dimension %d: the weight has %d", caller, dim, weight:dim())
  end
  return place
end

--- Sets field `name` to compute(module), now and before each forward. stop_computing calls undo(module), which
--- restores the field.
function weights.keep_computing(caller, module, name, compute, undo)
  local computed = rawget(module, "_computed")
  if not computed then
    computed = {}
    rawset(module, "_computed", computed)
  end
  if computed[name] then raise("%s: %s is already computed", caller, name) end
  local remove = module:register_forward_pre_hook(function(self)
    self:keep_computed(name, compute(self))
  end)
  computed[name] = {caller = caller, remove = remove, undo = undo}
  module:keep_computed(name, compute(module))
  return module
end

--- Ends the computation that `caller` started by keep_computing.
function weights.stop_computing(caller, module, name)
  local entry = (rawget(module, "_computed") or {})[name]
  if not entry or entry.caller ~= caller then
    raise("remove_%s: %s of the module is not computed by %s", caller, tostring(name), caller)
  end
  entry.remove()
  module._computed[name] = nil
  entry.undo(module)
  return module
end

--- Splits a weight into a length weight_g and a direction weight_v, both trained; returns the module.
---@use nn: module, name = "weight"
---@param dim number = 1  dimension whose slices each have a norm, from 1
---@formula w = g v / ||v||
---@see nn.utils.spectral_norm nn.utils.remove_weight_norm
---@example
--- local layer = nn.utils.weight_norm(nn.Linear(3, 2)); layer.weight_g.shape --> {2, 1}
local read_weight_norm = reader "nn.utils.weight_norm"

--- The Euclidean norm over all dimensions except one; the others are kept with size 1.
local function norm_except(x, dim)
  local others = {}
  for d = 1, x:dim() do
    if d ~= dim then others[#others + 1] = d end
  end
  if #others == 0 then return x:abs() end
  return tide.linalg.vector_norm(x, 2, others, true)
end

--- See Salimans and Kingma, 2016.
function weights.weight_norm(...)
  local given = read_weight_norm(...)
  local module, name = given.module, given.name
  local weight = weights.parameter_of("weight_norm", module, name)
  local dim = checked_dim("weight_norm", given.dim, weight)
  local length, direction = name .. "_g", name .. "_v"
  local start = weight:detach()
  module:register_parameter(length, norm_except(start, dim):requires_grad_())
  module:register_parameter(direction, start:clone():requires_grad_())
  local function compute(self)
    local v = self[direction]
    return v * (self[length] / norm_except(v, dim))
  end
  return weights.keep_computing("weight_norm", module, name, compute, function(self)
    local last = compute(self):detach():requires_grad_()
    self:keep_computed(length, nil)
    self:keep_computed(direction, nil)
    self:register_parameter(name, last)
  end)
end

--- Makes the weight an ordinary parameter again; returns the module.
---@use nn: module, name = "weight"
---@example
--- local layer = nn.utils.weight_norm(nn.Linear(3, 2))
--- #nn.utils.remove_weight_norm(layer):parameters() --> 2
weights.remove_weight_norm = checked("nn.utils.remove_weight_norm", function(module, name)
    return weights.stop_computing("weight_norm", module, name)
  end)

--- Divides a weight by its largest singular value; returns the module.
---@use nn: module, name = "weight"
---@param n_power_iterations integer >= 0 = 1  power iterations in each forward
---@param eps number = 1e-12  smallest norm to divide by
---@param dim number = nil  dimension of the outputs, from 1; nil is 1, or 2 for transposed convolutions
---@formula w = w / (largest singular value of w)
---@see nn.utils.weight_norm nn.utils.remove_spectral_norm
---@example
--- local layer = nn.utils.spectral_norm(nn.Linear(1, 1)); layer.weight:abs() --> {{1.0}}
local read_spectral_norm = reader "nn.utils.spectral_norm"

--- The weight as a matrix, with dimension `dim` as its rows.
local function as_matrix(weight, dim) return weight:movedim(dim, 1):flatten(2) end

local function unit(x, eps) return x / x:norm():clamp(eps) end

--- Power iteration estimates the singular value in training (Miyato et al., 2018). `weight_orig` is trained;
--- `weight_u` and `weight_v` are saved.
function weights.spectral_norm(...)
  local given = read_spectral_norm(...)
  local module, name = given.module, given.name
  local weight = weights.parameter_of("spectral_norm", module, name)
  local transposed = getmetatable(module).name:find("ConvTranspose", 1, true)
  local dim = checked_dim("spectral_norm", given.dim or transposed and 2 or 1, weight)
  local original, left, right = name .. "_orig", name .. "_u", name .. "_v"
  local start = weight:detach()
  local rows, columns = table.unpack(as_matrix(start, dim).shape)
  module:register_parameter(original, start:clone():requires_grad_())
  module:register_buffer(left, unit(start:new_zeros({rows}):normal_(), given.eps))
  module:register_buffer(right, unit(start:new_zeros({columns}):normal_(), given.eps))
  local function compute(self, iterations)
    local matrix = as_matrix(self[original], dim)
    local u, v = self[left], self[right]
    tide.no_grad(function()
      for _ = 1, iterations do
        v = unit(matrix:t():matmul(u), given.eps)
        u = unit(matrix:matmul(v), given.eps)
      end
    end)
    self:register_buffer(left, u)
    self:register_buffer(right, v)
    return self[original] / u:dot(matrix:matmul(v))
  end
  local function step(self) return compute(self, self.training and given.n_power_iterations or 0) end
  return weights.keep_computing("spectral_norm", module, name, step, function(self)
    local last = compute(self, 0):detach():requires_grad_()
    for _, field in ipairs {original, left, right} do self:keep_computed(field, nil) end
    self:register_parameter(name, last)
  end)
end

--- Makes the weight an ordinary parameter again; returns the module.
---@like nn.utils.remove_weight_norm
---@example
--- local layer = nn.utils.spectral_norm(nn.Linear(3, 2))
--- #nn.utils.remove_spectral_norm(layer):parameters() --> 2
weights.remove_spectral_norm = checked("nn.utils.remove_spectral_norm", function(module, name)
    return weights.stop_computing("spectral_norm", module, name)
  end)

return weights

-- nn.utils.prune: sets parts of parameters to zero permanently. As in PyTorch, `weight_orig` is trained,
-- `weight_mask` is saved, and `weight` is their product, computed before each forward.
local checked = require "tide.internal.declare.checked"
local reader = require "tide.internal.declare.reader"
local kind_of = require "tide.internal.kind_of"
local raise = require "tide.internal.raise"
local strict_table = require "tide.internal.strict_table"
local tide = require "tide"
local weights = require "tide.nn.utils.weights"

local prune = {}

-- Amounts -----------------------------------------------------------------------------------------

--- x rounded to an integer, halves to even.
local function rounded(x)
  local low = math.floor(x)
  local up = x - low > 0.5 or x - low == 0.5 and low % 2 == 1
  return math.tointeger(up and low + 1 or low)
end

--- The number of elements out of `size` to prune: `amount` is an integer count, or a float fraction.
local function count_of(name, amount, size)
  if math.type(amount) == "integer" then
    if amount < 0 then raise("%s: amount must be non-negative, got %d", name, amount) end
    if amount > size then
      raise("%s: amount must be at most the %d remaining elements, got %d", name, size, amount)
    end
    return amount
  end
  if type(amount) ~= "number" or not (amount >= 0 and amount <= 1) then
    raise("%s: amount must be an integer, or a fraction between 0.0 and 1.0, got %s", name,
      tostring(amount))
  end
  return rounded(amount * size)
end

-- Masks -------------------------------------------------------------------------------------------

-- A method computes a new mask from the scores of the elements and their current mask.

--- Sets the mask to zero at the `amount` remaining elements with the smallest scores.
local function without_least(name, scores, mask, amount)
  local flat = mask:flatten()
  local left = flat:ne(0):nonzero():squeeze(2)
  local count = count_of(name, amount, #left)
  if count == 0 then return mask end
  local _, least = scores:flatten():index_select(1, left):topk(count, {largest = false})
  return flat:index_fill(1, left:index_select(1, least), 0):view_as(mask)
end

--- For global_unstructured: prunes the elements closest to zero.
---@type table
---@example
--- nn.utils.prune.L1Unstructured ~= nil --> true
prune.L1Unstructured = function(name, scores, mask, amount) -- "nn.utils.prune.L1Unstructured"
  return without_least(name, scores:abs(), mask, amount)
end

--- For global_unstructured: prunes random elements.
---@type table
---@example
--- nn.utils.prune.RandomUnstructured ~= nil --> true
prune.RandomUnstructured = function(name, scores, mask, amount) -- "nn.utils.prune.RandomUnstructured"
  return without_least(name, tide.rand_like(scores), mask, amount)
end

--- Checks a dimension; returns it counted from 1.
local function checked_dim(name, dim, tensor)
  local place = math.tointeger(dim) and (dim < 0 and dim + tensor:dim() + 1 or dim)
  if not place or place < 1 or place > tensor:dim() then
    raise("%s: there is no dimension %s: the parameter has %d", name, tostring(dim), tensor:dim())
  end
  return place
end

--- All dimensions except one.
local function other_dims(tensor, dim)
  local others = {}
  for d = 1, tensor:dim() do
    if d ~= dim then others[#others + 1] = d end
  end
  return others
end

--- Sets the mask to zero for the `amount` remaining slices along `dim` with the smallest scores; `score` computes a
--- vector with a score for each slice.
local function without_slices(name, mask, dim, amount, score)
  if mask:dim() < 2 then raise("%s: expected a parameter of 2 dimensions or more", name) end
  local left = mask:ne(0):sum(other_dims(mask, dim)):ne(0):nonzero():squeeze(2)
  local count = count_of(name, amount, #left)
  if count == 0 then return mask end
  local _, least = score():index_select(1, left):topk(count, {largest = false})
  return mask:index_fill(dim, left:index_select(1, least), 0)
end

-- Storing masks -----------------------------------------------------------------------------------

--- The current value and mask of a parameter.
local function state_of(name, module, field)
  local value = weights.parameter_of(name, module, field):detach()
  local mask = rawget(module, field .. "_mask")
  return value, mask and mask:detach() or tide.ones_like(value)
end

--- Stores `mask` for a parameter. Returns the module.
local function keep_mask(name, module, field, mask)
  local original, mask_field = field .. "_orig", field .. "_mask"
  local function compute(self) return self[original] * self[mask_field] end
  if rawget(module, mask_field) then
    module:register_buffer(mask_field, mask)
    module:keep_computed(field, compute(module))
    return module
  end
  local parameter = weights.parameter_of(name, module, field)
  module:keep_computed(field, nil)
  module:register_parameter(original, parameter)
  module:register_buffer(mask_field, mask)
  return weights.keep_computing("prune", module, field, compute, function(self)
    local last = self[original]
    tide.no_grad(function() last.data = compute(self) end)
    self:keep_computed(original, nil)
    self:keep_computed(mask_field, nil)
    self:register_parameter(field, last)
  end)
end

-- The functions -----------------------------------------------------------------------------------

--- The importance scores, by default the parameter's values; they must have its shape.
local function scores_for(name, given, value)
  if given == nil then return value end
  if not tide.is_tensor(given) then raise("%s: importance_scores: expected tensors, got %s", name, kind_of(given)) end
  if table.concat(given.shape, ",") ~= table.concat(value.shape, ",") then
    raise("%s: importance_scores have shape (%s), the parameter has (%s)", name,
      table.concat(given.shape, ", "), table.concat(value.shape, ", "))
  end
  return given:detach()
end

--- Makes the function declared as `declared`; `new_mask(given, scores, mask)` returns the mask.
local function pruning(declared, new_mask)
  local read, name = reader(declared), declared:match "[%w_]+$"
  prune[name] = function(...)
    local given = read(...)
    local value, mask = state_of(name, given.module, given.name)
    local scores = scores_for(name, given.importance_scores, value)
    return keep_mask(name, given.module, given.name, new_mask(given, scores, mask))
  end
end

--- Adds a mask of ones, which prunes nothing.
---@use nn: module, name
---@example
--- local prune, layer = nn.utils.prune, nn.Linear(2, 1, {bias = false})
--- layer.weight.data = tide.tensor{{0.5, -3}}
--- prune.identity(layer, "weight")
--- layer.weight --> {{0.5, -3.0}}
pruning("nn.utils.prune.identity", function(_, _, mask) return mask end)

--- Sets random elements to zero: an integer number of them, or a float fraction.
---@use nn: module, name, amount
---@example
--- local prune, layer = nn.utils.prune, nn.Linear(2, 1, {bias = false})
--- layer.weight.data = tide.tensor{{0.5, -3}}
--- prune.random_unstructured(layer, "weight", 0.5)
--- layer.weight:count_nonzero() --> 1
pruning("nn.utils.prune.random_unstructured", function(given, scores, mask)
  return prune.RandomUnstructured("random_unstructured", scores, mask, given.amount)
end)

--- Sets the elements closest to zero to zero; weight_orig is trained, weight_mask saved.
---@use nn: module, name, amount, importance_scores = nil
---@example
--- local prune, layer = nn.utils.prune, nn.Linear(2, 1, {bias = false})
--- layer.weight.data = tide.tensor{{0.5, -3}}
--- prune.l1_unstructured(layer, "weight", 1)
--- layer.weight --> {{0.0, -3.0}}
pruning("nn.utils.prune.l1_unstructured", function(given, scores, mask)
  return prune.L1Unstructured("l1_unstructured", scores, mask, given.amount)
end)

--- Sets random slices along dim to zero.
---@use nn: module, name, amount
---@param dim integer  dimension whose slices are set to zero, from 1
---@example
--- local prune, layer = nn.utils.prune, nn.Linear(2, 1, {bias = false})
--- layer.weight.data = tide.tensor{{0.5, -3}}
--- prune.random_structured(layer, "weight", 1, 2)
--- layer.weight:count_nonzero() --> 1
pruning("nn.utils.prune.random_structured", function(given, scores, mask)
  local dim = checked_dim("random_structured", given.dim, scores)
  return without_slices("random_structured", mask, dim, given.amount, function()
    return tide.rand(scores:size(dim), {device = scores.device})
  end)
end)

--- Sets the slices along dim with the smallest n-norm to zero.
---@use nn: module, name, amount
---@param n number  exponent of the norm
---@param dim integer  dimension whose slices are set to zero, from 1
---@use nn: importance_scores = nil
---@example
--- local prune, layer = nn.utils.prune, nn.Linear(2, 1, {bias = false})
--- layer.weight.data = tide.tensor{{0.5, -3}}
--- prune.ln_structured(layer, "weight", 1, 2, 2)
--- layer.weight --> {{0.0, -3.0}}
pruning("nn.utils.prune.ln_structured", function(given, scores, mask)
  local dim = checked_dim("ln_structured", given.dim, scores)
  return without_slices("ln_structured", mask, dim, given.amount, function()
    return tide.linalg.vector_norm(scores, given.n, other_dims(scores, dim))
  end)
end)

--- Sets the elements where the mask is 0 to zero.
---@use nn: module, name
---@param mask tensor  0 for elements to set to zero, else 1
---@example
--- local prune, layer = nn.utils.prune, nn.Linear(2, 1, {bias = false})
--- layer.weight.data = tide.tensor{{0.5, -3}}
--- prune.custom_from_mask(layer, "weight", tide.tensor{{0, 1}})
--- layer.weight --> {{0.0, -3.0}}
pruning("nn.utils.prune.custom_from_mask", function(given, scores, mask)
  local custom = scores_for("custom_from_mask", given.mask, scores)
  return mask * custom:to(mask.dtype)
end)

--- Sets the least important elements of several parameters, ranked together, to zero.
---@param parameters table  pairs {module, name}
---@param pruning_method function  nn.utils.prune.L1Unstructured or RandomUnstructured
---@param importance_scores table = {}  tensors to rank by instead of the values, one for each parameter
---@use nn: amount = nil
---@example
--- local prune, layer = nn.utils.prune, nn.Linear(2, 1, {bias = false})
--- layer.weight.data = tide.tensor{{0.5, -3}}
--- prune.global_unstructured({{layer, "weight"}}, prune.L1Unstructured, {amount = 0.5})
--- layer.weight --> {{0.0, -3.0}}
local read_global = reader "nn.utils.prune.global_unstructured"

function prune.global_unstructured(...)
  local given = read_global(...)
  local all_scores, all_masks, sizes = {}, {}, {}
  if #given.parameters == 0 then raise("global_unstructured: the list of parameters is empty") end
  for i, pair in ipairs(given.parameters) do
    if type(pair) ~= "table" then
      raise("global_unstructured: parameters[%d]: expected {module, name}, got %s", i, kind_of(pair))
    end
    local value, mask = state_of("global_unstructured", pair[1], pair[2])
    local scores = scores_for("global_unstructured", given.importance_scores[i], value)
    all_scores[i], all_masks[i], sizes[i] = scores:flatten(), mask:flatten(), mask:numel()
  end
  local mask = given.pruning_method("global_unstructured", tide.cat(all_scores),
    tide.cat(all_masks), given.amount)
  if not tide.is_tensor(mask) then
    raise("global_unstructured: pruning_method: expected a function that returns a mask, got %s from it", kind_of(mask))
  end
  for i, part in ipairs(mask:split(sizes)) do
    local module, name = table.unpack(given.parameters[i])
    local value = rawget(module, name)
    keep_mask("global_unstructured", module, name, part:reshape(value.shape))
  end
end

--- Makes the pruned parameter an ordinary one again, with its zeros. Returns the module.
---@use nn: module
---@param name string  name of the parameter
---@example
--- local prune, layer = nn.utils.prune, nn.Linear(2, 1, {bias = false})
--- layer.weight.data = tide.tensor{{0.5, -3}}
--- prune.remove(prune.l1_unstructured(layer, "weight", 1), "weight")
--- #layer:buffers() --> 0
prune.remove = checked("nn.utils.prune.remove", function(module, name)
  return weights.stop_computing("prune", module, name)
end)

--- Whether any parameter of the module or its descendants is pruned.
---@use nn: module
---@example
--- local prune = nn.utils.prune
--- prune.is_pruned(nn.Sequential(prune.identity(nn.Linear(2, 1), "bias"))) --> true
prune.is_pruned = checked("nn.utils.prune.is_pruned", function(module)
  for _, below in ipairs(module:modules()) do
    for _, entry in pairs(rawget(below, "_computed") or {}) do
      if entry.caller == "prune" then return true end
    end
  end
  return false
end)

--- Pruning, which keeps parts of parameters at zero: see tide.nn.utils.prune.NAME.
---@type table
---@example
--- nn.utils.prune.is_pruned(nn.Linear(2, 2)) --> false
return strict_table("tide.nn.utils.prune", prune)

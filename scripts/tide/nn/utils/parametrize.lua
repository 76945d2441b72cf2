-- nn.utils.parametrize: parameters that modules compute from others whenever they are read.
local checked = require "tide.internal.declare.checked"
local class = require "tide.internal.class"
local reader = require "tide.internal.declare.reader"
local kind_of = require "tide.internal.kind_of"
local Module = require "tide.nn.module"
local ModuleDict = require "tide.nn.module_dict"
local ModuleSequence = require "tide.nn.internal.module_sequence"
local raise = require "tide.internal.raise"
local strict_table = require "tide.internal.strict_table"
local tide = require "tide"
local weights = require "tide.nn.utils.weights"

local parametrize = {}

-- The modules that compute one parameter from `original`, applied in order. Names in state_dict are those of
-- PyTorch: parametrizations.weight.original, parametrizations.weight.0.base.
local ParametrizationList = class("ParametrizationList", ModuleSequence)

function ParametrizationList:init(original)
  self:register_parameter("original", original)
end

function ParametrizationList:forward()
  local x = self.original
  for _, step in ipairs(self) do x = step(x) end
  return x
end

--- The ParametrizationList of a module's parameter, or nil.
local function list_of(module, name)
  local all = rawget(module, "parametrizations")
  return all and rawget(all, name)
end

--- The input for which a step returns `value`; nil if the step has no `right_inverse`, or that returns nil.
local function inverse(step, value)
  if class.member(getmetatable(step), "right_inverse") then return step:right_inverse(value) end
end

local function shape_text(tensor) return "(" .. table.concat(tensor.shape, ", ") .. ")" end

--- Sets the original so that the list computes `value`, if its steps can be inverted.
local function assign(list, name, value)
  if not tide.is_tensor(value) then
    raise("%s: expected a tensor, got %s", name, kind_of(value))
  end
  local original = value:detach()
  tide.no_grad(function()
    for i = #list, 1, -1 do
      original = inverse(list[i], original)
        or raise("%s: %s has no right_inverse, so no value can be assigned", name,
          getmetatable(list[i]).name)
    end
  end)
  if shape_text(original) ~= shape_text(list.original) then
    raise("%s: a value of shape %s cannot be assigned: it needs an original of shape %s, not %s",
      name, shape_text(value), shape_text(original), shape_text(list.original))
  end
  list.original.data = original:clone()
end

-- A module with parametrized parameters gets a derived class, in which reading the parameter's name computes it and
-- assigning to it sets the original.

local parametrized_classes = setmetatable({}, {__mode = "k"}) -- by base class

--- The derived class for modules of class `base`.
local function parametrized_class(base)
  local known = parametrized_classes[base]
  if known then return known end
  local made = class("Parametrized" .. base.name, base)
  local read, write = made.__index, made.__newindex
  function made:__index(name)
    local list = list_of(self, name)
    if list then return list() end
    if type(read) == "function" then return read(self, name) end
    return read[name]
  end
  function made:__newindex(name, value)
    local list = list_of(self, name)
    if list then return assign(list, name, value) end
    return write(self, name, value)
  end
  parametrized_classes[base] = made
  return made
end

--- Replaces a parameter with parametrization(original), where the original is trained. right_inverse(value), if
--- defined, computes the original now and when a value is assigned. Returns the module.
---@use nn: module, name
---@param parametrization table  computes the parameter from the original
---@example
--- local Exp = tide.class("Exp", nn.Module)
--- function Exp:forward(x) return x:exp() end
--- function Exp:right_inverse(y) return y:log() end
--- local layer = nn.Linear(1, 1)
--- layer.weight.data = tide.ones(1, 1)
--- nn.utils.parametrize.register_parametrization(layer, "weight", Exp())
--- layer.weight, layer.parametrizations.weight.original --> {{1.0}}, {{0.0}}
local read_register = reader "nn.utils.parametrize.register_parametrization"

--- Without right_inverse the initial original is the value. Several parametrizations are applied in order.
function parametrize.register_parametrization(...)
  local given = read_register(...)
  local module, name, step = given.module, given.name, given.parametrization
  if not class.is_a(step, Module) then
    raise("register_parametrization: parametrization: expected a module, got %s", kind_of(step))
  end
  local list = list_of(module, name)
  local value = list and list()
    or weights.parameter_of("register_parametrization", module, name)
  value = value:detach()
  local original = tide.no_grad(function() return inverse(step, value) end)
  local result = tide.no_grad(function() return step(original or value) end)
  if shape_text(result) ~= shape_text(value) or result.dtype ~= value.dtype then
    raise("register_parametrization: the result has shape %s and type %s, the parameter %s and %s",
      shape_text(result), result.dtype, shape_text(value), value.dtype)
  end
  if list then
    if original then assign(list, name, original) end
    list:append(step)
    return module
  end
  list = ParametrizationList((original or value):clone():requires_grad_())
  list:append(step)
  if not rawget(module, "parametrizations") then
    setmetatable(module, parametrized_class(getmetatable(module)))
    module.parametrizations = ModuleDict()
  end
  module.parametrizations:add_module(name, list)
  module:keep_computed(name, nil)
  return module
end

--- Makes the parameter an ordinary one again, with its computed value. Returns the module.
---@use nn: module, name
---@param leave_parametrized boolean = true  keep the computed value instead of the original
---@example
--- local layer = nn.utils.parametrizations.orthogonal(nn.Linear(2, 2))
--- nn.utils.parametrize.remove_parametrizations(layer, "weight")
--- #layer:parameters() --> 2
local read_remove = reader "nn.utils.parametrize.remove_parametrizations"

function parametrize.remove_parametrizations(...)
  local given = read_remove(...)
  local module, name = given.module, given.name
  local list = list_of(module, name)
  if not list then raise("remove_parametrizations: %s is not parametrized", name) end
  local value = given.leave_parametrized and tide.no_grad(list) or list.original
  module.parametrizations[name] = nil
  module:register_parameter(name, value:detach():clone():requires_grad_())
  if #module.parametrizations:children() == 0 then
    module.parametrizations = nil
    setmetatable(module, rawget(getmetatable(module), "base"))
  end
  return module
end

--- Whether a parameter is parametrized.
---@use nn: module
---@param name string = nil  name of the parameter; nil for any
---@example
--- local layer = nn.utils.parametrizations.orthogonal(nn.Linear(2, 2))
--- nn.utils.parametrize.is_parametrized(layer, "weight") --> true
parametrize.is_parametrized = checked("nn.utils.parametrize.is_parametrized",
  function(module, name)
    if name then return list_of(module, name) ~= nil end
    return rawget(module, "parametrizations") ~= nil
  end)

--- Parameters computed by modules: see tide.nn.utils.parametrize.NAME.
---@type table
---@example
--- nn.utils.parametrize.is_parametrized(nn.Linear(2, 2)) --> false
return strict_table("tide.nn.utils.parametrize", parametrize)

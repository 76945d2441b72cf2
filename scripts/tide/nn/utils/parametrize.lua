-- nn.utils.parametrize: parameters that are computed from others by modules, before each forward.
local arguments = require "tide.arguments"
local class = require "tide.class"
local Module = require "tide.nn.module"
local ModuleDict = require "tide.nn.module_dict"
local ModuleSequence = require "tide.nn.module_sequence"
local raise = require "tide.raise"
local strict_table = require "tide.strict_table"
local tide = require "tide"
local weights = require "tide.nn.utils.weights"

local parametrize = {}

-- The modules that compute one parameter from `original`, one after the other. Names in state_dict
-- are PyTorch's: parametrizations.weight.original, parametrizations.weight.0.base.
local ParametrizationList = class("ParametrizationList", ModuleSequence)

function ParametrizationList:init(original)
  self:register_parameter("original", original)
end

function ParametrizationList:forward()
  local x = self.original
  for _, step in ipairs(self) do x = step(x) end
  return x
end

--- The list of a module's parameter; nil if there is none.
local function list_of(module, name)
  local all = rawget(module, "parametrizations")
  return all and rawget(all, name)
end

--- What a step must be given to compute `value`; a step without `right_inverse` starts from it.
local function inverse(step, value)
  if class.member(getmetatable(step), "right_inverse") then return step:right_inverse(value) end
  return value
end

local read_register = arguments("register_parametrization", {"module", "name", "parametrization"},
  {module = "table", name = "string", parametrization = "table"})

--- Lets parametrization(original) stand in the place of parameter `name`, now and before each
--- forward; the original is trained. A method `right_inverse(value)` of the parametrization gives
--- the original to start from. Several of them run one after the other. Returns the module.
function parametrize.register_parametrization(...)
  local given = read_register(...)
  local module, name, step = given.module, given.name, given.parametrization
  if not class.is_a(step, Module) then
    raise("register_parametrization: parametrization: expected a module, got %s", type(step))
  end
  local value = weights.parameter_of("register_parametrization", module, name):detach()
  local list = list_of(module, name)
  local steps = {step}
  if list then
    for i = #list, 1, -1 do steps[#steps + 1] = list[i] end
  end
  local original = value
  tide.no_grad(function()
    for _, each in ipairs(steps) do original = inverse(each, original) end
  end)
  if list then
    list.original.data = original:clone()
    list:append(step)
    module:keep_computed(name, list())
    return module
  end
  list = ParametrizationList(original:clone():requires_grad_())
  list:append(step)
  if list():numel() ~= value:numel() then
    raise("register_parametrization: the result has shape (%s), the parameter has (%s)",
      table.concat(list().shape, ", "), table.concat(value.shape, ", "))
  end
  if not rawget(module, "parametrizations") then module.parametrizations = ModuleDict() end
  module.parametrizations:add_module(name, list)
  return weights.keep_computing("parametrize", module, name,
    function(self) return self.parametrizations[name]() end, function() end)
end

local read_remove = arguments("remove_parametrizations", {
  "module", "name", {"leave_parametrized", true},
}, {module = "table", name = "string", leave_parametrized = "boolean"})

--- Makes `name` a parameter of its own again, with the value that was computed or, with
--- {leave_parametrized = false}, the original one. Returns the module.
function parametrize.remove_parametrizations(...)
  local given = read_remove(...)
  local module, name = given.module, given.name
  local list = list_of(module, name)
  if not list then raise("remove_parametrizations: %s is not parametrized", name) end
  local value = given.leave_parametrized and tide.no_grad(list) or list.original
  weights.stop_computing("parametrize", module, name)
  module:register_parameter(name, value:detach():clone():requires_grad_())
  module.parametrizations[name] = nil
  if #module.parametrizations:children() == 0 then module.parametrizations = nil end
  return module
end

--- Whether a parameter of the module, or the one called `name`, is computed so.
function parametrize.is_parametrized(module, name)
  if name then return list_of(module, name) ~= nil end
  return rawget(module, "parametrizations") ~= nil
end

return strict_table("tide.nn.utils.parametrize", parametrize)

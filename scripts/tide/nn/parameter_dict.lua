-- nn.ParameterDict: a table of parameters by name.
local class = require "tide.internal.class"
local define = require "tide.internal.declare.define"
local kind_of = require "tide.internal.kind_of"
local Module = require "tide.nn.module"
local Parameter = require "tide.nn.parameter"
local raise = require "tide.internal.raise"
local tide = require "tide"

--- Parameters by name: dict.name. Tensors become parameters, sorted by name.
---@param tensors? table  tensors by name
---@see nn.Sequential nn.Module nn.Parameter
---@example
--- nn.ParameterDict({w = tide.ones(2)}).w.requires_grad --> true
local ParameterDict, read = define("nn.ParameterDict", Module)

function ParameterDict:init(...) self:update(read(...).tensors or {}) end

function ParameterDict:update(tensors)
  local names = {}
  if type(tensors) ~= "table" then
    raise("ParameterDict: expected a table of tensors, got %s", kind_of(tensors))
  end
  for name in pairs(tensors) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    if class.member(ParameterDict, name) ~= nil then
      raise("ParameterDict: %s is the name of a method: choose another", name)
    end
    local tensor = tensors[name]
    if not tide.is_tensor(tensor) then
      raise("ParameterDict: expected %s to be a tensor, got %s", tostring(name), kind_of(tensor))
    end
    self:register_parameter(name, tensor.requires_grad and tensor or Parameter(tensor))
  end
  return self
end

--- Iterates over names and parameters.
function ParameterDict:items() return self:named_parameters() end

return ParameterDict

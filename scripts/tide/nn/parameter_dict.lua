-- nn.ParameterDict: parameters by name that a module trains.
local class = require "tide.class"
local Module = require "tide.nn.module"
local Parameter = require "tide.nn.parameter"
local raise = require "tide.raise"

local ParameterDict = class("ParameterDict", Module)

--- nn.ParameterDict({left = a, right = b}): dict.left. Tensors become parameters, in the order of
--- their names.
function ParameterDict:init(tensors) self:update(tensors or {}) end

function ParameterDict:update(tensors)
  local names = {}
  for name in pairs(tensors) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    if ParameterDict[name] ~= nil then
      raise("ParameterDict: %s is the name of a method: choose another", name)
    end
    local tensor = tensors[name]
    self:register_parameter(name, tensor.requires_grad and tensor or Parameter(tensor))
  end
  return self
end

--- Iterates over names and parameters.
function ParameterDict:items() return self:named_parameters() end

return ParameterDict

-- nn.ParameterList: parameters in a list that a module trains.
local class = require "tide.internal.class"
local kind_of = require "tide.internal.kind_of"
local Module = require "tide.nn.module"
local Parameter = require "tide.nn.parameter"
local raise = require "tide.internal.raise"
local tide = require "tide"

local ParameterList = class("ParameterList", Module)

--- nn.ParameterList({a, b}): list[1], #list. Tensors become parameters.
function ParameterList:init(tensors) self:extend(tensors or {}) end

function ParameterList:append(tensor)
  if not tide.is_tensor(tensor) then raise("ParameterList: no tensor but a %s", kind_of(tensor)) end
  self:register_parameter(#self + 1, tensor.requires_grad and tensor or Parameter(tensor))
  return self
end

function ParameterList:extend(tensors)
  if type(tensors) ~= "table" then
    raise("ParameterList: expected a list of tensors, got %s", kind_of(tensors))
  end
  for _, tensor in ipairs(tensors) do self:append(tensor) end
  return self
end

function ParameterList:describe() return ("%d parameters"):format(#self) end

return ParameterList

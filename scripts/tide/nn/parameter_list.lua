-- nn.ParameterList: a list of parameters.
local define = require "tide.internal.declare.define"
local kind_of = require "tide.internal.kind_of"
local Module = require "tide.nn.module"
local Parameter = require "tide.nn.parameter"
local raise = require "tide.internal.raise"
local tide = require "tide"

--- Parameters in a list.
---@param tensors? tensor[]  the tensors
---@see nn.Sequential nn.Module nn.Parameter
---@example
--- #nn.ParameterList{tide.ones(2), tide.ones(3)} --> 2
local ParameterList, read = define("nn.ParameterList", Module)

function ParameterList:init(...) self:extend(read(...).tensors or {}) end

function ParameterList:append(tensor)
  if not tide.is_tensor(tensor) then raise("ParameterList: expected a tensor, got %s", kind_of(tensor)) end
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

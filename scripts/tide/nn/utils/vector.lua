-- All parameters of a module as one vector, and back.
local checked = require "tide.internal.declare.checked"
local raise = require "tide.internal.raise"
local tide = require "tide"

local vector = {}

--- Concatenates the elements of all parameters into one vector.
---@use nn: parameters
---@example
--- nn.utils.parameters_to_vector(nn.Linear(3, 2):parameters()).shape --> {8}
vector.parameters_to_vector = checked("nn.utils.parameters_to_vector", function(parameters)
  if #parameters == 0 then raise("parameters_to_vector: the list of parameters is empty") end
  local parts = {}
  for i, parameter in ipairs(parameters) do parts[i] = parameter:reshape(-1) end
  return tide.cat(parts)
end)

--- Overwrites parameters with a vector.
---@param vector tensor  values of all parameters, concatenated
---@use nn: parameters
---@example
--- local layer = nn.Linear(1, 1)
--- nn.utils.vector_to_parameters(tide.tensor{3.0, 4}, layer:parameters())
--- layer.bias --> {4.0}
vector.vector_to_parameters = checked("nn.utils.vector_to_parameters", function(values, parameters)
  local total = 0
  for _, parameter in ipairs(parameters) do total = total + parameter:numel() end
  if values:dim() ~= 1 or #values ~= total then
    raise("vector_to_parameters: the parameters have %d elements, the vector %d", total,
      values:numel())
  end
  local _ <close> = tide.no_grad()
  local first = 1
  for _, parameter in ipairs(parameters) do
    local count = parameter:numel()
    parameter:copy_(values:narrow(1, first, count):reshape(parameter.shape))
    first = first + count
  end
end)

return vector

-- All parameters of a module as one vector, and back.
local checked = require "tide.internal.declare.checked"
local raise = require "tide.internal.raise"
local tide = require "tide"

local vector = {}

--- The elements of a list of parameters in one vector, with a grad function.
vector.parameters_to_vector = checked("parameters_to_vector", {"parameters"}, {parameters = "tensors"}, function(parameters)
  if #parameters == 0 then raise("parameters_to_vector: the list of parameters is empty") end
  local parts = {}
  for i, parameter in ipairs(parameters) do parts[i] = parameter:reshape(-1) end
  return tide.cat(parts)
end)

--- Overwrites a list of parameters with the elements of a vector.
vector.vector_to_parameters = checked("vector_to_parameters", {"vector", "parameters"},
  {vector = "tensor", parameters = "tensors"}, function(values, parameters)
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

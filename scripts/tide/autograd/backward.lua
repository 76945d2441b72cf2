-- autograd.backward: the backward pass from several tensors.
local of_kind = require "tide.internal.of_kind"
local raise = require "tide.internal.raise"
local tide = require "tide"

--- Adds the gradients of the sum of `tensors` (one or a list, weighted by `grad_tensors`) to .grad
--- of all leaves.
local function backward(tensors, grad_tensors, options)
  if tide.is_tensor(tensors) then tensors, grad_tensors = {tensors}, {grad_tensors} end
  of_kind("backward", "tensors", tensors, "tensors")
  if #tensors == 0 then raise("backward: expected tensors: the list is empty") end
  grad_tensors = of_kind("backward", "grad_tensors", grad_tensors or {}, "tensors")
  local total
  for i, tensor in ipairs(tensors) do
    local weight = grad_tensors[i]
    if not weight and tensor:numel() ~= 1 then
      raise("backward: tensor %d has %d elements: a gradient for it is missing", i, tensor:numel())
    end
    local part = weight and (tensor * weight):sum() or tensor:sum()
    total = total and total + part or part
  end
  if options then total:backward(options) else total:backward() end
end

return backward

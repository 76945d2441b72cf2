-- autograd.backward: the backward pass from several tensors.
local checked = require "tide.internal.declare.checked"
local of_type = require "tide.internal.declare.of_type"
local raise = require "tide.internal.raise"
local tide = require "tide"

--- The backward pass from several tensors.
---@param tensors tensor | tensor[]  tensors to differentiate
---@param grad_tensors tensor | table = nil  gradients with respect to them; nil is 1 for a tensor with a single element
---@param retain_graph boolean = nil  keep the graph, for a second backward; nil is create_graph
---@param create_graph boolean = false  record the gradients, so that they can be differentiated
---@waits no, except with detect_anomaly
---@errors a tensor of several elements without a gradient; a second backward without retain_graph
---@see x:backward x.grad tide.grad tide.no_grad x:detach
---@example
--- local x = tide.ones(2):requires_grad_()
--- autograd.backward{x:sum(), (3 * x):sum()}
--- x.grad --> {4.0, 4.0}
local backward = checked("autograd.backward", function(tensors, grad_tensors, retain_graph, create_graph)
  if tide.is_tensor(tensors) then tensors = {tensors} end
  if #tensors == 0 then raise("backward: expected tensors: the list is empty") end
  if tide.is_tensor(grad_tensors) then grad_tensors = {grad_tensors} end
  local total
  for i, tensor in ipairs(tensors) do
    local weight = grad_tensors and grad_tensors[i]
    if weight then of_type("backward", ("grad_tensors[%d]"):format(i), weight, "tensor") end
    if not weight and tensor:numel() ~= 1 then
      raise("backward: tensor %d has %d elements: a gradient for it is missing", i, tensor:numel())
    end
    local part = weight and (tensor * weight):sum() or tensor:sum()
    total = total and total + part or part
  end
  total:backward({retain_graph = retain_graph, create_graph = create_graph})
end)

return backward

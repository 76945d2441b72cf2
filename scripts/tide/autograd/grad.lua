-- autograd.grad: the same as tide.grad.
local tide = require "tide"

--- The same as tide.grad.
---@param outputs tensor | tensor[]  tensors to differentiate
---@param inputs tensor | tensor[]  tensors to differentiate by
---@param grad_outputs tensor | tensor[] = nil  gradients with respect to the outputs; nil is 1 for a single element
---@param retain_graph boolean = nil  keep the graph, for a second backward; nil is create_graph
---@param create_graph boolean = false  record the gradients, so that they can be differentiated
---@param allow_unused boolean = false  return nil for unused inputs instead of raising an error
---@see tide.grad tide.func.grad tide.autograd.jacobian tide.autograd.gradcheck
---@example
--- local x = tide.tensor({1.0, 2}, {requires_grad = true})
--- autograd.grad(x:square():sum(), x) --> {2.0, 4.0}
return tide.grad -- "autograd.grad" reads its arguments in C++

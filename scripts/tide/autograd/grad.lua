-- autograd.grad: the same as tide.grad.
local tide = require "tide"

--- The same as tide.grad.
---@param outputs tensor | tensor[]  what is differentiated
---@param inputs tensor | tensor[]  with respect to what
---@param grad_outputs tensor | tensor[] = nil  gradients with respect to the outputs; nil for one element is 1
---@param retain_graph boolean = nil  keep what backward needs, for a second backward; nil is create_graph
---@param create_graph boolean = false  record the gradients too, so that they can be differentiated
---@param allow_unused boolean = false  nil for inputs that the outputs do not depend on, instead of an error
---@see tide.grad
---@example
--- local x = tide.tensor({1.0, 2}, {requires_grad = true})
--- autograd.grad(x:square():sum(), x) --> {2.0, 4.0}
return tide.grad -- "autograd.grad" reads its arguments in C++

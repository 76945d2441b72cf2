-- autograd.grad: the same as tide.grad.
return require("tide").grad

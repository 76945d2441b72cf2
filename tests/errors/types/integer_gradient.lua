-- Only floating tensors have gradients.
local x = tide.tensor({1, 2}):requires_grad_()
--> tide: integer_gradient.lua:2: requires_grad: only floating types have gradients, not int64

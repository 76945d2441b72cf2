-- A method of tensors called with '.'.
local a, b = tide.ones(2, 3), tide.ones(3, 2)
print(a.matmul(b))
--> tide: colon_of_tensor.lua:3: matmul: argument 2 (other): expected tensor, got nothing; use ':', as in a:matmul(b)

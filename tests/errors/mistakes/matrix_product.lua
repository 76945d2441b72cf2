local a, b = tide.ones(2, 2), tide.ones(2, 2)
local c = a @ b
--> tide: matrix_product.lua:2: unexpected symbol near '@'
--> in Lua: a:matmul(b)

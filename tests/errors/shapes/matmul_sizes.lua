-- Inner sizes of a product that differ.
local x, w = tide.ones(32, 784), tide.ones(512, 10)
local y = x:matmul(w)
--> tide: matmul_sizes.lua:3: matmul: inner sizes differ: (32, 784) x (512, 10) have 784 and 512

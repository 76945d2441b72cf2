-- The other matrix lies the wrong way round.
print(tide.ones(32, 784):matmul(tide.ones(10, 784)))
--> tide: matmul_transposed.lua:2: matmul: inner sizes differ: (32, 784) x (10, 784) have 784 and 10; the second fits if transposed: y:transpose(-2, -1)

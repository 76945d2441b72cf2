-- Whole numbers as they come out of a file, and weights.
print(tide.tensor({{1, 2}}):matmul(tide.ones(2, 3)))
--> tide: types_of_product.lua:2: matmul: the types differ: int64 and float32; convert one with :to("float32")

local x = tide.ones(2, 2):to "float8_e4m3fn"
print(x:matmul(x))
--> tide: float8_product.lua:2: matmul: float8_e4m3fn is multiplied with its scales: tide.scaled_mm

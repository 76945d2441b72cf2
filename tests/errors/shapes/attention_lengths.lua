-- Keys and values that do not pair.
local F, x = tide.nn.functional, tide.ones(1, 5, 8)
print(F.scaled_dot_product_attention(x, tide.ones(1, 6, 8), x))
--> tide: attention_lengths.lua:3: scaled_dot_product_attention: 6 keys of (1, 6, 8) and 5 values of (1, 5, 8) do not pair

-- Letters in the wrong order.
local model = tide.nn.Lienar(3, 2)
--> tide: misspelt_field.lua:2: tide.nn.Lienar: there is no such name; did you mean 'Linear'?

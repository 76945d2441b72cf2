-- Letters in the wrong order.
local model = tide.nn.Lienar(3, 2)
--> tide: misspelt_field.lua:2: attempt to call a nil value (field 'Lienar'); did you mean 'Linear'?

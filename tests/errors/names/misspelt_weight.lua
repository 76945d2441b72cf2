-- A field of a layer.
local layer = tide.nn.Linear(3, 2)
print(layer.wieght)
--> tide: misspelt_weight.lua:3: Linear.wieght: there is no such name; did you mean 'weight'?

-- A name that nothing has: the nearest one that something has.
local x = tide.ones(2, 3)
x:relu():summ()
--> tide: misspelt_method.lua:3: tensor.summ: there is no such name; did you mean 'sum'?

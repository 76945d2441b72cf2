-- Shapes that do not broadcast: the line, the op and both shapes.
local x, y = tide.ones(2, 3), tide.ones(4)
local z = x + y
--> tide: broadcast.lua:3: add: shapes do not broadcast: (2, 3) and (4) differ in dimension 2 (3 against 4)

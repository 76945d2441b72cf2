-- Positions start at 1.
local x = tide.ones(3)
local y = x[0]
--> tide: position_zero.lua:3: index: positions start at 1, got 0

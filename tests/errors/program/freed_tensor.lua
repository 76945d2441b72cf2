-- A tensor that was freed.
local x = tide.ones(2)
x:free()
local y = x + 1
--> tide: freed_tensor.lua:4: +: expected tensor or number, got a freed tensor

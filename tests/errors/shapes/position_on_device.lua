-- A position out of range that only the device sees: both lines are named.
local x = tide.ones(10)
local picked = x:index_select(1, tide.tensor({1, 20}))
print(picked:sum():item())
--> tide: position_on_device.lua:4: index_select: position 20 is out of range: there are 10; queued at position_on_device.lua:3 (index_select), noticed at position_on_device.lua:4 (item)

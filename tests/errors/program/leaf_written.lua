-- A leaf that requires a gradient is not written to.
local x = tide.ones({2}, {requires_grad = true})
x:add_(1)
--> tide: leaf_written.lua:3: add: a leaf that requires a gradient cannot be changed in place; use tide.no_grad()

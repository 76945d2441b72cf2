-- The table `tide.func`: function transforms. Each takes a function and returns one that computes its derivatives, or
-- vectorizes it over a batch.
local lazy_table = require "tide.internal.lazy_table"

--- Function transforms, and modules as functions: see tide.func.NAME.
---@type table
---@example
--- tide.func.grad ~= nil --> true
return lazy_table("tide.func", {others = {functional_call = "tide.nn.internal.functional_call"}})

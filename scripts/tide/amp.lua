-- The table `tide.amp`: training with half types.
local lazy_table = require "tide.internal.lazy_table"

--- Half types: see tide.amp.NAME.
---@type table
---@example
--- tide.amp.GradScaler ~= nil --> true
return lazy_table("tide.amp", {GradScaler = "grad_scaler", autocast = "autocast"})

-- The table `tide.amp`: training with half-precision types.
local lazy_table = require "tide.internal.lazy_table"

--- Mixed precision: see tide.amp.NAME.
---@type table
---@example
--- tide.amp.GradScaler ~= nil --> true
return lazy_table "tide.amp"

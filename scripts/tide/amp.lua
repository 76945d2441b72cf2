-- The table `tide.amp`: training with half types.
local lazy_table = require "tide.internal.lazy_table"

return lazy_table("tide.amp", {GradScaler = "grad_scaler", autocast = "autocast"})

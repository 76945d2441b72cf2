-- The table `tide.optim.lr_scheduler`: learning rate schedulers.
local lazy_table = require "tide.internal.lazy_table"

--- Learning rate schedulers: see tide.optim.lr_scheduler.NAME.
---@type table
---@example
--- optim.lr_scheduler.StepLR ~= nil --> true
return lazy_table("tide.optim.lr_scheduler", {package = "tide.nn.optim"})

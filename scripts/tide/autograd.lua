-- The table `tide.autograd`: custom gradients, derivatives as tensors, gradient checks, checkpointing.
local lazy_table = require "tide.internal.lazy_table"

--- Derivatives: see tide.autograd.NAME.
---@type table
---@example
--- tide.autograd.gradcheck ~= nil --> true
return lazy_table "tide.autograd"

-- The table `tide.nn.utils`: gradient clipping, parameters as a vector, padded sequences, parametrized weights,
-- fused norms and pruning.
local lazy_table = require "tide.internal.lazy_table"

--- Gradient clipping, parameters as a vector, pruning and more: see tide.nn.utils.NAME.
---@type table
---@example
--- nn.utils.clip_grad_norm_ ~= nil --> true
return lazy_table "tide.nn.utils"

-- The table `tide.vision.ops`: shared layers of networks, boxes, and regions of images.
local lazy_table = require "tide.internal.lazy_table"

--- Boxes, regions, layers of networks: see tide.vision.ops.NAME.
---@type table
---@example
--- tide.vision.ops.nms ~= nil --> true
return lazy_table "tide.vision.ops"

-- The table `tide.vision`: images, image data sets, networks, and ops on boxes and regions.
local lazy_table = require "tide.internal.lazy_table"

--- Image networks, data sets and ops: see tide.vision.NAME.
---@type table
---@example
--- tide.vision.models ~= nil --> true
return lazy_table "tide.vision"

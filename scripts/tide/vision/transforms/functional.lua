-- The table `tide.vision.transforms.functional`: functions on images (..., channels, height,
-- width).
local lazy_table = require "tide.internal.lazy_table"

--- Image transforms as functions: see tide.vision.transforms.functional.NAME.
---@type table
---@example
--- tide.vision.transforms.functional.hflip(tide.tensor{{{1, 2}}}) --> {{{2, 1}}}
return lazy_table "tide.vision.transforms.functional"

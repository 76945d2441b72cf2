-- The table `tide.vision.transforms`: image transforms as callable objects.
local lazy_table = require "tide.internal.lazy_table"

--- Image transforms as callable objects: see tide.vision.transforms.NAME.
---@type table
---@example
--- tide.vision.transforms.functional.hflip(tide.tensor{{{1, 2}}}) --> {{{2, 1}}}
return lazy_table "tide.vision.transforms"

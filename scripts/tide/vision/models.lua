-- The table `tide.vision.models`: networks with torchvision's names.
local lazy_table = require "tide.internal.lazy_table"

--- Networks for images: see tide.vision.models.NAME.
---@type table
---@example
--- #tide.vision.models.list() > 70 --> true
return lazy_table "tide.vision.models"

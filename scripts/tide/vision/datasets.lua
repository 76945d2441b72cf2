-- The table `tide.vision.datasets`: image datasets in files, with torchvision's names.
local lazy_table = require "tide.internal.lazy_table"

--- Image datasets: see tide.vision.datasets.NAME.
---@type table
---@example
--- #tide.vision.datasets.Digits() --> 1797
return lazy_table "tide.vision.datasets"

-- The table `tide.vision.transforms`: changes to pictures.
local lazy_table = require "tide.internal.lazy_table"

return lazy_table("tide.vision.transforms", {functional = "functional"})

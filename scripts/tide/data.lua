-- The table `tide.data`: data sets, samplers, loaders and readers of files.
local lazy_table = require "tide.internal.lazy_table"

return lazy_table "tide.data"

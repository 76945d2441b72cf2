-- The table `tide.nn`: layers, losses and containers.
local lazy_table = require "tide.internal.lazy_table"

return lazy_table "tide.nn"

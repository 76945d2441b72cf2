-- The table `tide.optim`: optimizers.
local lazy_table = require "tide.internal.lazy_table"

return lazy_table("tide.optim", {package = "tide.nn.optim"})

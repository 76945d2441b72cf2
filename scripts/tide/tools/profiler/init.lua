-- tide.profiler: where the time, the memory and the waits go.
local lazy_table = require "tide.internal.lazy_table"

--- Ranges of profiles: see tide.profiler.NAME.
---@type table
---@example
--- tide.profiler.record_function ~= nil --> true
return lazy_table("tide.profiler", {
  package = "tide.tools.profiler", others = {profile = "tide.tools.profiler.profile"},
})

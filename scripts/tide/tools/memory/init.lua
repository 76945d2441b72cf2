-- tide.memory: who holds a device's memory.
local snapshot = require "tide.tools.memory.snapshot"
local strict_table = require "tide.internal.strict_table"

--- Who holds a device's memory: see tide.memory.NAME.
---@type table
---@example
--- tide.memory.snapshot ~= nil --> true
return strict_table("tide.memory", {snapshot = snapshot.take, diff = snapshot.diff})

-- tide.memory: which lines and variables hold a device's memory.
local snapshot = require "tide.tools.memory.snapshot"
local strict_table = require "tide.internal.strict_table"

--- Lines and variables that hold a device's memory: see tide.memory.NAME.
---@type table
---@example
--- tide.memory.snapshot ~= nil --> true
return strict_table("tide.memory", {snapshot = snapshot.take, diff = snapshot.diff})

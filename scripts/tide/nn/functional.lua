-- The table `tide.nn.functional`: layers as functions. Most are ops of the runtime.
local lazy_table = require "tide.internal.lazy_table"
local native = require "tide.native"

--- Layers as functions: see tide.nn.functional.NAME.
---@type table
---@example
--- tide.nn.functional.relu(tide.tensor{-1, 2}) --> {0, 2}
return lazy_table("tide.nn.functional", {fields = native.functional})

-- tide.onnx: ONNX models.
local lazy_table = require "tide.internal.lazy_table"

--- Loads and saves ONNX models: see tide.onnx.NAME.
---@type table
---@example
--- tide.onnx.load ~= nil --> true
return lazy_table "tide.onnx"

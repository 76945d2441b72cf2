-- tide.onnx: ONNX models.
--- Loads and saves ONNX models: see tide.onnx.NAME.
---@type table
---@example
--- tide.onnx.load ~= nil --> true
return require "tide.internal.lazy_table" "tide.onnx"

-- tide.onnx: models in files of ONNX.
--- Models in files of ONNX: see tide.onnx.NAME.
---@type table
---@example
--- tide.onnx.load ~= nil --> true
return require "tide.internal.lazy_table"("tide.onnx", {load = "load", save = "save"})

-- tide.onnx: models in files of ONNX.
return require "tide.internal.lazy_table"("tide.onnx", {load = "load", save = "save"})

-- The reference of models in files.
return {
  {
    title = "Models in files",
    prefix = "tide.onnx.",
    {"load", "(...)",
      "A module that computes the graph of a file of ONNX (opset 7 to 23, ai.onnx.ml, " ..
        "com.microsoft), with its weights as parameters; in evaluation mode",
      "local path = os.tmpname(); tide.onnx.save(nn.Linear(3, 2), tide.ones(1, 3), path); " ..
        "local model = tide.onnx.load(path); os.remove(path); model(tide.ones(5, 3)).shape " ..
        "--> {5, 2}"},
    {"save", "(...)",
      "Calls the module with a tensor or a list of them, and writes what it computes as a file " ..
        "of ONNX; dynamic_axes = {input_1 = {1}} says which sizes may be others later",
      "local path = os.tmpname(); " ..
        "tide.onnx.save(nn.ReLU(), tide.ones(2), path, {input_names = {\"x\"}}); " ..
        "local model = tide.onnx.load(path); os.remove(path); model(tide.tensor{-1.0, 2}) " ..
        "--> {0.0, 2.0}"},
  },
}

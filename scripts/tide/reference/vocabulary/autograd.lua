-- What parameters of gradients, modes and functions of functions mean.
return {
  {
    of = "backward",
    gradient = "tensor = nil: gradient of the result with respect to this tensor; may be left out if it has one "
      .. "element",
  },
  {
    of = "tide.grad tide.autograd.*",
    outputs = "tensor | tensor[]: what is differentiated",
    inputs = "tensor | tensor[]: with respect to what",
    grad_outputs = "tensor[] = nil: gradients with respect to the outputs; may be left out if they have one element",
    allow_unused = "boolean = false: nil for inputs that the outputs do not depend on, instead of an error",
  },
  {of = "register_hook", fn = "function: fn(gradient) may return another one"},
  {of = "requires_grad_", on = "boolean = true: whether gradients are recorded"},
  {
    of = "no_grad enable_grad eager inference_mode autocast detect_anomaly deterministic stream",
    fn = "function = nil: the function the mode is on for; without one the mode ends when the value returned is closed",
  },
  {
    of = "autocast",
    device = "device = nil: where the mode is on; nil is everywhere",
    enabled = "boolean = true: with false the mode is off in its scope",
    device_type = "string = nil: taken for PyTorch's sake; the device stands in front",
    cache_enabled = "boolean = true: taken for PyTorch's sake",
    dtype = "dtype = nil: the half type; nil is float16 on CUDA, else bfloat16",
  },
  {of = "is_autocast_enabled get_autocast_dtype", device = "device = nil: the device asked about; nil is any"},
  {
    of = "set_grad_enabled use_deterministic_algorithms",
    on = "boolean: on or off",
    warn_only = "boolean = false: taken for PyTorch's sake",
  },
  {of = "set_float32_matmul_precision", precision = '"highest" | "high" | "medium": how exact products of float32 are'},
}

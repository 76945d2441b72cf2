-- Parameters of gradients, modes and function transforms.
return {
  {
    of = "backward",
    gradient = "tensor = nil: gradient of the result with respect to this tensor; optional if it has one "
      .. "element",
  },
  {
    of = "tide.grad tide.autograd.*",
    outputs = "tensor | tensor[]: tensors to differentiate",
    inputs = "tensor | tensor[]: tensors to differentiate with respect to",
    grad_outputs = "tensor[] = nil: gradients with respect to the outputs; optional if they have one element",
    allow_unused = "boolean = false: nil for inputs that the outputs do not depend on, instead of an error",
  },
  {of = "register_hook", fn = "function: fn(gradient) may return a replacement"},
  {of = "requires_grad_", on = "boolean = true: whether gradients are recorded"},
  {
    of = "no_grad enable_grad eager inference_mode autocast detect_anomaly deterministic stream",
    fn = "function = nil: the function to run in this mode; without it the mode ends when the returned value is closed",
  },
  {
    of = "autocast",
    device = "device = nil: where the mode is active; nil is everywhere",
    enabled = "boolean = true: false disables the mode in its scope",
    device_type = "string = nil: for compatibility with PyTorch; use the device argument",
    cache_enabled = "boolean = true: for compatibility with PyTorch",
    dtype = "dtype = nil: the half type; nil is float16 on CUDA, else bfloat16",
  },
  {of = "is_autocast_enabled get_autocast_dtype", device = "device = nil: the device to query; nil is any"},
  {
    of = "set_grad_enabled use_deterministic_algorithms",
    on = "boolean: on or off",
    warn_only = "boolean = false: for compatibility with PyTorch",
  },
  {of = "set_float32_matmul_precision", precision = '"highest" | "high" | "medium": precision of float32 matmuls'},
}

-- What parameters of gradients, modes and functions of functions mean.
return {
  {
    of = "backward",
    gradient = "tensor = nil: gradient of the result with respect to this tensor; may be left out if it has one "
      .. "element",
    tensors = "tensor[]: tensors to go back from",
    grad_tensors = "tensor[] = nil: gradients with respect to them",
  },
  {
    of = "tide.grad tide.autograd.*",
    outputs = "tensor | tensor[]: what is differentiated",
    inputs = "tensor | tensor[]: with respect to what",
    grad_outputs = "tensor[] = nil: gradients with respect to the outputs; may be left out if they have one element",
    allow_unused = "boolean = false: nil for inputs that the outputs do not depend on, instead of an error",
    forward = "function: forward(ctx, ...) gives the results; ctx:save_for_backward(...) keeps tensors",
    backward = "function: backward(ctx, gradients...) gives a gradient for each input",
    v = "tensor | tensor[] = nil: the vector; may be left out if it has one element",
    eps = "number = 1e-6: how far inputs are moved",
    atol = "number = 1e-5: tolerance, as a number",
    rtol = "number = 1e-3: tolerance, as a share",
    raise_exception = "boolean = true: a wrong gradient is an error; else the result is false",
  },
  {of = "vhp hvp", v = "tensor | tensor[]: the vector"},
  {of = "tide.func.*", primal = "tensor: the point", models = "module[]: modules of one structure"},
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

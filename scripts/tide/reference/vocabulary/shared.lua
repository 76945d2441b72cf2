-- Parameters with the same description in all functions.
return {
  {
    of = "*",
    x = "tensor: the tensor",
    input = "tensor: the tensor",
    other = "tensor: the other operand; shapes broadcast",
    tensors = "tensor[]: the tensors",
    ["..."] = "any: arguments of the function",
    dim = "integer: the dimension, from 1; negative ones count from the end",
    keepdim = "boolean = false: keep the reduced dimensions, with size 1",
    dtype = "dtype = nil: type of the result; nil infers it from the operands or values",
    device = "device = nil: device of the result; nil is the default device",
    ctx = "device = nil: Gluon's name for device",
    requires_grad = "boolean = false: whether gradients of the result are recorded",
    pin_memory = "boolean = false: page-locked host memory, which copies faster to CUDA devices",
    non_blocking = "boolean = false: copies to the host do not wait; the first read does",
    memory_format = '"contiguous_format" | "channels_last" | "preserve_format" = "preserve_format": order of the '
      .. 'elements in memory',
    out_dtype = "dtype = nil: type of the result; nil is that of the operands",
    fn = "function: the function to call",
    name = "string: the name",
    value = "any: the value",
    message = "string: a part of the expected message",
    shape = "integer | integer[]: sizes of the dimensions, as numbers or as one table",
    reduction = '"none" | "mean" | "sum" = "mean": how to combine the losses of all elements: not at all, '
      .. 'by their mean, or by their sum',
    p = "number: probability",
    state = "table: a state returned by the corresponding getter",
    i = "integer = 0: index of the device, from 0",
    create_graph = "boolean = false: record the gradients too, so that they can be differentiated",
    retain_graph = "boolean = create_graph: keep the graph, for a second backward",
  },
}

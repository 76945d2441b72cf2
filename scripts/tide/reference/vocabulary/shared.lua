-- What parameters mean wherever they occur.
return {
  {
    of = "*",
    x = "tensor: the tensor",
    input = "tensor: the tensor",
    other = "tensor: the other operand; shapes broadcast",
    tensors = "tensor[]: the tensors",
    ["..."] = "any: what the function is called with",
    dim = "integer: the dimension, from 1; negative ones count from the end",
    keepdim = "boolean = false: keep the reduced dimensions, with size 1",
    dtype = "dtype = nil: type of the result; nil is what the operands or the values suggest",
    device = "device = nil: where the result lies; nil is the default device",
    ctx = "device = nil: Gluon's word for device",
    requires_grad = "boolean = false: whether gradients of the result are recorded",
    pin_memory = "boolean = false: page-locked host memory, which copies faster to CUDA devices",
    non_blocking = "boolean = false: copies to the host do not wait; the first read does",
    memory_format = '"contiguous_format" | "channels_last" | "preserve_format" = "preserve_format": order of the '
      .. 'elements in memory',
    out_dtype = "dtype = nil: type of the product; nil is that of the operands",
    fn = "function: the function to call",
    name = "string: the name",
    value = "any: the value",
    message = "string: a part of the expected message",
    shape = "integer | integer[]: sizes of the dimensions, as numbers or as one table",
    reduction = '"none" | "mean" | "sum" = "mean": what is made of the losses of all elements: nothing, their mean, '
      .. 'or their sum',
    p = "number: probability",
    state = "table: what the function that gives a state returned",
    i = "integer = 0: number of the device, from 0",
    create_graph = "boolean = false: record the gradients too, so that they can be differentiated",
    retain_graph = "boolean = create_graph: keep what backward needs, for a second backward",
  },
}

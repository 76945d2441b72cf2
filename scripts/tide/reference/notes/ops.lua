-- Formulas of ops, what counts from 1, what waits, errors, and kin.
return {
  {
    of = "matmul mm bmm",
    shapes = "(..., n, k) x (..., k, m) -> (..., n, m); vectors count as a row or a column",
    errors = "inner sizes differ",
    see = "x:matmul tide.einsum tide.linalg.multi_dot nn.Linear",
  },
  {of = "einsum", see = "x:matmul tide.tensordot x:sum"},
  {of = "dot vdot inner", see = "x:dot x:matmul"},
  {of = "argmax argmin", counts = "the positions", see = "x:argmax x:max x:topk"},
  {of = "max min", counts = "the positions", see = "x:max x:amax x:argmax x:topk x:maximum"},
  {of = "amax amin", see = "x:amax x:max"},
  {of = "sum mean prod", see = "x:sum x:mean x:prod x:nansum x:cumsum"},
  {
    of = "var std",
    formula = "sum of (x - mean)^2 / (n - correction), std its root",
    see = "x:var x:std tide.var_mean x:mean",
  },
  {of = "cumsum cumprod cummax cummin", see = "x:cumsum x:cumprod x:cummax x:sum"},
  {
    of = "sort argsort topk kthvalue msort",
    counts = "the positions",
    see = "x:sort x:argsort x:topk x:kthvalue",
  },
  {
    of = "gather x:scatter x:scatter_ tide.scatter scatter_add scatter_reduce index_select index_add "
      .. "index_copy index_fill take put",
    counts = "index",
    errors = "a position out of range raises when the result is read, with the line of the op",
    see = "x:gather x:scatter x:index_select x:take_along_dim x[index]",
  },
  {of = "nonzero", counts = "the positions", see = "x:nonzero x:count_nonzero x[mask]"},
  {of = "searchsorted bucketize", counts = "the positions", see = "tide.searchsorted x:sort"},
  {of = "one_hot", counts = "x", see = "F.one_hot nn.Embedding"},
  {
    of = "bincount",
    counts = "x: element i of the result is how often i occurs",
    see = "x:bincount x:histc tide.histogram",
  },
  {
    of = "randperm multinomial",
    counts = "the numbers",
    see = "tide.randperm tide.randint tide.multinomial",
  },
  {of = "randint randint_like", see = "tide.randint tide.randperm tide.rand"},
  {of = "transpose permute movedim swapaxes", see = "x:transpose x:permute x:movedim x.T"},
  {
    of = "reshape view flatten unflatten",
    errors = "sizes whose product differs",
    see = "x:reshape x:view x:flatten x:unflatten",
  },
  {
    of = "view",
    errors = "elements that do not lie so in memory: reshape copies them",
    see = "x:reshape x:contiguous",
  },
  {of = "squeeze unsqueeze", see = "x:squeeze x:unsqueeze x[new]"},
  {of = "expand broadcast_to", see = "x:expand x:repeat_dims tide.broadcast_shapes"},
  {
    of = "cat concat stack",
    errors = "sizes that differ beside the dimension, types that do not promote, other devices",
    see = "tide.cat tide.stack x:split x:chunk",
  },
  {of = "split chunk unbind tensor_split", see = "x:split x:chunk x:unbind tide.cat"},
  {
    of = "narrow select",
    counts = "start and index",
    errors = "a position out of range",
    see = "x:narrow x:select x[i] x[ranges]",
  },
  {of = "where", see = "x:where x:masked_fill"},
  {of = "masked_fill masked_select", see = "x:masked_fill x:masked_select x:where x[mask]"},
  {
    of = "item tolist",
    waits = "for the value",
    errors = "item: a tensor that has not one element; a value that failed names the line that "
      .. "queued it",
    see = "x:item x:tolist tide.synchronize",
  },
  {of = "equal allclose isclose", see = "x:equal x:allclose x:isclose x:eq"},
  {of = "clamp clip", formula = "min(max(x, min), max)", see = "x:clamp F.hardtanh"},
  {of = "lerp", formula = "x + weight (end_ - x)", see = "x:lerp"},
  {of = "addmm", formula = "beta x + alpha mat1 mat2", see = "x:addmm x:matmul"},
  {of = "addcmul", formula = "x + value tensor1 tensor2", see = "x:addcmul x:addcdiv"},
  {of = "addcdiv", formula = "x + value tensor1 / tensor2", see = "x:addcdiv x:addcmul"},
  {of = "logsumexp", formula = "log(sum of exp(x))", see = "x:logsumexp F.log_softmax"},
  {
    of = "norm vector_norm",
    formula = "(sum of |x|^p)^(1/p)",
    see = "x:norm tide.linalg.vector_norm tide.linalg.matrix_norm",
  },
  {
    of = "svd qr cholesky eigh lu inv solve lstsq",
    see = "tide.linalg.svd tide.linalg.qr tide.linalg.cholesky tide.linalg.eigh tide.linalg.solve "
      .. "tide.linalg.lstsq",
  },
  {
    of = "zeros ones empty full",
    see = "tide.zeros tide.ones tide.full tide.empty tide.zeros_like tide.tensor",
  },
  {of = "arange range linspace", see = "tide.arange tide.range tide.linspace"},
  {
    of = "rand randn",
    see = "tide.rand tide.randn tide.randint tide.manual_seed tide.random.normal",
  },
  {
    of = "tensor from as_tensor",
    errors = "tables of different lengths",
    see = "tide.tensor tide.as_tensor tide.from x:tolist",
  },
  {
    of = "x:to x:cpu x:cuda x:copyto",
    waits = "only for copies to the host, unless non_blocking",
    errors = "a device that there is not",
    see = "x:to x:cpu x:cuda tide.device module:to",
  },
  {
    of = "backward",
    waits = "no, but for detect_anomaly",
    errors = "a tensor of several elements without a gradient; a graph that was used, unless "
      .. "retain_graph",
    see = "x:backward x.grad tide.grad tide.no_grad x:detach",
  },
  {
    of = "x.grad x.requires_grad x:requires_grad_ x:detach",
    see = "x:backward x.grad x:requires_grad_ x:detach tide.no_grad",
  },
  {of = "x.shape x:size x:dim x:numel", see = "x.shape x:size x:dim x:numel x.dtype x.device"},
  {of = "x.dtype x.device", see = "x.dtype x.device x:to tide.finfo"},
  {of = "no_grad enable_grad inference_mode", see = "tide.no_grad tide.enable_grad x:detach"},
  {of = "autocast", see = "tide.autocast amp.GradScaler"},
  {
    of = "tide.synchronize",
    waits = "for all that is queued",
    see = "tide.synchronize tide.flush tide.pending x:item",
  },
  {of = "flush pending", see = "tide.flush tide.pending tide.synchronize"},
  {of = "manual_seed seed", see = "tide.manual_seed tide.Generator tide.get_rng_state"},
  {
    of = "benchmark",
    waits = "for the device, to measure it",
    see = "tide.benchmark tide.tic tide.toc tide.time tide.statistics",
  },
  {of = "tic toc time", see = "tide.tic tide.toc tide.benchmark"},
  {
    of = "grad vjp jvp jacobian hessian",
    see = "tide.grad tide.func.grad tide.autograd.jacobian tide.autograd.gradcheck",
  },
  {
    of = "gradcheck gradgradcheck",
    waits = "as it compares values",
    see = "tide.autograd.gradcheck tide.grad",
  },
  {
    of = "tide.save tide.load tide.save_torch tide.load_torch",
    waits = "saving waits for the values",
    errors = "what cannot be saved is named with its key; a file that is cut off or damaged",
    see = "tide.save tide.load module:state_dict training.CheckpointManager tide.load_torch",
  },
  {
    of = "tide.device tide.devices tide.accelerator",
    see = "tide.device tide.devices tide.accelerator x:to",
  },
  {
    of = "memory_allocated max_memory_allocated memory_stats memory_summary",
    see = "tide.memory_allocated tide.max_memory_allocated tide.memory_summary tide.empty_cache",
  },
}

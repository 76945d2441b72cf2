-- The reference of derivatives and half types.
return {
  {
    title = "Derivatives",
    prefix = "tide.autograd.",
    {"Function", "({forward, backward})",
      "An op written in Lua; as a base class: class(name, Function), then Class.apply(x)",
      "local twice = autograd.Function{forward = function(ctx, x) return 2 * x end, " ..
        "backward = function(ctx, dy) return 2 * dy end}; twice(tide.ones(2)) --> {2.0, 2.0}"},
    {"grad", "(outputs, inputs, {grad_outputs, retain_graph, create_graph, allow_unused})", "The same as tide.grad",
      "local x = tide.tensor({1.0, 2}, {requires_grad = true}); " ..
        "autograd.grad(x:square():sum(), x) --> {2.0, 4.0}"},
    {"backward", "(tensors, grad_tensors?, {retain_graph, create_graph})",
      "The backward pass from several tensors",
      "local x = tide.ones(2):requires_grad_(); autograd.backward{x:sum(), (3 * x):sum()}; " ..
        "x.grad --> {4.0, 4.0}"},
    {"checkpoint", "(fn, ...)", "fn(...), computed anew in backward instead of kept",
      "local x = tide.ones(2):requires_grad_(); " ..
        "autograd.checkpoint(function(x) return x * x end, x):sum():backward(); " ..
        "x.grad --> {2.0, 2.0}"},
    {"jacobian", "(fn, inputs, {create_graph})", "All derivatives of results by inputs",
      "autograd.jacobian(function(x) return x:square() end, tide.tensor{1.0, 2}) --> {{2.0, " ..
        "0.0}, {0.0, 4.0}}"},
    {"hessian", "(fn, inputs, {create_graph})", "All second derivatives of a number",
      "autograd.hessian(function(x) return x:pow(3):sum() end, tide.tensor{1.0, 2}) --> " ..
        "{{6.0, 0.0}, {0.0, 12.0}}"},
    {"vjp", "(fn, inputs, v?, {create_graph})", "Results, and v times their derivatives",
      "autograd.vjp(function(x) return x:square() end, tide.tensor{1.0, 2}, tide.ones(2)) " ..
        "--> {1.0, 4.0}, {2.0, 4.0}"},
    {"jvp", "(fn, inputs, v?, {create_graph})", "Results, and their derivatives times v",
      "autograd.jvp(function(x) return x:square() end, tide.tensor{1.0, 2}, tide.ones(2)) " ..
        "--> {1.0, 4.0}, {2.0, 4.0}"},
    {"vhp", "(fn, inputs, v, {create_graph})", "A number, and v times its second derivatives",
      "autograd.vhp(function(x) return x:pow(3):sum() end, tide.tensor{1.0, 2}, " ..
        "tide.ones(2)) --> 9.0, {6.0, 12.0}"},
    {"hvp", "(fn, inputs, v, {create_graph})", "A number, and its second derivatives times v",
      "autograd.hvp(function(x) return x:pow(3):sum() end, tide.tensor{1.0, 2}, " ..
        "tide.ones(2)) --> 9.0, {6.0, 12.0}"},
    {"gradgradcheck", "(fn, inputs, {eps, atol, rtol, raise_exception})",
      "Whether gradients of gradients do",
      [[autograd.gradgradcheck(tide.sin, tide.tensor({1.0, 2}, {dtype = "float64", ]] ..
        "requires_grad = true})) --> true"},
  },
  {
    title = "Half types",
    prefix = "tide.amp.",
    {"autocast", "(device?, {dtype, enabled, device_type, cache_enabled}, fn?, ...)", "The same as tide.autocast",
      [[tide.amp.autocast({dtype = "bfloat16"}, function() return tide.ones(2, ]] ..
        [[2):matmul(tide.ones(2, 2)).dtype end) --> "bfloat16"]]},
  },
}

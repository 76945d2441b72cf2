-- The reference of functions of functions.
return {
  {
    title = "Functions of functions",
    prefix = "tide.func.",
    {"grad", "(...)",
      "A function that gives the gradient of fn's number by argument 1, or by those of argnums",
      "tide.func.grad(function(x) return x:square():sum() end)(tide.tensor{1.0, 2}) " ..
        "--> {2.0, 4.0}"},
    {"grad_and_value", "(...)", "As grad, with fn's number behind the gradient",
      "tide.func.grad_and_value(function(x) return x:square():sum() end)(tide.tensor{1.0, 2}) " ..
        "--> {2.0, 4.0}, 5.0"},
    {"vjp", "(fn, primal..., {has_aux})",
      "fn's results, and a function that gives v times the derivatives by each primal",
      "local y, vjp_fn = tide.func.vjp(tide.square, tide.tensor{1.0, 2}); y, vjp_fn(tide.ones(2)) " ..
        "--> {1.0, 4.0}, {2.0, 4.0}"},
    {"jvp", "(...)", "fn's results for a list of primals, and their derivatives times the tangents",
      "tide.func.jvp(tide.square, {tide.tensor{1.0, 2}}, {tide.ones(2)}) " ..
        "--> {1.0, 4.0}, {2.0, 4.0}"},
    {"jacrev", "(...)",
      "A function that gives all derivatives of fn's results, one backward pass for each result",
      "tide.func.jacrev(tide.square)(tide.tensor{1.0, 2}) --> {{2.0, 0.0}, {0.0, 4.0}}"},
    {"jacfwd", "(...)",
      "A function that gives all derivatives of fn's results, one pass for each argument's element",
      "tide.func.jacfwd(tide.square)(tide.tensor{1.0, 2}) --> {{2.0, 0.0}, {0.0, 4.0}}"},
    {"hessian", "(...)", "A function that gives all second derivatives of fn's number",
      "tide.func.hessian(function(x) return x:pow(3):sum() end)(tide.tensor{1.0, 2}) " ..
        "--> {{6.0, 0.0}, {0.0, 12.0}}"},
    {"vmap", "(...)",
      "A function that applies fn, written for one sample, to a batch along a dimension of its " ..
        "arguments (1, or in_dims, where false is none); ops without a rule for batches run " ..
        "sample by sample",
      "tide.func.vmap(function(x, y) return x:dot(y) end)(tide.ones(3, 2), tide.ones(3, 2)) " ..
        "--> {2.0, 2.0, 2.0}"},
    {"stack_module_state", "(models)",
      "Parameters and buffers of modules built alike, stacked: two tables by name",
      "local p = tide.func.stack_module_state{nn.Linear(3, 2), nn.Linear(3, 2)}; " ..
        "p.weight.shape --> {2, 2, 3}"},
  },
}

-- The reference of functions of functions.
return {
  {
    title = "Functions of functions",
    prefix = "tide.func.",
    {"vjp", "(fn, primal..., {has_aux})",
      "fn's results, and a function that gives v times the derivatives by each primal",
      "local y, vjp_fn = tide.func.vjp(tide.square, tide.tensor{1.0, 2}); y, vjp_fn(tide.ones(2)) " ..
        "--> {1.0, 4.0}, {2.0, 4.0}"},
    {"stack_module_state", "(models)",
      "Parameters and buffers of modules built alike, stacked: two tables by name",
      "local p = tide.func.stack_module_state{nn.Linear(3, 2), nn.Linear(3, 2)}; " ..
        "p.weight.shape --> {2, 2, 3}"},
  },
}

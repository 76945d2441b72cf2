-- The table `tide.func`: functions of functions. Each takes a function and gives one that computes
-- its derivatives, or the same for a batch.
local lazy_table = require "tide.internal.lazy_table"

return lazy_table("tide.func", {vmap = "vmap"}, {
  functional = {"functional_call", "stack_module_state"},
  transforms = {"grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "vjp"},
})

-- The table `tide.func`: functions of functions. Each takes a function and gives one that computes
-- its derivatives, or the same for a batch.
local lazy_table = require "tide.internal.lazy_table"

--- Derivatives as functions, modules as functions: see tide.func.NAME.
---@type table
---@example
--- tide.func.grad ~= nil --> true
return lazy_table("tide.func", {vmap = "vmap"}, {
  functional = {"functional_call", "stack_module_state"},
  transforms = {"grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "vjp"},
})

-- The table `tide.nn.utils`: gradient clipping, parameters as a vector, padded sequences, parametrized weights,
-- fused norms and pruning.
local lazy_table = require "tide.internal.lazy_table"

--- Gradient clipping, parameters as a vector, pruning and more: see tide.nn.utils.NAME.
---@type table
---@example
--- nn.utils.clip_grad_norm_ ~= nil --> true
return lazy_table("tide.nn.utils", {
  parametrizations = "parametrizations", parametrize = "parametrize", prune = "prune", rnn = "rnn",
}, {
  fusion = {"fuse_conv_bn_eval", "fuse_linear_bn_eval"},
  clip = {"clip_grad_norm_", "clip_grad_value_", "get_total_norm"},
  vector = {"parameters_to_vector", "vector_to_parameters"},
  weights = {"remove_spectral_norm", "remove_weight_norm", "spectral_norm", "weight_norm"},
})

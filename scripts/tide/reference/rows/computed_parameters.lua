-- The reference of parameters that are computed from others.
local prelude = "local prune, layer = nn.utils.prune, nn.Linear(2, 1, {bias = false}); " ..
  "layer.weight.data = tide.tensor{{0.5, -3}}; "

return {
  {
    title = "Pruning",
    prefix = "tide.nn.utils.prune.",
    {"L1Unstructured", "", "For global_unstructured: the elements nearest to zero",
      "nn.utils.prune.L1Unstructured ~= nil --> true"},
    {"RandomUnstructured", "", "For global_unstructured: elements that chance picks",
      "nn.utils.prune.RandomUnstructured ~= nil --> true"},
  },
}

-- The reference of parameters that are computed from others.
local prelude = "local prune, layer = nn.utils.prune, nn.Linear(2, 1, {bias = false}); " ..
  "layer.weight.data = tide.tensor{{0.5, -3}}; "

return {
  {
    title = "Parameters computed by modules",
    prefix = "tide.nn.utils.parametrize.",
    {"register_parametrization", "(...)",
      "Lets parametrization(original) stand for a parameter; the original, which its method " ..
        "right_inverse(value) finds, now and when a value is assigned, is trained. Returns the " ..
        "module",
      "local Exp = tide.class(\"Exp\", nn.Module); function Exp:forward(x) return x:exp() end; " ..
        "function Exp:right_inverse(y) return y:log() end; local layer = nn.Linear(1, 1); " ..
        "layer.weight.data = tide.ones(1, 1); " ..
        "nn.utils.parametrize.register_parametrization(layer, \"weight\", Exp()); " ..
        "layer.weight, layer.parametrizations.weight.original --> {{1.0}}, {{0.0}}"},
    {"remove_parametrizations", "(...)",
      "Makes the parameter one of its own again, with the value that was computed",
      "local layer = nn.utils.parametrizations.orthogonal(nn.Linear(2, 2)); " ..
        "nn.utils.parametrize.remove_parametrizations(layer, \"weight\"); " ..
        "#layer:parameters() --> 2"},
    {"is_parametrized", "(module, name?)", "Whether a parameter is computed so",
      "local layer = nn.utils.parametrizations.orthogonal(nn.Linear(2, 2)); " ..
        "nn.utils.parametrize.is_parametrized(layer, \"weight\") --> true"},
  },
  {
    title = "Parameters of a form",
    prefix = "tide.nn.utils.parametrizations.",
    {"orthogonal", "(...)",
      "Keeps a matrix orthogonal, by \"matrix_exp\", \"cayley\" or \"householder\"; computed when " ..
        "it is read. Returns the module",
      "local layer = nn.utils.parametrizations.orthogonal(nn.Linear(3, 2)); local w = layer.weight; " ..
        "w:matmul(w.T):allclose(tide.eye(2), 0, 1e-5) --> true"},
  },
  {
    title = "Pruning",
    prefix = "tide.nn.utils.prune.",
    {"identity", "(...)", "A mask of ones: nothing is pruned",
      prelude .. "prune.identity(layer, \"weight\"); layer.weight --> {{0.5, -3.0}}"},
    {"random_unstructured", "(...)",
      "Elements that chance picks become zero: so many, or a share as a float",
      prelude .. "prune.random_unstructured(layer, \"weight\", 0.5); " ..
        "layer.weight:count_nonzero() --> 1"},
    {"l1_unstructured", "(...)",
      "The elements nearest to zero become zero; weight_orig is trained, weight_mask saved",
      prelude .. "prune.l1_unstructured(layer, \"weight\", 1); layer.weight --> {{0.0, -3.0}}"},
    {"random_structured", "(...)", "Slices along dim that chance picks become zero",
      prelude .. "prune.random_structured(layer, \"weight\", 1, 2); " ..
        "layer.weight:count_nonzero() --> 1"},
    {"ln_structured", "(...)", "The slices along dim with the least n-norm become zero",
      prelude .. "prune.ln_structured(layer, \"weight\", 1, 2, 2); layer.weight --> {{0.0, -3.0}}"},
    {"global_unstructured", "(...)",
      "The elements of all the parameters together that matter least become zero",
      prelude .. "prune.global_unstructured({{layer, \"weight\"}}, prune.L1Unstructured, " ..
        "{amount = 0.5}); layer.weight --> {{0.0, -3.0}}"},
    {"custom_from_mask", "(...)", "What the mask has 0 for becomes zero",
      prelude .. "prune.custom_from_mask(layer, \"weight\", tide.tensor{{0, 1}}); " ..
        "layer.weight --> {{0.0, -3.0}}"},
    {"remove", "(module, name)", "Makes the pruned parameter the module's own again, with its zeros",
      prelude .. "prune.remove(prune.l1_unstructured(layer, \"weight\", 1), \"weight\"); " ..
        "#layer:buffers() --> 0"},
    {"is_pruned", "(module)", "Whether a parameter of the module or of one below it is pruned",
      "local prune = nn.utils.prune; " ..
        "prune.is_pruned(nn.Sequential(prune.identity(nn.Linear(2, 1), \"bias\"))) --> true"},
    {"L1Unstructured", "", "For global_unstructured: the elements nearest to zero",
      "nn.utils.prune.L1Unstructured ~= nil --> true"},
    {"RandomUnstructured", "", "For global_unstructured: elements that chance picks",
      "nn.utils.prune.RandomUnstructured ~= nil --> true"},
  },
}

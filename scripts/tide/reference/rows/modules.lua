-- The reference of what every module has, and of what serves their parameters.
return {
  {
    title = "Methods of modules",
    prefix = "module:",
    {"parameters", "()", "A list of all parameters, for an optimizer",
      "#nn.Linear(3, 2):parameters() --> 2"},
    {"named_parameters", "()", "Iterates over names, as in state_dict, and parameters",
      "local names = {}; " ..
        "for name in nn.Linear(3, 2):named_parameters() do names[#names + 1] = name end; " ..
        [[names --> {"weight", "bias"}]]},
    {"buffers", "()", "A list of the tensors that are saved but not trained",
      "#nn.BatchNorm1d(3):buffers() --> 3"},
    {"named_buffers", "()", "Iterates over names and buffers",
      "local names = {}; " ..
        "for name in nn.BatchNorm1d(3):named_buffers() do names[#names + 1] = name end; " ..
        [[names --> {"running_mean", "running_var", "num_batches_tracked"}]]},
    {"modules", "()", "A list of the module and all below it",
      "#nn.Sequential(nn.Linear(3, 2), nn.ReLU()):modules() --> 3"},
    {"named_modules", "()", "Iterates over names and modules, the module itself first",
      "local names = {}; for name in nn.Sequential(nn.ReLU()):named_modules() do " ..
        [[names[#names + 1] = name end; names --> {"", "0"}]]},
    {"children", "()", "A list of the modules right below",
      "#nn.Sequential(nn.Linear(3, 2), nn.ReLU()):children() --> 2"},
    {"named_children", "()", "Iterates over the names, as in Lua, and modules right below",
      "local n = 0; " ..
        "for name, child in nn.Sequential(nn.ReLU()):named_children() do n = n + 1 end; " ..
        "n --> 1"},
    {"load_state_dict", "(state, {strict})", "Copies tensors by name into the module's",
      "local a, b = nn.Linear(3, 2), nn.Linear(3, 2); b:load_state_dict(a:state_dict()); " ..
        "b.weight:equal(a.weight) --> true"},
    {"register_state_dict_pre_hook", "(fn)",
      "Calls fn(module, prefix, keep_vars) before the module's tensors go into a state_dict",
      "local layer, n = nn.Linear(1, 1), 0; " ..
        "layer:register_state_dict_pre_hook(function() n = n + 1 end); layer:state_dict(); n --> 1"},
    {"register_state_dict_post_hook", "(fn)",
      "Calls fn(module, state, prefix) when the module's tensors are in; it may change the state",
      "local layer = nn.Linear(1, 1); layer:register_state_dict_post_hook(" ..
        "function(m, state) state.bias = nil end); layer:state_dict().bias --> nil"},
    {"register_load_state_dict_pre_hook", "(fn)",
      "Calls fn(module, state, prefix, strict) before a state is loaded; it may change the state",
      "local layer = nn.Linear(1, 1, {bias = false}); layer:register_load_state_dict_pre_hook(" ..
        "function(m, state) state.weight, state.w = state.w, nil end); " ..
        "layer:load_state_dict {w = tide.ones(1, 1)}; layer.weight --> {{1.0}}"},
    {"register_load_state_dict_post_hook", "(fn)",
      "Calls fn(module, {missing_keys, unexpected_keys}) after loading; it may change the lists",
      "local layer = nn.Linear(1, 1); layer:register_load_state_dict_post_hook(" ..
        "function(m, keys) keys.missing_keys = {} end); " ..
        "layer:load_state_dict {weight = tide.ones(1, 1)}; layer.weight --> {{1.0}}"},
    {"to", "(device | dtype | {device, dtype, non_blocking, memory_format})",
      "Moves or converts parameters and buffers in place",
      [[nn.Linear(3, 2):to("float64").weight.dtype --> "float64"]]},
    {"cpu", "()", "Moves to the cpu",
      "nn.Linear(3, 2):cpu().weight.device --> cpu"},
    {"cuda", "(index?)", "Moves to a GPU",
      "local layer = nn.Linear(3, 2); " ..
        "pcall(layer.cuda, layer) == tide.cuda.is_available() --> true"},
    {"float", "()", "Converts to float32",
      [[nn.Linear(3, 2, {dtype = "float64"}):float().weight.dtype --> "float32"]]},
    {"double", "()", "Converts to float64",
      [[nn.Linear(3, 2):double().weight.dtype --> "float64"]]},
    {"half", "()", "Converts to float16",
      [[nn.Linear(3, 2):half().weight.dtype --> "float16"]]},
    {"bfloat16", "()", "Converts to bfloat16",
      [[nn.Linear(3, 2):bfloat16().weight.dtype --> "bfloat16"]]},
    {"train", "(mode?)", "Training behaviour on, or with false off",
      "nn.Dropout():eval():train().training --> true"},
    {"eval", "()", "Training behaviour off",
      "nn.Dropout():eval().training --> false"},
    {"zero_grad", "()", "Drops the gradients of all parameters",
      "local layer = nn.Linear(3, 2); layer(tide.ones(3)):sum():backward(); " ..
        "layer:zero_grad(); layer.weight.grad"},
    {"requires_grad_", "(on?)", "Says whether the parameters are trained",
      "nn.Linear(3, 2):requires_grad_(false).weight.requires_grad --> false"},
    {"clone", "()", "A module of its own with the same values",
      "local a = nn.Linear(3, 2); local b = a:clone(); b.weight:equal(a.weight) --> true"},
    {"get_submodule", "(path)", "The module at a path of names as in state_dict",
      [[nn.Sequential(nn.Linear(3, 2)):get_submodule("0").weight.shape --> {2, 3}]]},
    {"get_parameter", "(path)", "The parameter or buffer of a name as in state_dict",
      [[nn.Sequential(nn.Linear(3, 2)):get_parameter("0.bias").shape --> {2}]]},
    {"register_forward_hook", "(fn)", "Calls fn(module, inputs, output) after each forward",
      "local layer = nn.Identity(); local seen; " ..
        "layer:register_forward_hook(function(m, x, y) seen = y end); layer(tide.ones(2)); " ..
        "seen --> {1.0, 1.0}"},
    {"register_forward_pre_hook", "(fn)", "Calls fn(module, inputs) before each forward",
      "local layer = nn.Identity(); local n = 0; " ..
        "layer:register_forward_pre_hook(function() n = n + 1 end); layer(tide.ones(2)); " ..
        "n --> 1"},
    {"register_full_backward_hook", "(fn)",
      "Calls fn(module, input_gradients, output_gradients) when backward has come through",
      "local layer = nn.Linear(2, 1); local shape; layer:register_full_backward_hook(" ..
        "function(m, inputs, outputs) shape = outputs[1].shape end); " ..
        "layer(tide.ones(3, 2)):sum():backward(); shape --> {3, 1}"},
    {"register_full_backward_pre_hook", "(fn)",
      "Calls fn(module, output_gradients) before backward comes through",
      "local layer = nn.Linear(2, 1); layer:register_full_backward_pre_hook(" ..
        "function(m, gradients) return gradients[1] * 2 end); " ..
        "layer(tide.ones(3, 2)):sum():backward(); layer.bias.grad --> {6.0}"},
    {"apply", "(fn)", "Calls fn(module) for all below, then for the module",
      "local n = 0; " ..
        "nn.Sequential(nn.Linear(3, 2), nn.ReLU()):apply(function(m) n = n + 1 end); n --> 3"},
    {"parameter", "(name, shape, initialise)", "Makes a parameter where the module lies",
      [[local m = nn.Module(); m:parameter("w", {2}, nn.init.ones_); m.w --> {1.0, 1.0}]]},
    {"register_parameter", "(name, tensor)", "Keeps a tensor as a parameter",
      [[local m = nn.Module(); m:register_parameter("w", tide.ones(2)); #m:parameters() --> 1]]},
    {"register_buffer", "(name, tensor)", "Keeps a tensor that is saved and moved, not trained",
      [[local m = nn.Module(); m:register_buffer("mean", tide.zeros(2)); #m:buffers() --> 1]]},
    {"keep_computed", "(name, tensor)", "Keeps a tensor that is neither saved nor trained",
      "local net = nn.Module(); net:keep_computed(\"w\", tide.ones(2)); #net:parameters() --> 0"},
    {"add_module", "(name, module)", "Keeps a module as a child",
      [[local m = nn.Module(); m:add_module("first", nn.ReLU()); #m:children() --> 1]]},
    {"optional", "(name...)",
      "Said of a class: its objects may lack these fields, which are nil then",
      "local Net = tide.class(\"Net\", nn.Module); Net:optional \"cache\"; Net().cache --> nil"},
    {"placement", "()", "Device and type of new parameters",
      [[nn.Linear(3, 2):to("float64"):placement().dtype --> "float64"]]},
    {"place", "({device, dtype})", "Sets device and type of new parameters",
      [[local m = nn.Module(); m:place({dtype = "float64"}); ]] ..
        [[m:parameter("w", {2}, nn.init.ones_); m.w.dtype --> "float64"]]},
    {"describe", "()", "The sizes shown behind the class's name",
      [[nn.Linear(3, 2):describe() --> "3 -> 2"]]},
    {"extra_repr", "()", "What tostring shows beside the children: describe(), unless a class says",
      [[nn.Linear(3, 2):extra_repr() --> "3 -> 2"]]},
    {"forward", "(x...)", "What the module computes: every class defines it",
      "nn.ReLU():forward(tide.tensor{-1, 2}) --> {0, 2}"},
  },
  {
    title = "Gradients and parameters together",
    prefix = "tide.nn.utils.",
    {"parametrizations", "", "Parameters kept orthogonal: see tide.nn.utils.parametrizations.NAME",
      "nn.utils.parametrizations.orthogonal(nn.Linear(2, 2)) ~= nil --> true"},
    {"parametrize", "", "Parameters computed by modules: see tide.nn.utils.parametrize.NAME",
      "nn.utils.parametrize.is_parametrized(nn.Linear(2, 2)) --> false"},
    {"prune", "", "Parts of parameters kept at zero: see tide.nn.utils.prune.NAME",
      "nn.utils.prune.is_pruned(nn.Linear(2, 2)) --> false"},
    {"rnn", "", "Sequences of different lengths: see tide.nn.utils.rnn.NAME",
      "nn.utils.rnn.pad_sequence({tide.tensor{1, 2}, tide.tensor{3}}, {batch_first = true}) " ..
        "--> {{1, 2}, {3, 0}}"},
  },
  {
    title = "Sequences of different lengths",
    prefix = "tide.nn.utils.rnn.",
    {"unpack_sequence", "(packed)", "The list of sequences that a PackedSequence holds",
      "local rnn = nn.utils.rnn; " ..
        "rnn.unpack_sequence(rnn.pack_sequence{tide.tensor{1, 2}, tide.tensor{3}}) " ..
        "--> {{1, 2}, {3}}"},
  },
}

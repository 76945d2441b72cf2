-- The reference of layers, losses and containers.
return {
  {
    title = "Layers, losses and containers",
    prefix = "tide.nn.",
    {"Module", "()",
      "The base of all layers: assign parameters and modules to fields, define forward(x)",
      [[local Twice = tide.class("Twice", nn.Module); ]] ..
        "function Twice:forward(x) return 2 * x end; Twice()(tide.ones(2)) --> {2.0, 2.0}"},
    {"Sequential", "(module... | {name, module}...)",
      "Runs modules one after the other; net[1] is the first. A child {name, module} is net.name, " ..
        "too; net:append(child), insert(position, child), extend(children), pop(position)",
      "local net = nn.Sequential({\"linear\", nn.Linear(3, 2)}, nn.ReLU()); net:pop(); " ..
        "net(tide.ones(4, 3)).shape, net.linear.weight.shape --> {4, 2}, {2, 3}"},
    {"Identity", "()", "Gives back what it gets",
      "nn.Identity()(tide.tensor{1, 2}) --> {1, 2}"},
    {"ModuleList", "(modules)", "Modules in a list: list[1], list:append(module), insert, extend, pop",
      "#nn.ModuleList{nn.Linear(3, 2), nn.ReLU()} --> 2"},
    {"ModuleDict", "(modules)", "Modules by name: dict.name, dict:items()",
      "nn.ModuleDict({first = nn.Linear(3, 2)}).first(tide.ones(3)).shape --> {2}"},
    {"ParameterList", "(tensors)", "Parameters in a list",
      "#nn.ParameterList{tide.ones(2), tide.ones(3)} --> 2"},
    {"ParameterDict", "(tensors)", "Parameters by name",
      "nn.ParameterDict({w = tide.ones(2)}).w.requires_grad --> true"},
    {"utils", "", "Gradients kept small, parameters as a vector: see tide.nn.utils.NAME",
      "nn.utils.clip_grad_norm_ ~= nil --> true"},
    {"Parameter", "(tensor)", "A tensor that the module it is assigned to trains",
      "nn.Parameter(tide.ones(2)).requires_grad --> true"},
    {"functional", "", "Layers as functions: see tide.nn.functional.NAME",
      "tide.nn.functional.relu(tide.tensor{-1, 2}) --> {0, 2}"},
    {"init", "", "Starting values: see tide.nn.init.NAME",
      "tide.nn.init.ones_(tide.zeros(2)) --> {1.0, 1.0}"},
  },
}

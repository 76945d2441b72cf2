-- The reference of what shows how a training is: tide.watch and tide.memory.
local kWatch = "local net = tide.nn.Sequential(tide.nn.Linear(2, 3), tide.nn.ReLU()); " ..
  "local w = tide.watch(net); "
local kStep = kWatch .. "net(tide.ones(1, 2)):sum():backward(); w:step(); "

return {
  {
    title = "Watching a network",
    prefix = "tide.",
    {"watch", "(net, {optimizer, every})",
      "Statistics of inputs, activations, parameters, gradients and updates by layer, in the first step and then " ..
        "each `every`-th (1): mean, std, min and max of finite values; shares of 0, nan and inf; dead units of " ..
        "ReLUs (0 in the last 10 samples); the ratio of the norms of update and parameter. A step ends with the " ..
        "optimizer's, or with watch:step(). Nothing is read before it is asked for, and no bit of the training " ..
        "changes. print(watch) shows the newest sample and what was nan or infinite first. 100 samples are kept",
      "local net = tide.nn.Linear(2, 1); local w <close> = tide.watch(net, {every = 10}); " ..
        "net(tide.ones(1, 2)):sum():backward(); w:step(); #w:table() --> 8"},
  },
  {
    title = "Methods of watches",
    prefix = "watch:",
    {"step", "()", "Ends a step, where no optimizer was given: behind its step, while the gradients are there",
      kWatch .. "w:step(); tostring(w) --> \"watch of Sequential: no step yet\""},
    {"table", "()", "The newest sample: a list of rows {step, kind, layer, class, name, parameter, number, line, " ..
        "size, mean, std, min, max, zeros, nan, inf, units, dead, ratio}; kind is input, activation, parameter, " ..
        "gradient or update, number that of an output of a module that gave several. Waits once",
      kStep .. "w:table()[1].kind --> \"input\""},
    {"rows", "()", "The rows of all samples that are kept, oldest first, as for a plot. Waits once",
      kStep .. "w:rows()[2].layer --> \"net[1]\""},
    {"log", "(logger, step?)", "Logs the newest sample by tags such as gradient/0.weight/std, at its step or another",
      kStep .. "local tags = 0; w:log({log_metrics = function(_, metrics) for _ in pairs(metrics) do tags = tags " ..
        "+ 1 end end}); tags --> 66"},
    {"first_nonfinite", "()", "What was nan or infinite first: {step, kind, layer, class, parameters, line, " ..
        "text}, or nil. Waits once",
      kWatch .. "net(tide.full({1, 2}, 0 / 0)); w:first_nonfinite().text --> " ..
        "\"the input of net (Sequential) has nan or infinite values\""},
    {"register_hook", "(fn)", "Calls fn(w) behind each step that was looked at; returns a function that takes the " ..
        "hook away", kWatch .. "local remove = w:register_hook(function(watch) end); remove()"},
    {"close", "()", "Ends the watch; what was seen stays. A local <close> does so by itself", kWatch .. "w:close()"},
  },
  {
    title = "Who holds memory",
    prefix = "tide.memory.",
    {"snapshot", "(device?, {names})",
      "Who holds the device's memory: a table that is shown as one, with device, allocated, peak, cached, limit; " ..
        "holders, a list of {line, bytes, blocks, names}; at_peak, the same at the peak, without names; tensors, " ..
        "a list of {name, line, bytes}; all largest first. Names are those of variables, fields, parameters and " ..
        "states of optimizers; names has further values by name. Collects garbage and waits",
      "local x = tide.ones(1000); local s = tide.memory.snapshot(); s.tensors[1].name --> \"x\""},
    {"diff", "(a, b)",
      "What grew between two snapshots of a device: allocated, and holders by line; what is held no more is negative",
      "local a = tide.memory.snapshot(); local x = tide.ones(1000); " ..
        "tide.memory.diff(a, tide.memory.snapshot()).holders[1].names[1] --> \"x\""},
  },
}

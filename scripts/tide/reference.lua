-- The reference of what is written in Lua: per family, how each name is called and what it does.
-- (What is written in C++ has its reference in the rows that it is registered from.)
local native = require "tide.native"
local tide = require "tide"

local help = native.help

local families = {
  {
    title = "Layers, losses and containers",
    prefix = "tide.nn.",
    {"Module", "()",
      "The base of all layers: assign parameters and modules to fields, define forward(x)"},
    {"Sequential", "(module...)", "Runs modules one after the other; net[1] is the first"},
    {"Linear", "(in_features, out_features, {bias, device, dtype})", "y = x W' + b"},
    {"LazyLinear", "(out_features, {bias, device, dtype})",
      "A Linear that learns its inputs from the first batch"},
    {"Dense", "(units, {activation, use_bias, flatten})",
      "Gluon's lazy linear layer with an activation"},
    {"Conv2d",
      "(in_channels, out_channels, kernel_size, {stride, padding, dilation, groups, bias, ...})",
      "Convolution of images (n, channels, height, width)"},
    {"MaxPool2d", "(kernel_size, {stride, padding, dilation, return_indices, ceil_mode})",
      "The largest value of each window"},
    {"ReLU", "()", "max(x, 0)"},
    {"Sigmoid", "()", "1 / (1 + exp(-x))"},
    {"Tanh", "()", "The hyperbolic tangent"},
    {"Flatten", "({start_dim, end_dim})", "Joins dimensions, by default all but the first"},
    {"Dropout", "({p})", "In training zeros a share p of the elements and scales the others up"},
    {"CrossEntropyLoss", "({weight, ignore_index, reduction, label_smoothing})",
      "Cross entropy of scores (n, classes) and classes (n), counted from 1"},
    {"MSELoss", "({reduction})", "The mean squared difference of two tensors of one shape"},
    {"Parameter", "(tensor)", "A tensor that the module it is assigned to trains"},
    {"functional", "", "Layers as functions: see tide.nn.functional.NAME"},
    {"init", "", "Starting values: see tide.nn.init.NAME"},
  },
  {
    title = "Layers as functions, composed in Lua",
    prefix = "tide.nn.functional.",
    {"glu", "(x, dim?)", "One half of x, gated by the sigmoid of the other"},
    {"prelu", "(x, weight)", "x where it is positive, else weight * x"},
  },
  {
    title = "Methods of modules",
    prefix = "module:",
    {"parameters", "()", "A list of all parameters, for an optimizer"},
    {"named_parameters", "()", "Iterates over names, as in state_dict, and parameters"},
    {"buffers", "()", "A list of the tensors that are saved but not trained"},
    {"named_buffers", "()", "Iterates over names and buffers"},
    {"modules", "()", "A list of the module and all below it"},
    {"named_modules", "()", "Iterates over names and modules, the module itself first"},
    {"children", "()", "A list of the modules right below"},
    {"named_children", "()", "Iterates over the names, as in Lua, and modules right below"},
    {"state_dict", "()", "All parameters and buffers by PyTorch's names"},
    {"load_state_dict", "(state, {strict})", "Copies tensors by name into the module's"},
    {"to", "(device | dtype | {device, dtype})",
      "Moves or converts parameters and buffers in place"},
    {"cpu", "()", "Moves to the cpu"},
    {"cuda", "(index?)", "Moves to a GPU"},
    {"float", "()", "Converts to float32"},
    {"double", "()", "Converts to float64"},
    {"half", "()", "Converts to float16"},
    {"bfloat16", "()", "Converts to bfloat16"},
    {"train", "(mode?)", "Training behaviour on, or with false off"},
    {"eval", "()", "Training behaviour off"},
    {"zero_grad", "()", "Drops the gradients of all parameters"},
    {"requires_grad_", "(on?)", "Says whether the parameters are trained"},
    {"apply", "(fn)", "Calls fn(module) for all below, then for the module"},
    {"initialize", "({ctx, init})", "Gluon's word: moves, and fills the weights"},
    {"parameter", "(name, shape, initialise)", "Makes a parameter where the module lies"},
    {"register_parameter", "(name, tensor)", "Keeps a tensor as a parameter"},
    {"register_buffer", "(name, tensor)", "Keeps a tensor that is saved and moved, not trained"},
    {"add_module", "(name, module)", "Keeps a module as a child"},
    {"placement", "()", "Device and type of new parameters"},
    {"place", "({device, dtype})", "Sets device and type of new parameters"},
    {"describe", "()", "The sizes shown behind the class's name"},
    {"forward", "(x...)", "What the module computes: every class defines it"},
  },
  {
    title = "Starting values",
    prefix = "tide.nn.init.",
    {"uniform_", "(tensor, a?, b?)", "Uniform in a..b (0..1)"},
    {"normal_", "(tensor, mean?, std?)", "Normal (0, 1)"},
    {"constant_", "(tensor, value)", "One value"},
    {"zeros_", "(tensor)", "Zeros"},
    {"ones_", "(tensor)", "Ones"},
    {"xavier_uniform_", "(tensor, {gain})", "Glorot's uniform start"},
    {"xavier_normal_", "(tensor, {gain})", "Glorot's normal start"},
    {"kaiming_uniform_", "(tensor, {a, mode, nonlinearity})", "He's uniform start"},
    {"kaiming_normal_", "(tensor, {a, mode, nonlinearity})", "He's normal start"},
    {"calculate_gain", "(nonlinearity, param?)", "The gain that suits a nonlinearity"},
    {"fan_in_uniform", "(inputs)", "A function that fills uniformly within 1 / sqrt(inputs)"},
  },
  {
    title = "Optimizers",
    prefix = "tide.optim.",
    {"Optimizer", "(params, options, defaults)",
      "The base of all optimizers: define update(parameter, grad, state, group)"},
    {"SGD", "(params, {lr, momentum, dampening, weight_decay, nesterov, maximize})",
      "Gradient descent"},
    {"Adam", "(params, {lr, betas, eps, weight_decay, amsgrad, maximize})",
      "Steps scaled by running means of the gradient and its square"},
    {"AdamW", "(params, {lr, betas, eps, weight_decay, amsgrad, maximize})",
      "Adam with decoupled weight decay"},
  },
  {
    title = "Methods of optimizers",
    prefix = "optimizer:",
    {"step", "()", "Updates all parameters that have a gradient; never waits"},
    {"zero_grad", "()", "Drops all gradients"},
    {"add_param_group", "({params, lr, ...})", "Adds parameters with options of their own"},
    {"state_dict", "()", "All that is needed to go on later"},
    {"load_state_dict", "(state)", "Takes over a saved state"},
  },
  {
    title = "Data",
    prefix = "tide.data.",
    {"TensorDataset", "(tensor...)", "Samples that are the rows of tensors"},
    {"DataLoader", "(dataset, {batch_size, shuffle, drop_last})",
      "Walks a data set in batches: for x, y in loader:iter()"},
    {"digits", "()", "Images (1797, 8, 8) and labels of handwritten digits"},
  },
  {
    title = "Tests",
    prefix = "tide.test.",
    {"describe", "(name, fn)", "A group of tests; fn is called with each device in turn"},
    {"it", "(name, fn)", "One test; fails if fn raises an error"},
    {"pending", "(name)", "A test that cannot run yet, or not here"},
    {"before_each", "(fn)", "Runs before each test of the group"},
    {"after_each", "(fn)", "Runs after each test of the group, also if it failed"},
    {"close", "(got, expected, {rtol, atol})", "Asserts equality up to rounding"},
    {"equal", "(got, expected)",
      "Asserts equal type, shape and values, or equal contents of tables"},
    {"identical", "(got, expected)", "Asserts equal bits"},
    {"is_true", "(value)", "Asserts something other than nil and false"},
    {"is_false", "(value)", "Asserts nil or false"},
    {"is_nil", "(value)", "Asserts nil"},
    {"raises", "(message, fn, ...)",
      "Asserts an error whose text contains the message; returns the text"},
    {"run", "({filter, devices, list, report})", "Runs the tests registered so far"},
  },
  {
    title = "Helpers",
    prefix = "tide.",
    {"args", "({name = default, ...})", "The script's arguments by name: --epochs 5"},
    {"progress", "(n | list | iterator, {label, total})",
      "Walks it while a line shows how far it is"},
    {"class", "(name, base?)", "A class with single inheritance; calling it makes an object"},
  },
}

--- All entries: {name, signature, doc, family}, as those of C++.
local function make_entries()
  local list = {}
  for _, family in ipairs(families) do
    for _, row in ipairs(family) do
      list[#list + 1] = {
        name = row[1],
        signature = family.prefix .. row[1] .. row[2],
        called_as = family.prefix .. row[1],
        doc = row[3],
        family = family.title,
      }
    end
  end
  return list
end

--- The value that a name like "tide.nn.Linear" stands for; nil for methods.
local function value_of(path)
  local value = {tide = tide}
  for name in path:gmatch "[^.]+" do
    if type(value) ~= "table" then return nil end
    value = value[name]
  end
  return value
end

local entries = make_entries()

--- tide.help finds a text by the name, bare or in full, the value itself, or the family.
local function add(key, text)
  if key == nil then return end
  help[key] = help[key] and help[key] .. "\n" .. text or text
end

for _, entry in ipairs(entries) do
  local text = entry.signature .. "\n    " .. entry.doc
  add(entry.name, text)
  add(entry.called_as, text)
  if not entry.called_as:find ":" then add(value_of(entry.called_as), text) end
  add(entry.family, entry.signature)
end

return entries

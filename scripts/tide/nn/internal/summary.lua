-- Module:summary: output shape, parameters and multiply-adds of each layer of a network.
local class = require "tide.internal.class"
local reader = require "tide.internal.declare.reader"
local fields = require "tide.nn.internal.module_fields"
local kind_of = require "tide.internal.kind_of"
local raise = require "tide.internal.raise"
local tide = require "tide"

--- The first tensor among values that may be lists of tensors or packed sequences.
local function first_tensor(value)
  if tide.is_tensor(value) then return value end
  if type(value) ~= "table" then return nil end
  if getmetatable(value) then return first_tensor(rawget(value, "data")) end
  for _, entry in ipairs(value) do
    local found = first_tensor(entry)
    if found then return found end
  end
end

-- Multiply-adds ------------------------------------------------------------------------------------

--- The number of rows, which are along the last dimension.
local function rows_of(x) return x:numel() // math.max(1, x:size(-1)) end

--- The number of elements of the module's own matrix parameters.
local function matrix_elements(module)
  local count = 0
  for _, parameter in fields.each(module, "parameter") do
    if parameter:dim() >= 2 then count = count + parameter:numel() end
  end
  return count
end

local function by_row(module, inputs)
  return matrix_elements(module) * rows_of(first_tensor(inputs))
end

-- Multiply-adds by the class of the layer or its base classes, without those of its children.
local products = {
  Linear = by_row, Bilinear = by_row, RNN = by_row, LSTM = by_row, GRU = by_row, RNNCell = by_row,
  LSTMCell = by_row, GRUCell = by_row,
  -- Each element of the weight is used at each position of the output, or, if transposed, of the input.
  Convolution = function(module, _, output)
    return module.weight:numel() * (output:numel() // math.max(1, module.out_channels))
  end,
  Transposed = function(module, inputs)
    return module.weight:numel() * (inputs[1]:numel() // math.max(1, module.in_channels))
  end,
  -- The projections of query, key and value, the scores, and the weighted sums.
  MultiheadAttention = function(module, inputs)
    local query, key = inputs[1], inputs[2] or inputs[1]
    local length = module.batch_first and 2 or 1
    local keys = key:size(query:dim() == 3 and length or 1)
    return by_row(module, inputs) + 2 * rows_of(query) * keys * module.embed_dim
  end,
}

local function multiply_adds(module, inputs, output)
  local made = getmetatable(module)
  while made do
    local count = products[rawget(made, "name")]
    if count then return count(module, inputs, output) end
    made = rawget(made, "base")
  end
  return 0
end

-- Counting -----------------------------------------------------------------------------------------

--- Elements and bytes of a module's own parameters and buffers; a shared tensor is counted once.
local function count_own(module, seen)
  local own = {parameters = 0, trainable = 0, bytes = 0}
  for _, kind in ipairs {"parameter", "buffer"} do
    for _, tensor in fields.each(module, kind) do
      if not seen[tensor] then
        seen[tensor] = true
        own.bytes = own.bytes + tensor.nbytes
        if kind == "parameter" then
          own.parameters = own.parameters + tensor:numel()
          if tensor.requires_grad then own.trainable = own.trainable + tensor:numel() end
        end
      end
    end
  end
  return own
end

--- Runs the network in evaluation mode, and records the outputs of the layers (by module).
local function run(net, inputs, by_module)
  local undo, modes = {}, {}
  for module, layer in pairs(by_module) do
    modes[module] = module.training
    undo[#undo + 1] = module:register_forward_hook(function(_, given, output)
      local result = first_tensor(output)
      if not result then return end
      layer.calls = layer.calls + 1
      layer.output_shape = layer.output_shape or result.shape
      layer.output_bytes = layer.output_bytes + result.nbytes
      layer.mult_adds = layer.mult_adds + multiply_adds(module, given, result)
    end)
  end
  net:eval()
  local ok, message = pcall(tide.no_grad, net, table.unpack(inputs, 1, inputs.n))
  for _, remove in ipairs(undo) do remove() end
  for module, training in pairs(modes) do module.training = training end
  if not ok then error(message, 0) end
end

--- An entry for each module, parents first, and the entries by module.
local function make_layers(net)
  local layers, by_module = {}, {}
  for path, module in net:named_modules() do
    local depth = path == "" and 0 or select(2, path:gsub("%.", "")) + 1
    local layer = {
      name = path, type = getmetatable(module).name, depth = depth, calls = 0, output_bytes = 0,
      mult_adds = 0, parameters = 0,
    }
    layers[#layers + 1], by_module[module] = layer, layer
  end
  return layers, by_module
end

-- Text ---------------------------------------------------------------------------------------------

--- "1,234,567".
local function grouped(count)
  local text = tostring(count):reverse():gsub("(%d%d%d)", "%1,"):reverse()
  return (text:gsub("^,", ""))
end

local function megabytes(bytes) return ("%.2f MB"):format(bytes / 1e6) end

local Summary = class("Summary")

--- A table with a line for each layer down to `depth`, followed by the totals.
function Summary:__tostring()
  local rows = {{"Layer", "Output shape", "Parameters", "Mult-adds"}}
  for _, layer in ipairs(self.layers) do
    if layer.depth <= self.depth then
      local own = layer.name:match "[^.]*$"
      local shape = layer.output_shape
      rows[#rows + 1] = {
        ("  "):rep(layer.depth) .. layer.type .. (own ~= "" and " " .. own or ""),
        shape and "(" .. table.concat(shape, ", ") .. ")" or "-",
        layer.total_parameters > 0 and grouped(layer.total_parameters) or "-",
        layer.total_mult_adds > 0 and grouped(layer.total_mult_adds) or "-",
      }
    end
  end
  local widths = {0, 0, 0, 0}
  for _, row in ipairs(rows) do
    for i, text in ipairs(row) do widths[i] = math.max(widths[i], #text) end
  end
  local form = ("%%-%ds  %%-%ds  %%%ds  %%%ds"):format(table.unpack(widths))
  local lines = {}
  for i, row in ipairs(rows) do lines[i] = form:format(table.unpack(row)) end
  local rule = ("-"):rep(#lines[1])
  table.insert(lines, 2, rule)
  lines[#lines + 1] = rule
  lines[#lines + 1] = ("Parameters: %s, trainable: %s, mult-adds: %s"):format(
    grouped(self.parameters), grouped(self.trainable), grouped(self.mult_adds))
  lines[#lines + 1] = ("Memory: input %s, outputs of layers %s, parameters and buffers %s"):format(
    megabytes(self.input_bytes), megabytes(self.output_bytes), megabytes(self.parameter_bytes))
  return table.concat(lines, "\n")
end

--- Adds each layer's counts to the totals of its ancestors. Parents come first in `layers`.
local function add_totals(layers)
  local above = {}
  for _, layer in ipairs(layers) do
    layer.total_parameters, layer.total_mult_adds = layer.parameters, layer.mult_adds
    above[layer.depth] = layer
    for depth = 0, layer.depth - 1 do
      local parent = above[depth]
      parent.total_parameters = parent.total_parameters + layer.parameters
      parent.total_mult_adds = parent.total_mult_adds + layer.mult_adds
    end
  end
end

--- The inputs to run the network on: the given ones, or zeros of a given shape.
local function read_inputs(net, given)
  local shape = given[1]
  if type(shape) == "table" and not getmetatable(shape) and type(shape[1]) == "number" then
    local _, parameter = net:named_parameters()()
    local place = parameter and {device = parameter.device, dtype = parameter.dtype} or net:placement()
    return {tide.zeros(shape, place), n = 1}
  end
  if type(shape) ~= "table" and not tide.is_tensor(shape) then
    raise("summary: expected an input, or its shape as a list, got %s", kind_of(shape))
  end
  return given
end

--- A table of the layers: output shape, parameters and multiply-adds for these inputs, or for zeros of a shape. Fields:
--- layers, parameters, trainable, mult_adds, parameter_bytes, ...
---@param inputs... tensor | integer[]  inputs of the module, or a shape for an input of zeros
---@param depth integer >= 0 = 3  number of levels shown
---@example
--- local net = nn.Sequential(nn.Linear(3, 2), nn.ReLU())
--- local summary = net:summary{4, 3}
--- summary.parameters, summary.mult_adds, summary.layers[2].output_shape --> 8, 24, {4, 2}
local _, read_options = reader "module:summary"

return function(net, ...)
  local given, options = table.pack(...), {}
  local last = given[given.n]
  if given.n > 1 and type(last) == "table" and not getmetatable(last) and type(next(last)) == "string" then
    options, given.n = last, given.n - 1
    given[given.n + 1] = nil
  end
  local summary = Summary()
  summary.depth = read_options(options).depth or 3
  local inputs = read_inputs(net, given)
  local layers, by_module = make_layers(net)
  run(net, inputs, by_module)
  summary.layers, summary.parameters, summary.trainable, summary.mult_adds = layers, 0, 0, 0
  summary.input_bytes, summary.output_bytes, summary.parameter_bytes = 0, 0, 0
  local seen = {}
  for _, module in ipairs(net:modules()) do
    local layer, own = by_module[module], count_own(module, seen)
    layer.parameters = own.parameters
    summary.parameters = summary.parameters + own.parameters
    summary.trainable = summary.trainable + own.trainable
    summary.parameter_bytes = summary.parameter_bytes + own.bytes
    summary.mult_adds = summary.mult_adds + layer.mult_adds
    -- A container's output is the output of one of its layers.
    if #module:children() == 0 then summary.output_bytes = summary.output_bytes + layer.output_bytes end
  end
  for i = 1, inputs.n do
    if tide.is_tensor(inputs[i]) then summary.input_bytes = summary.input_bytes + inputs[i].nbytes end
  end
  add_totals(layers)
  return summary
end

-- tide.onnx.save: a module as a file of ONNX.
local arguments = require "tide.internal.arguments"
local class = require "tide.internal.class"
local Module = require "tide.nn.module"
local native = require "tide.native"
local new_writer = require "tide.onnx.writer"
local raise = require "tide.internal.raise"
local recurrent_export = require "tide.onnx.recurrent_export"
local tensors = require "tide.onnx.tensors"
local tide = require "tide"
local traced = require "tide.onnx.traced"

local kIrVersion <const>, kOpset <const> = 8, 17

local read_arguments = arguments("save", {
  "module", "inputs", "path", {"input_names"}, {"output_names"}, {"opset_version", kOpset},
  {"dynamic_axes"},
}, {
  path = "string", input_names = "table", output_names = "table", opset_version = "count",
  dynamic_axes = "table",
})

--- The names of a module's tensors as in state_dict.
local function names_of(module)
  local names = {}
  for name, tensor in module:named_parameters() do names[tensor] = name end
  for name, tensor in module:named_buffers() do names[tensor] = name end
  return names
end

--- What an input or output is in the file. `dynamic` names those of its dimensions, from 1, that
--- may have another size: {1, 3} or {[1] = "batch"}.
local function value_info(name, value, dynamic)
  local by_dim, sizes = {}, {}
  for key, entry in pairs(dynamic or {}) do
    if type(entry) == "string" then
      by_dim[key] = entry
    else
      by_dim[entry] = ("%s_dim_%s"):format(name, entry)
    end
  end
  for d in pairs(by_dim) do
    if math.type(d) ~= "integer" or d < 1 or d > value:dim() then
      raise("save: dynamic_axes: '%s' has no dimension %s: it has %d", name, tostring(d),
        value:dim())
    end
  end
  for d, size in ipairs(value.shape) do
    sizes[d] = by_dim[d] and {dim_param = by_dim[d]} or {dim_value = size}
  end
  return {
    name = name,
    type = {tensor_type = {elem_type = tensors.number_of(value.dtype), shape = {dim = sizes}}},
  }
end

local function is_recurrent(module)
  local nn = require "tide.nn"
  return class.is_a(module, nn.RNN) or class.is_a(module, nn.GRU) or class.is_a(module, nn.LSTM)
end

--- Calls fn while the module is in evaluation mode, its recurrent layers write themselves, and no
--- gradients are noted.
local function while_traced(module, fn)
  local modes, replaced = {}, {}
  for _, each in ipairs(module:modules()) do
    modes[#modes + 1] = {each, each.training}
    if is_recurrent(each) then
      rawset(each, "forward", recurrent_export(each, each.forward))
      replaced[#replaced + 1] = each
    end
  end
  module:eval()
  local _ <close> = tide.no_grad()
  local ok, result = pcall(fn)
  for _, entry in ipairs(modes) do entry[1].training = entry[2] end
  for _, each in ipairs(replaced) do rawset(each, "forward", nil) end
  if not ok then error(result, 0) end
  return result
end

--- All tensors among the results of forward, lists gone through.
local function flat(results, count, list)
  for i = 1, count do
    local value = results[i]
    if tide.is_tensor(value) then
      list[#list + 1] = value
    elseif type(value) == "table" and not getmetatable(value) then
      flat(value, #value, list)
    elseif value ~= nil then
      raise("save: forward gave %s: expected tensors", type(value))
    end
  end
  return list
end

--- Names for the inputs or outputs; those that are not given are numbered.
local function name_list(option, given, count, stem, writer)
  local names, seen = {}, {}
  if given and #given > count then
    raise("save: %s: %d names for %d tensors", option, #given, count)
  end
  for i = 1, count do
    names[i] = given and given[i] or ("%s_%d"):format(stem, i)
    if type(names[i]) ~= "string" or names[i] == "" then
      raise("save: %s: expected names, got %s", option, type(names[i]))
    end
    if seen[names[i]] then raise("save: %s: '%s' is given twice", option, names[i]) end
    seen[names[i]] = true
    writer:take(names[i])
  end
  return names
end

--- Puts the names asked for in the place of those that outputs were traced under. A node between
--- serves outputs that are inputs, constants, or the same twice.
local function write_outputs(writer, outputs, names)
  local list = {}
  for i, value in ipairs(outputs) do
    writer.nodes[#writer.nodes + 1] = {
      name = "Identity_" .. #writer.nodes + 1, op_type = "Identity", input = {writer:name(value)},
      output = {names[i]},
    }
    list[i] = traced.unwrap(value)
  end
  return list
end

local function check(given)
  if not class.is_a(given.module, Module) then
    raise("save: module: expected a module, got %s", type(given.module))
  end
  if given.opset_version ~= kOpset then
    raise("save: opset_version must be %d, got %d", kOpset, given.opset_version)
  end
  local inputs = tide.is_tensor(given.inputs) and {given.inputs} or given.inputs
  for i, value in ipairs(type(inputs) == "table" and inputs or {}) do
    if not tide.is_tensor(value) then
      raise("save: inputs: expected tensors, got %s at %d", type(value), i)
    end
  end
  if type(inputs) ~= "table" or #inputs == 0 then raise "save: inputs: expected tensors" end
  return inputs
end

--- save(module, inputs, path, {input_names, output_names, opset_version, dynamic_axes}): calls the
--- module with the example inputs, a tensor or a list of them, and writes what it computes as a
--- graph.
local function save(...)
  local given = read_arguments(...)
  local inputs = check(given)
  local writer = new_writer(names_of(given.module))
  for _, name in pairs(names_of(given.module)) do writer:take(name) end
  local names = name_list("input_names", given.input_names, #inputs, "input", writer)
  local wrapped, described = {}, {}
  for i, value in ipairs(inputs) do
    wrapped[i] = traced.wrap(writer, names[i], value)
    described[i] = value_info(names[i], value, (given.dynamic_axes or {})[names[i]])
  end
  local outputs = while_traced(given.module, function()
    local results = table.pack(given.module(table.unpack(wrapped)))
    return flat(results, results.n, {})
  end)
  if #outputs == 0 then raise "save: forward gave no tensors" end
  local output_names = name_list("output_names", given.output_names, #outputs, "output", writer)
  local values, results = write_outputs(writer, outputs, output_names), {}
  for i, value in ipairs(values) do
    results[i] = value_info(output_names[i], value, (given.dynamic_axes or {})[output_names[i]])
  end
  native.write_onnx(given.path, "ModelProto", {
    ir_version = kIrVersion, producer_name = "tide",
    opset_import = {{domain = "", version = kOpset}},
    graph = {
      name = getmetatable(given.module).name, node = writer.nodes, input = described,
      output = results, initializer = writer.initializers,
    },
  }, "save")
end

return save

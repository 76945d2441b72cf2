-- tide.onnx.save: saves a module as an ONNX file.
local class = require "tide.internal.class"
local reader = require "tide.internal.declare.reader"
local dynamic = require "tide.onnx.dynamic"
local kind_of = require "tide.internal.kind_of"
local Module = require "tide.nn.module"
local native = require "tide.native"
local new_writer = require "tide.onnx.writer"
local raise = require "tide.internal.raise"
local recurrent_export = require "tide.onnx.recurrent_export"
local tensors = require "tide.onnx.tensors"
local tide = require "tide"
local traced = require "tide.onnx.traced"

local kIrVersion <const>, kOpset <const> = 8, 17

--- Calls the module with a tensor or a list of tensors, and saves its computation as an ONNX file; dynamic_axes =
--- {input_1 = {1}} lists the dimensions that may have any size.
---@param module module  the module
---@param inputs tensor | tensor[]  example inputs
---@param path string  name of the file
---@param input_names string[] = nil  names of the inputs
---@param output_names string[] = nil  names of the outputs
---@param opset_version integer >= 0 = 17  version of the operator set; only 17 is supported
---@param dynamic_axes table = nil  by name of an input or output, its dimensions, from 1, that may have any size: {x
---  = {1}} or {x = {"batch"}}; a size that cannot be dynamic is an error
---@example
--- local path = os.tmpname()
--- tide.onnx.save(nn.ReLU(), tide.ones(2), path, {input_names = {"x"}})
--- local model = tide.onnx.load(path)
--- os.remove(path)
--- model(tide.tensor{-1.0, 2}) --> {0.0, 2.0}
local read_arguments = reader "onnx.save"

--- The names of a module's tensors, as in state_dict.
local function names_of(module)
  local names = {}
  for name, tensor in module:named_parameters() do names[tensor] = name end
  for name, tensor in module:named_buffers() do names[tensor] = name end
  return names
end

--- The dynamic dimensions of an input or output from its entry in dynamic_axes, {1, 3} or {[1] = "batch"}: names, or
--- true.
local function open_dims(name, value, given)
  local by_dim = {}
  for key, entry in pairs(given or {}) do
    if type(entry) == "string" then by_dim[key] = entry else by_dim[entry] = true end
  end
  for d in pairs(by_dim) do
    if math.type(d) ~= "integer" or d < 1 or d > value:dim() then
      raise("save: dynamic_axes: '%s' has no dimension %s: it has %d", name, tostring(d),
        value:dim())
    end
  end
  return by_dim
end

--- The description of an input or output in the file; `by_dim` has the names of dynamic dimensions.
local function value_info(name, dtype, shape, by_dim)
  local sizes = {}
  for d, size in ipairs(shape) do
    sizes[d] = by_dim[d] and {dim_param = by_dim[d]} or {dim_value = size}
  end
  return {
    name = name,
    type = {tensor_type = {elem_type = tensors.number_of(dtype), shape = {dim = sizes}}},
  }
end

local function is_recurrent(module)
  local nn = require "tide.nn"
  return class.is_a(module, nn.RNN) or class.is_a(module, nn.GRU) or class.is_a(module, nn.LSTM)
end

--- Calls fn with the module in evaluation mode, its recurrent layers replaced for export, and gradients
--- disabled.
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

--- All tensors among the results of forward, including those in lists.
local function flat(results, count, list)
  for i = 1, count do
    local value = results[i]
    if tide.is_tensor(value) then
      list[#list + 1] = value
    elseif type(value) == "table" and not getmetatable(value) then
      flat(value, #value, list)
    elseif value ~= nil then
      raise("save: forward returned %s: expected tensors", kind_of(value))
    end
  end
  return list
end

--- Names for the inputs or outputs; missing ones are numbered.
local function name_list(option, given, count, stem)
  local names, seen = {}, {}
  if given and #given > count then
    raise("save: %s: %d names for %d tensors", option, #given, count)
  end
  for i = 1, count do
    names[i] = given and given[i] or ("%s_%d"):format(stem, i)
    if type(names[i]) ~= "string" or names[i] == "" then
      raise("save: %s: expected names, got %s", option, kind_of(names[i]))
    end
    if seen[names[i]] then raise("save: %s: '%s' is given twice", option, names[i]) end
    seen[names[i]] = true
  end
  return names
end

--- Names the outputs, with a node for each, which also handles outputs that are inputs, constants, or duplicates.
local function write_outputs(writer, outputs, names)
  for i, value in ipairs(outputs) do
    writer.nodes[#writer.nodes + 1] = {
      name = "Identity_" .. #writer.nodes + 1, op_type = "Identity", input = {writer:name(value)},
      output = {names[i]},
    }
  end
end

local function check(given)
  if not class.is_a(given.module, Module) then
    raise("save: module: expected a module, got %s", kind_of(given.module))
  end
  if given.opset_version ~= kOpset then
    raise("save: opset_version must be %d, got %d", kOpset, given.opset_version)
  end
  local inputs = tide.is_tensor(given.inputs) and {given.inputs} or given.inputs
  for i, value in ipairs(type(inputs) == "table" and inputs or {}) do
    if not tide.is_tensor(value) then
      raise("save: inputs: expected tensors, got %s at %d", kind_of(value), i)
    end
  end
  if type(inputs) ~= "table" or #inputs == 0 then raise "save: inputs: expected tensors" end
  return inputs
end

--- Traces the module for these inputs: {graph, outputs, shapes}. A draft, which is used only for comparison, omits the
--- elements of the module's own tensors.
local function trace_module(module, inputs, names, output_names, draft)
  local writer, wrapped = new_writer(names_of(module), draft), {}
  for _, name in ipairs(output_names or {}) do writer:take(name) end
  for i, name in ipairs(names) do
    writer:take(name)
    wrapped[i] = traced.wrap(writer, name, inputs[i])
  end
  local outputs = while_traced(module, function()
    local results = table.pack(module(table.unpack(wrapped)))
    return flat(results, results.n, {})
  end)
  local shapes = {}
  for i, output in ipairs(outputs) do shapes[i] = output.shape end
  return {graph = writer, outputs = outputs, shapes = shapes}
end

--- The names of the dynamic dimensions of inputs and outputs, by their positions; makes the graph valid for all their
--- sizes.
local function open_sizes(base, given, inputs, names, output_names)
  local axes, by_input, input_dims, output_dims = given.dynamic_axes or {}, {}, {}, {}
  for name in pairs(axes) do
    local is_known = false
    for _, list in ipairs {names, output_names} do
      for _, other in ipairs(list) do is_known = is_known or name == other end
    end
    if not is_known then raise("save: dynamic_axes: no input or output is called '%s'", tostring(name)) end
  end
  for i, value in ipairs(inputs) do by_input[i], input_dims[i] = open_dims(names[i], value, axes[names[i]]), {} end
  local groups = dynamic.groups(names, inputs, by_input)
  local changing = dynamic.open(base, groups, inputs, names, output_names, function(values)
    return trace_module(given.module, values, names, given.output_names, true)
  end)
  for _, group in ipairs(groups) do
    for _, entry in ipairs(group.entries) do input_dims[entry.input][entry.dim] = group.name end
  end
  for i, output in ipairs(base.outputs) do
    output_dims[i] = changing[i]
    for d, name in pairs(open_dims(output_names[i], output, axes[output_names[i]])) do
      if name ~= true then output_dims[i][d] = name end
    end
  end
  return input_dims, output_dims
end

--- save(module, inputs, path, {input_names, output_names, opset_version, dynamic_axes}): calls the
--- module with the example inputs, a tensor or a list of tensors, and saves its computation as a graph.
--- With dynamic_axes, it is also called with inputs of other sizes; constants that change are computed
--- in the graph, other changes are errors.
local function save(...)
  local given = read_arguments(...)
  local inputs = check(given)
  local names = name_list("input_names", given.input_names, #inputs, "input")
  local base = trace_module(given.module, inputs, names, given.output_names, false)
  local writer, outputs = base.graph, base.outputs
  if #outputs == 0 then raise "save: forward returned no tensors" end
  local output_names = name_list("output_names", given.output_names, #outputs, "output")
  local input_dims, output_dims = open_sizes(base, given, inputs, names, output_names)
  write_outputs(writer, outputs, output_names)
  local described, results = {}, {}
  for i, value in ipairs(inputs) do described[i] = value_info(names[i], value.dtype, value.shape, input_dims[i]) end
  for i, value in ipairs(outputs) do
    results[i] = value_info(output_names[i], value.dtype, value.shape, output_dims[i])
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

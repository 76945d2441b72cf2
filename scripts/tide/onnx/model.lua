-- The module that tide.onnx.load returns.
local class = require "tide.internal.class"
local known = require "tide.onnx.known"
local Module = require "tide.nn.module"
local new_run = require "tide.onnx.run"
local raise = require "tide.internal.raise"
local recorded = require "tide.onnx.recorded"
local tide = require "tide"

local Model = class("OnnxModel", Module)

--- Constant nodes with more elements become buffers, so that they move with the module.
local kLargeConstant <const> = 1024

--- How the top graph's nodes use initializers: the set of those whose values are read, and of those
--- that are state.
local function uses_of(graph)
  local read, state = {}, {}
  for _, node in ipairs(graph.nodes) do
    for i, name in ipairs(node.inputs) do
      if node.host[i] then read[name] = true end
      if node.state[i] then state[name] = true end
    end
  end
  return read, state
end

--- A field name for the tensor of this name: the name itself, unless the class has such a member.
function Model:field_for(name)
  local field = name
  while class.member(Model, field) ~= nil or rawget(self, field) ~= nil do field = field .. "_" end
  return field
end

--- Registers a tensor as a parameter or buffer.
function Model:keep(name, value, is_parameter)
  local field = self:field_for(name)
  self._tensor_fields[name] = field
  if is_parameter then
    self:register_parameter(field, value:requires_grad_(true))
  else
    self:register_buffer(field, value)
  end
end

--- Removes large constants from the graph and registers them as buffers.
function Model:keep_large_constants(graph, read)
  local others = {}
  for _, node in ipairs(graph.nodes) do
    local name, value = node.outputs[1], node.op == "Constant" and not node.takes_run
      and node.attributes.value
    if tide.is_tensor(value) and not read[name] and value:numel() > kLargeConstant then
      self:keep(name, value, false)
    else
      others[#others + 1] = node
    end
  end
  graph.nodes = others
end

function Model:init(graph, path)
  self._path, self._graph, self._tensor_fields = path, graph, {}
  local read, state = uses_of(graph)
  local constants = {}
  for _, entry in ipairs(graph.initializers) do
    local name, value = entry[1], entry[2]
    local floating = tide.is_tensor(value) and value:is_floating_point()
    if read[name] or not tide.is_tensor(value) or not floating and value:dim() < 2 then
      constants[#constants + 1] = entry
    else
      self:keep(name, value, floating and not state[name])
    end
  end
  graph.initializers = constants
  self:keep_large_constants(graph, read)
end

--- The device of this module's tensors, or of the first input if it has none.
function Model:device_of(inputs)
  for _, field in pairs(self._tensor_fields) do return rawget(self, field).device end
  for i = 1, inputs.n do
    if tide.is_tensor(inputs[i]) then return inputs[i].device end
  end
end

--- The inputs as values by name, falling back to this module's tensors.
function Model:values_of(inputs)
  local graph, fields = self._graph, self._tensor_fields
  if inputs.n ~= #graph.inputs then
    raise("%s: expected %d inputs (%s), got %d", self._path, #graph.inputs,
      table.concat(graph.inputs, ", "), inputs.n)
  end
  local values = {}
  for i, name in ipairs(graph.inputs) do
    if inputs[i] == nil and not graph.optional[name] then
      raise("%s: input %d (%s): expected tensor, got nil", self._path, i, name)
    end
    values[name] = inputs[i]
  end
  return setmetatable(values, {__index = function(_, name)
    return fields[name] and rawget(self, fields[name])
  end})
end

function Model:forward(...)
  local inputs = table.pack(...)
  local again, recording <close> = recorded.run(self, inputs)
  if again then return table.unpack(again) end
  local run = new_run(self, self:device_of(inputs))
  local ok, outputs = pcall(run.graph, run, self._graph, self:values_of(inputs))
  if not ok then
    if type(outputs) ~= "string" then error(outputs, 0) end
    local text = outputs:gsub("^.-:%d+: ", "")
    if text:find "^attempt to" or text:find "^bad argument" then
      text = ("an input or attribute is missing or has the wrong type (%s)"):format(text)
    end
    raise("%s: %s: %s", self._path, run:place() or "inputs", text)
  end
  for i = 1, outputs.n do
    local output = outputs[i]  -- convolutions may have changed its layout
    if type(output) == "userdata" and tide.is_tensor(output) then
      outputs[i] = known.has(output) and output:clone() or output:contiguous()
    end
  end
  recorded.keep(self, inputs, recording, outputs)
  return table.unpack(outputs, 1, outputs.n)
end

function Model:describe()
  local graph = self._graph
  return ("%s -> %s, %d nodes"):format(table.concat(graph.inputs, ", "),
    table.concat(graph.outputs, ", "), #graph.nodes)
end

return Model

-- The graph that tide.onnx.save writes: nodes and initializers in order of creation.
local kind_of = require "tide.internal.kind_of"
local raise = require "tide.internal.raise"
local tensors = require "tide.onnx.tensors"
local tide = require "tide"
local traced = require "tide.onnx.traced"

local Writer = {}
Writer.__index = Writer

--- A writer; `names` maps tensors to their names. `op` is the op being written. A `draft` omits the elements of these
--- tensors.
local function new_writer(names, draft)
  local writer = setmetatable({
    nodes = {}, initializers = {}, op = nil, _names = names, _written = {}, _count = 0, _taken = {}, _draft = draft,
  }, Writer)
  for _, name in pairs(names) do writer:take(name) end
  return writer
end

--- Marks a name as used.
function Writer:take(name) self._taken[name] = true end

function Writer:new_name(stem)
  local name
  repeat
    self._count = self._count + 1
    name = ("%s_%d"):format(stem, self._count)
  until not self._taken[name]
  return name
end

--- Adds a tensor as an initializer, once; returns its name.
function Writer:initializer(value)
  local known = self._written[value]
  if known then return known end
  local name = self._names[value] or self:new_name "constant"
  self._written[value] = name
  self.initializers[#self.initializers + 1] = self._draft and self._names[value] and {name = name}
    or tensors.write(name, value:detach())
  return name
end

--- Adds a list of integers as an initializer.
function Writer:integers(list)
  return self:initializer(tide.tensor(list, {dtype = "int64", device = "cpu"}))
end

--- Adds a number as a scalar initializer of this dtype.
function Writer:number(value, dtype)
  return self:initializer(tide.tensor(value, {dtype = dtype, device = "cpu"}))
end

--- The name of a traced tensor, a tensor, or a number, which becomes a scalar of this dtype.
function Writer:name(value, dtype)
  if traced.is_traced(value) then return value._name end
  if tide.is_tensor(value) then return self:initializer(value) end
  if type(value) == "number" or type(value) == "boolean" then return self:number(value, dtype) end
  if value == nil then return "" end
  raise("save: %s cannot be exported to ONNX", kind_of(value))
end

local function attribute(name, value)
  if math.type(value) == "integer" then return {name = name, type = 2, i = value} end
  if type(value) == "number" then return {name = name, type = 1, f = value} end
  if type(value) == "string" then return {name = name, type = 3, s = value} end
  if math.type(value[1]) == "float" then return {name = name, type = 6, floats = value} end
  return {name = name, type = 7, ints = value}
end

--- Adds a node; returns the names of its `count` (1) outputs.
function Writer:node(op, inputs, attributes, count)
  local list, names, outputs = {}, {}, {}
  for name in pairs(attributes or {}) do names[#names + 1] = name end
  table.sort(names)
  for i, name in ipairs(names) do list[i] = attribute(name, attributes[name]) end
  for i = 1, count or 1 do outputs[i] = self:new_name(op:lower()) end
  while inputs[#inputs] == "" do inputs[#inputs] = nil end
  self.nodes[#self.nodes + 1] = {
    name = ("%s_%d"):format(op, #self.nodes + 1), op_type = op, input = inputs, output = outputs,
    attribute = list, from = self.op,
  }
  return table.unpack(outputs)
end

--- The name of `value` cast to this dtype.
function Writer:cast(value, dtype)
  local name = self:name(value, dtype)
  local own = type(value) == "table" and value.dtype or tide.is_tensor(value) and value.dtype
  if not own or own == dtype then return name end
  return (self:node("Cast", {name}, {to = tensors.number_of(dtype)}))
end

return new_writer

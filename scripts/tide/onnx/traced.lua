-- Traced tensors, which tide.onnx.save passes to a module's forward. Each has its value for the example
-- inputs, and its name in the graph being written. Ops called with one are dispatched here
-- (`__tensor_function`), executed, and written by the rules.
local native = require "tide.native"
local raise = require "tide.internal.raise"
local tensor_operators = require "tide.internal.tensor_operators"
local tide = require "tide"

local traced = {}

local Traced = {__name = "tide.Traced", __metatable = "tide.Traced"}

function traced.wrap(graph, name, value)
  return setmetatable({_graph = graph, _name = name, _value = value}, Traced)
end

local function is_traced(value)
  return type(value) == "table" and debug.getmetatable(value) == Traced
end
traced.is_traced = is_traced

local function is_plain(value)
  return type(value) == "table" and not getmetatable(value)
end

--- `value` with traced tensors replaced by tensors, also inside tables; and the graph of one of them.
local function unwrap(value)
  if is_traced(value) then return value._value, value._graph end
  if not is_plain(value) then return value end
  local own, graph = {}, nil
  for key, entry in pairs(value) do
    local found
    own[key], found = unwrap(entry)
    graph = graph or found
  end
  return own, graph
end
traced.unwrap = unwrap

--- Results as traced tensors, named by the list of names.
local function wrap_results(graph, results, names)
  local next_name = 0
  local function wrap(value)
    if tide.is_tensor(value) then
      next_name = next_name + 1
      return names[next_name] and traced.wrap(graph, names[next_name], value) or value
    end
    if not is_plain(value) then return value end
    for i, entry in ipairs(value) do value[i] = wrap(entry) end
    return value
  end
  for i = 1, results.n do results[i] = wrap(results[i]) end
  return table.unpack(results, 1, results.n)
end

--- The arguments by the names that a rule declares; the last may be a table of named ones.
local function named(declared, args)
  local values = {n = args.n}
  for i = 1, args.n do
    local value = args[i]
    if i == args.n and i > 1 and is_plain(value) and type(next(value)) == "string" then
      for name, entry in pairs(value) do values[name] = entry end
    else
      values[declared[i] or i] = value
    end
  end
  return values
end

--- Executes `op`, named `name`, with some traced arguments, and writes it.
function traced.call(name, op, ...)
  local args, own, graph = table.pack(...), {}, nil
  for i = 1, args.n do
    local found
    own[i], found = unwrap(args[i])
    graph = graph or found
  end
  local rule = require("tide.onnx.rules")[name]
  if not rule then
    local why = name:sub(-1) == "_" and ", which changes a tensor in place," or ""
    raise("save: the op '%s'%s cannot be exported to ONNX", name, why)
  end
  if rule.in_place_argument then own[rule.in_place_argument] = false end
  local results = table.pack(op(table.unpack(own, 1, args.n)))
  if rule.is_constant then return table.unpack(results, 1, results.n) end
  local values = named(rule.arguments or {}, args)
  graph.op = name
  local names = table.pack(rule.write(graph, values, results, args))
  return wrap_results(graph, results, names)
end

Traced.__tensor_function = traced.call

-- Fields and methods ------------------------------------------------------------------------------

local fields = {}

for _, name in ipairs {"shape", "dtype", "device", "ctx", "ndim"} do
  fields[name] = function(x) return x._value[name] end
end

function fields.requires_grad() return false end

fields.is_leaf = fields.requires_grad

function fields.data(x) return x end

function fields.T(x)
  local dims = {}
  for d = 1, x.ndim do dims[d] = x.ndim + 1 - d end
  return x.ndim > 1 and x:permute(dims) or x
end

function fields.mT(x) return x:transpose(-2, -1) end

local methods = {}

for _, name in ipairs {
  "dim", "size", "numel", "is_floating_point", "element_size", "is_cpu", "is_cuda", "is_signed",
  "is_complex", "is_contiguous", "nelement", "ndimension",
} do
  methods[name] = function(x, ...) return native.methods[name](x._value, ...) end
end

--- Methods that do not change values.
for _, name in ipairs {"clone", "contiguous", "cpu", "cuda", "detach", "requires_grad_"} do
  methods[name] = function(x) return x end
end

local function index(x, key)
  if math.type(key) then
    if key == #x + 1 then return nil end
    return x:select(1, key)
  end
  return traced.call("index", function(tensor, position) return tensor[position] end, x, key)
end

function Traced:__index(key)
  if type(key) ~= "string" then return index(self, key) end
  if fields[key] then return fields[key](self) end
  if key == "grad" or key == "grad_fn" then return nil end
  if methods[key] then return methods[key] end
  local op = native.methods[key]
  if not op then native.unknown_name("tensor", key, tide.ones(1)) end
  return function(...) return traced.call(key, op, ...) end
end

function Traced:__newindex(key)
  raise("save: an assignment to %s of a traced tensor cannot be exported to ONNX", tostring(key))
end

function Traced:__len() return #self._value end

function Traced:__tostring()
  return ("'%s' of shape (%s) %s"):format(self._name, table.concat(self.shape, ", "), self.dtype)
end

tensor_operators(Traced, traced.call)

function Traced.__lt()
  raise "save: < reads a value, and a graph cannot branch on it: use x:lt(y)"
end

Traced.__le = Traced.__lt

return traced

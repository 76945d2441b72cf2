-- ONNX graphs prepared for running: nodes with the functions of their ops, their attributes, and the
-- last use of each value.
local operators = require "tide.onnx.operators"
local raise = require "tide.internal.raise"
local tensors = require "tide.onnx.tensors"

local graph = {}

--- Maximum number of nodes of a model, counting those of functions for each call.
local kMaxNodes <const> = 1000000

-- Shared, not copied, when a module is cloned.
local Graph = {__name = "tide.onnx.Graph"}

--- "node 'x' (Conv)", for messages.
function graph.describe(node)
  local name = node.name ~= "" and node.name or node.outputs[1] or "?"
  return ("node '%s' (%s)"):format(name, node.op)
end

local compile

-- Attributes --------------------------------------------------------------------------------------

local readers = {
  function(a) return a.f or 0.0 end,
  function(a) return a.i or 0 end,
  function(a) return a.s or "" end,
  function(a, model) return a.t and tensors.read(a.t, model.folder) end,
  function(a, model, scope) return a.g and compile(a.g, model, scope) end,
  function(a) return a.floats or {} end,
  function(a) return a.ints or {} end,
  function(a) return a.strings or {} end,
  [13] = function(a) return a.tp or {} end,
}

--- The type of an attribute in an old file, which does not store it.
local function guessed_type(a)
  for type, field in ipairs {"f", "i", "s", "t", "g", "floats", "ints", "strings"} do
    if a[field] ~= nil then return type end
  end
end

--- The attributes of a node by name. Inside a function, `model.arguments` are those of the call, and `model.declared`
--- the names of attributes without a default.
local function attributes_of(message, model, scope)
  local attributes = {}
  for _, a in ipairs(message.attribute or {}) do
    local name = a.name or ""
    if a.ref_attr_name and a.ref_attr_name ~= "" then
      local argument = (model.arguments or {})[a.ref_attr_name]
      if argument == nil and model.declared and not model.declared[a.ref_attr_name] then
        raise("defaults of function attributes are not supported: '%s' is missing", a.ref_attr_name)
      end
      attributes[name] = argument
    else
      local read = readers[a.type or guessed_type(a)]
      if not read then raise("attribute '%s' has an unsupported type", name) end
      attributes[name] = read(a, model, scope)
    end
  end
  return attributes
end

-- Nodes -------------------------------------------------------------------------------------------

--- The body, as a graph, of the model's own function that a node calls; nil if there is none.
local function function_body(message, model, attributes)
  local key = (message.domain or "") .. ":" .. (message.op_type or "")
  local declared = model.functions[key]
  if not declared then return nil end
  if model.inside[key] then raise("function '%s' calls itself", message.op_type) end
  local inputs, outputs = {}, {}
  for i, name in ipairs(declared.input or {}) do inputs[i] = {name = name} end
  for i, name in ipairs(declared.output or {}) do outputs[i] = {name = name} end
  local without_default = {}
  for _, name in ipairs(declared.attribute or {}) do without_default[name] = true end
  local inner = setmetatable({
    arguments = attributes, declared = without_default,
    inside = setmetatable({[key] = true}, {__index = model.inside}),
    versions = setmetatable({}, {__index = model.versions}),
  }, {__index = model})
  for _, opset in ipairs(declared.opset_import or {}) do
    inner.versions[opset.domain or ""] = opset.version
  end
  return compile({node = declared.node, input = inputs, output = outputs}, inner, {})
end

--- Returns a function that calls a graph as an op.
local function caller_of(body)
  return function(run, _, ...)
    local values, given = {}, {...}
    for i, name in ipairs(body.inputs) do values[name] = given[i] end
    return table.unpack(run:graph(body, values))
  end
end

local function check_inputs(node, scope)
  for _, name in ipairs(node.inputs) do
    if name ~= "" and not scope[name] then
      raise("input '%s' is neither an input of the graph nor computed by an earlier node", name)
    end
  end
end

--- Raises an error for attributes that would be ignored.
local function check_attributes(attributes, known)
  for name, value in pairs(attributes) do
    if not known.names[name] then
      local names = #known.names == 0 and "none" or table.concat(known.names, ", ")
      raise("the attribute '%s' is not supported: the op supports %s", name, names)
    end
    local only = known.only[name]
    if only and value ~= only then
      raise("the attribute %s = %s is not supported: expected %s", name, tostring(value), only)
    end
  end
end

local function new_node(message, model, scope)
  local domain = message.domain or ""
  if domain == "ai.onnx" then domain = "" end
  local node = {
    name = message.name or "", op = message.op_type or "", inputs = message.input or {},
    outputs = message.output or {}, version = model.versions[domain] or 1,
  }
  local ok, problem = pcall(function()
    node.attributes = attributes_of(message, model, scope)
    check_inputs(node, scope)
    local body = function_body(message, model, node.attributes)
    if body then
      node.call, node.takes_run, node.host, node.state = caller_of(body), true, {}, {}
      node.takes_text = true
      return
    end
    if not operators.has_domain(domain) then raise("the domain '%s' is not supported", domain) end
    local op = operators.find(domain, node.op)
    if not op then raise "this op is not supported" end
    check_attributes(node.attributes, op.attributes)
    node.call, node.takes_run, node.host, node.state = op.call, op.takes_run, op.host, op.state
    node.takes_text = op.takes_text
  end)
  if not ok then
    local text = tostring(problem):gsub("^.-:%d+: ", "")
    model.problems[#model.problems + 1] = ("%s: %s"):format(graph.describe(node), text)
  end
  return node
end

--- Ops whose results are new tensors, of which nothing else has a handle, and which keep no handles of their inputs.
local kPlain <const> = {}
for op in ([[Add AveragePool BatchNormalization Clip Concat Conv Div Elu Erf Gelu Gemm GlobalAveragePool HardSigmoid
  HardSwish InstanceNormalization LayerNormalization LeakyRelu MatMul MaxPool Mul Pow PRelu Relu Sigmoid Softmax
  Softplus Sqrt Sub Tanh]]):gmatch "%S+" do kPlain[op] = true end

--- The set of values whose memory ends with their last use: produced and read by such ops only.
local function short_lived(made)
  local short = {}
  for _, node in ipairs(made.nodes) do
    if kPlain[node.op] then short[node.outputs[1]] = true end
  end
  for _, node in ipairs(made.nodes) do
    if not kPlain[node.op] then
      for _, name in ipairs(node.inputs) do short[name] = nil end
      for _, value in pairs(node.attributes or {}) do
        if getmetatable(value) == Graph then
          for name in pairs(value.outer) do short[name] = nil end
        end
      end
    end
  end
  return short
end

--- Records for each node the values that no later node needs.
local function record_last_uses(made)
  made.short_lived = short_lived(made)
  local seen = {}
  for _, name in ipairs(made.outputs) do seen[name] = true end
  for i = #made.nodes, 1, -1 do
    local node, free = made.nodes[i], {}
    local function use(name)
      if name ~= "" and not seen[name] then
        seen[name] = true
        free[#free + 1] = name
      end
    end
    for _, name in ipairs(node.outputs) do use(name) end
    for _, name in ipairs(node.inputs) do use(name) end
    for _, value in pairs(node.attributes or {}) do
      if getmetatable(value) == Graph then
        for name in pairs(value.outer) do use(name) end
      end
    end
    node.free = free
  end
end

--- All names that a graph uses from enclosing graphs.
local function outer_names(made, own)
  local outer = {}
  local function use(name)
    if name ~= "" and not own[name] then outer[name] = true end
  end
  for _, name in ipairs(made.outputs) do use(name) end
  for _, node in ipairs(made.nodes) do
    for _, name in ipairs(node.inputs) do use(name) end
    for _, value in pairs(node.attributes or {}) do
      if getmetatable(value) == Graph then
        for name in pairs(value.outer) do use(name) end
      end
    end
  end
  return outer
end

--- The initializers of a graph: {name, tensor} in order.
local function initializers_of(message, model)
  local list = {}
  for _, tensor in ipairs(message.initializer or {}) do
    local ok, value = pcall(tensors.read, tensor, model.folder)
    if not ok then
      model.problems[#model.problems + 1] = ("initializer '%s': %s"):format(tensor.name or "",
        (tostring(value):gsub("^.-:%d+: ", "")))
    end
    list[#list + 1] = {tensor.name or "", value}
  end
  if message.sparse_initializer then
    model.problems[#model.problems + 1] = "sparse initializers are not supported"
  end
  return list
end

--- Compiles the table of a GraphProto to {inputs, outputs, initializers, nodes, outer}. `scope` has the
--- names of enclosing graphs. Problems are added to model.problems. At the top of a model, inputs that
--- are also initializers need not be passed.
function compile(message, model, scope, top)
  local own, made = {}, {inputs = {}, outputs = {}, nodes = {}, optional = {}}
  local known = setmetatable({}, {__index = function(_, name) return own[name] or scope[name] end})
  made.initializers = initializers_of(message, model)
  for _, entry in ipairs(made.initializers) do own[entry[1]] = true end
  for _, input in ipairs(message.input or {}) do
    local name = input.name or ""
    if not own[name] or not top then made.inputs[#made.inputs + 1] = name end
    own[name], made.optional[name] = true, (input.type or {}).optional_type ~= nil
  end
  for _, node in ipairs(message.node or {}) do
    model.count[1] = model.count[1] + 1
    if model.count[1] > kMaxNodes then raise("the model has more than %d nodes", kMaxNodes) end
    local added = new_node(node, model, known)
    made.nodes[#made.nodes + 1] = added
    for _, name in ipairs(added.outputs) do
      if own[name] and name ~= "" then
        model.problems[#model.problems + 1] = ("%s: output '%s' is computed twice"):format(
          graph.describe(added), name)
      end
      own[name] = true
    end
  end
  for i, output in ipairs(message.output or {}) do
    local name = output.name or ""
    made.outputs[i] = name
    if not known[name] then
      model.problems[#model.problems + 1] = ("output '%s' is not computed"):format(name)
    end
  end
  made.outer = outer_names(made, own)
  record_last_uses(made)
  return setmetatable(made, Graph)
end

graph.compile = compile

return graph

-- Branches and loops: If, Loop, Scan, SequenceMap.
local raise = require "tide.internal.raise"
local tide = require "tide"
local values = require "tide.onnx.values"

local ops = {with_run = {}, host = {If = {1}, Loop = {1, 2}}}

ops.text = {Loop = true, If = true}

ops.attributes = {
  If = "else_branch then_branch",
  Loop = "body",
  Scan = "body directions num_scan_inputs "
    .. "scan_input_axes scan_input_directions scan_output_axes scan_output_directions",
  SequenceMap = "body",
}

local with_run = ops.with_run

--- A longer loop is considered infinite.
local kMaxIterations <const> = 1 << 20

--- Runs a graph attribute of a node with access to the enclosing values; returns its outputs as a list.
local function call(run, graph, inputs)
  if #graph.inputs > #inputs then
    raise("its graph takes %d inputs, got %d", #graph.inputs, #inputs)
  end
  local own = {}
  for i, name in ipairs(graph.inputs) do own[name] = inputs[i] end
  return run:graph(graph, setmetatable(own, {__index = run.values}))
end

local function graph_of(node, name)
  local graph = node.attributes[name]
  if type(graph) ~= "table" or not graph.nodes then raise("attribute '%s' is missing", name) end
  return graph
end

function with_run.If(run, node, condition)
  local chosen = condition:flatten():tolist()[1] and "then_branch" or "else_branch"
  local outputs = call(run, graph_of(node, chosen), {})
  return table.unpack(outputs, 1, outputs.n)
end

--- Loop(trip count, condition, carried values...): the condition is read once per iteration.
function with_run.Loop(run, node, count, condition, ...)
  local body, carried = graph_of(node, "body"), table.pack(...)
  local limit = count and values.list(count)[1] or math.huge
  local going_on = not condition or values.list(condition)[1]
  local scans, i = {}, 0
  for k = 1, #body.outputs - 1 - carried.n do scans[k] = {} end
  while i < limit and going_on do
    if i == kMaxIterations then raise("the loop has not ended after %d iterations", i) end
    local outputs = call(run, body, {
      tide.tensor(i, {dtype = "int64", device = "cpu"}),
      tide.tensor(true, {device = "cpu"}), table.unpack(carried, 1, carried.n),
    })
    going_on = outputs[1]:flatten():tolist()[1]
    for k = 1, carried.n do carried[k] = outputs[k + 1] end
    for k = 1, #scans do scans[k][i + 1] = outputs[carried.n + 1 + k] end
    i = i + 1
  end
  for k, list in ipairs(scans) do
    carried[carried.n + k] = #list > 0 and tide.stack(list) or tide.zeros({0})
  end
  return table.unpack(carried, 1, carried.n + #scans)
end

--- The i-th entry of an optional list, such as directions or axes.
local function choice(list, i, default) return list and list[i] or default end

--- Scan(states..., sequences...): opset 8 has a leading batch dimension, and lengths as the first input.
local function scan(run, node, inputs, count)
  local a, body = node.attributes, graph_of(node, "body")
  local sequences = a.num_scan_inputs or 0
  local states = count - sequences
  if sequences < 1 or states < 0 then raise("num_scan_inputs is %d of %d", sequences, count) end
  local state, scans, steps = table.move(inputs, 1, states, 1, {}), {}, nil
  for k = 1, #body.outputs - states do scans[k] = {} end
  local along, axes = {}, a.scan_input_axes or {}
  for k = 1, sequences do
    local x = inputs[states + k]
    local dim = values.dim(axes[k] or 0, x:dim())
    if steps and x:size(dim) ~= steps then
      raise("the sequences have %d and %d steps", steps, x:size(dim))
    end
    along[k], steps = dim, x:size(dim)
  end
  for t = 1, steps do
    local given = table.move(state, 1, states, 1, {})
    for k = 1, sequences do
      local step = choice(a.scan_input_directions or a.directions, k, 0) == 1 and steps + 1 - t or t
      given[states + k] = inputs[states + k]:select(along[k], step)
    end
    local outputs = call(run, body, given)
    for k = 1, states do state[k] = outputs[k] end
    for k, list in ipairs(scans) do list[t] = outputs[states + k] end
  end
  for k, list in ipairs(scans) do
    local axis = choice(a.scan_output_axes, k, 0)
    local stacked = tide.stack(list, values.dim(axis, list[1]:dim() + 1))
    if choice(a.scan_output_directions, k, 0) == 1 then
      stacked = stacked:flip(values.dim(axis, stacked:dim()))
    end
    state[states + k] = stacked
  end
  return state
end

function with_run.Scan(run, node, ...)
  local inputs = table.pack(...)
  if node.version >= 9 then return table.unpack(scan(run, node, inputs, inputs.n)) end
  if inputs[1] then raise "sequences of several lengths are not supported" end
  local samples, results = inputs[2]:size(1), {}
  for sample = 1, samples do
    local own = {}
    for i = 2, inputs.n do own[i - 1] = inputs[i]:select(1, sample) end
    for k, value in ipairs(scan(run, node, own, inputs.n - 1)) do
      results[k] = results[k] or {}
      results[k][sample] = value
    end
  end
  for k, list in ipairs(results) do results[k] = tide.stack(list) end
  return table.unpack(results)
end

--- Runs the graph for each element of the sequences; tensors are passed to every call.
function with_run.SequenceMap(run, node, sequence, ...)
  local body, others, results = graph_of(node, "body"), table.pack(...), {}
  for k = 1, #body.outputs do results[k] = {} end
  for i, element in ipairs(sequence) do
    local given = {element}
    for k = 1, others.n do
      local other = others[k]
      given[k + 1] = tide.is_tensor(other) and other or other[i]
    end
    for k, value in ipairs(call(run, body, given)) do results[k][i] = value end
  end
  return table.unpack(results)
end

return ops

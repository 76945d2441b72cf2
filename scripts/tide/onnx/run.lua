-- One forward pass of a loaded model: values by name, node by node.
local graph = require "tide.onnx.graph"
local known = require "tide.onnx.known"
local raise = require "tide.internal.raise"
local tide = require "tide"

local Run = {}
Run.__index = Run

--- A run of the module; new tensors are created on `device`.
local function new_run(module, device)
  return setmetatable({module = module, device = device}, Run)
end

--- The device of the non-cpu tensors if some are on the cpu and some are not; else nil or false.
local function device_of(inputs, count)
  local device, on_cpu
  for i = 1, count do
    local value = inputs[i]
    if tide.is_tensor(value) then
      if value:is_cpu() then on_cpu = true else device = device or value.device end
    end
  end
  return on_cpu and device
end

--- Moves cpu inputs of the op, such as shapes, positions and constants, to the device of the other
--- inputs; inputs whose values the op reads stay.
local function bring_together(node, inputs, count)
  local device = device_of(inputs, count)
  if not device then return end
  for i = 1, count do
    local value = inputs[i]
    if tide.is_tensor(value) and value:is_cpu() and not node.host[i] then
      inputs[i] = value:to(device)
    end
  end
end

local function call(self, node, inputs, count)
  if node.takes_run then return node.call(self, node, table.unpack(inputs, 1, count)) end
  return node.call(node, table.unpack(inputs, 1, count))
end

--- Raises an error for lists of text if the op does not support them.
local function check_text(node, inputs, count)
  if node.takes_text then return end
  for i = 1, count do
    local value = inputs[i]
    if type(value) == "table" and type(value[1]) == "string" then raise("input %d: text is not supported", i) end
  end
end

--- Marks results that are the same object as an input.
local function note_shared(shared, inputs, count, results)
  for i = 1, results.n do
    for k = 1, count do
      if results[i] ~= nil and rawequal(results[i], inputs[k]) then shared[results[i]] = true end
    end
  end
end

--- Runs a graph and returns its outputs as a list. `values` has its inputs, and finds enclosing values. Without
--- gradients, memory of large values ends with their last use instead of the next collection of garbage: the next
--- node's result then lies in memory that is still in the caches.
function Run:graph(made, values)
  local enclosing, caller = self.values, self.node
  local short_lived, shared = not tide.is_grad_enabled() and made.short_lived or {}, {}
  self.values = values
  for _, entry in ipairs(made.initializers) do
    known.note(entry[2])
    if rawget(values, entry[1]) == nil then values[entry[1]] = entry[2] end
  end
  for _, node in ipairs(made.nodes) do
    self.node = node
    local inputs, count = {}, #node.inputs
    for i = 1, count do inputs[i] = values[node.inputs[i]] end
    check_text(node, inputs, count)
    local key = known.key(node, inputs, count)
    local kept = known.result(node, key)
    local results
    if kept then
      results = {n = 1, kept}
    else
      bring_together(node, inputs, count)
      results = table.pack(call(self, node, inputs, count))
      known.keep(node, key, results)
    end
    for i, name in ipairs(node.outputs) do
      if name ~= "" then values[name] = results[i] end
    end
    if next(short_lived) then note_shared(shared, inputs, count, results) end
    for _, name in ipairs(node.free) do
      local value = short_lived[name] and rawget(values, name)
      -- Traced tensors are tables.
      if type(value) == "userdata" and tide.is_tensor(value) and not shared[value] and not known.has(value) then
        value:free()
      end
      values[name] = nil
    end
  end
  local outputs = {n = #made.outputs}
  for i, name in ipairs(made.outputs) do outputs[i] = values[name] end
  self.values, self.node = enclosing, caller
  return outputs
end

--- The current node, "node 'x' (Conv)".
function Run:place() return self.node and graph.describe(self.node) end

return new_run

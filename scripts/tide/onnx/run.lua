-- One forward of a loaded model: values by name, node after node.
local graph = require "tide.onnx.graph"
local raise = require "tide.internal.raise"
local tide = require "tide"

local Run = {}
Run.__index = Run

--- A run for the module; new tensors go to `device`.
local function new_run(module, device)
  return setmetatable({module = module, device = device}, Run)
end

--- The device of those tensors that are not on the cpu; nil if there are none, or all are there.
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

--- Moves to their device what other inputs of the op have left on the cpu, where shapes, positions
--- and constants lie; inputs of which the op reads the values stay.
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

--- Refuses lists of text where the op does not take them.
local function check_text(node, inputs, count)
  if node.takes_text then return end
  for i = 1, count do
    local value = inputs[i]
    if type(value) == "table" and type(value[1]) == "string" then raise("input %d: text is not supported", i) end
  end
end

--- The outputs of a graph, as a list. `values` has its inputs, and finds what lies around it.
function Run:graph(made, values)
  local around, caller = self.values, self.node
  self.values = values
  for _, entry in ipairs(made.initializers) do
    if rawget(values, entry[1]) == nil then values[entry[1]] = entry[2] end
  end
  for _, node in ipairs(made.nodes) do
    self.node = node
    local inputs, count = {}, #node.inputs
    for i = 1, count do inputs[i] = values[node.inputs[i]] end
    check_text(node, inputs, count)
    bring_together(node, inputs, count)
    local results = table.pack(call(self, node, inputs, count))
    for i, name in ipairs(node.outputs) do
      if name ~= "" then values[name] = results[i] end
    end
    for _, name in ipairs(node.free) do values[name] = nil end
  end
  local outputs = {n = #made.outputs}
  for i, name in ipairs(made.outputs) do outputs[i] = values[name] end
  self.values, self.node = around, caller
  return outputs
end

--- "node 'x' (Conv)": where the run is.
function Run:place() return self.node and graph.describe(self.node) end

return new_run

-- Calls of models whose ops are recorded once, and then again without going through the graph.
local native = require "tide.native"
local tide = require "tide"

local recorded = {}

--- Recorded calls that a module keeps: one for each combination of its inputs' shapes, types and layouts. And
--- combinations that it remembers; then it forgets all.
local kMostCalls <const>, kMostKinds <const> = 8, 256

--- By module: {fields, calls, seen, kinds}, the names of its tensors' fields, its recorded calls, the last used one
--- first, and for each of a number of kinds of inputs whether they can be recorded.
local modules = setmetatable({}, {__mode = "k"})

local function state_of(module)
  local state = modules[module]
  if not state then
    local fields = {}
    for _, field in pairs(module._tensor_fields) do fields[#fields + 1] = field end
    state = {fields = fields, calls = {}, seen = {}, kinds = 0}
    modules[module] = state
  end
  return state
end

--- The inputs and the module's tensors as one list; nil if one of them is not a tensor.
local function operands_of(module, inputs, fields)
  local list = {}
  for i = 1, inputs.n do
    if type(inputs[i]) ~= "userdata" or not tide.is_tensor(inputs[i]) then return nil end
    list[i] = inputs[i]
  end
  for i, field in ipairs(fields) do
    local value = rawget(module, field)
    if type(value) ~= "userdata" then return nil end
    list[inputs.n + i] = value
  end
  return list
end

--- A text for the kind of the inputs.
local function kind_of(module, inputs)
  local texts = {tostring(module.training)}
  for i = 1, inputs.n do
    local x = inputs[i]
    texts[i + 1] = ("%s %s %s %s"):format(x.dtype, x.device, table.concat(x.shape, ","),
      table.concat(x:stride(), ","))
  end
  return table.concat(texts, ";")
end

--- Runs the recorded call for such inputs, and returns its outputs. If there is none, the second result is a recording
--- to pass to `keep` after the call, and to close; nil if the call should not be recorded: the first one with such
--- inputs may be the only one.
function recorded.run(module, inputs)
  if tide.is_grad_enabled() then return nil, nil end
  local state = state_of(module)
  local operands = operands_of(module, inputs, state.fields)
  if not operands then return nil, nil end
  for i, call in ipairs(state.calls) do
    local outputs = call.training == module.training and call.ops:run(operands)
    if outputs then
      if i > 1 then table.insert(state.calls, 1, table.remove(state.calls, i)) end
      return outputs, nil
    end
  end
  local kind = kind_of(module, inputs)
  if state.seen[kind] then return nil, native.record_call(operands) end
  if state.seen[kind] == nil then
    if state.kinds >= kMostKinds then state.seen, state.kinds = {}, 0 end
    state.seen[kind], state.kinds = true, state.kinds + 1
  end
  return nil, nil
end

--- Keeps the call whose recording began with `run`, if it can be repeated. `outputs` has its number as `n`.
function recorded.keep(module, inputs, recording, outputs)
  if not recording then return end
  local state, results = state_of(module), operands_of(module, outputs, {})
  local ops = results and recording:finish(results)
  if not ops then
    state.seen[kind_of(module, inputs)] = false
    return
  end
  table.insert(state.calls, 1, {ops = ops, training = module.training})
  state.calls[kMostCalls + 1] = nil
end

return recorded

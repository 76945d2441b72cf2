-- Exports nn.RNN, nn.GRU and nn.LSTM: one node per layer, for both directions.
local raise = require "tide.internal.raise"
local tide = require "tide"
local traced = require "tide.onnx.traced"

local kOps <const> = {lstm = "LSTM", gru = "GRU", tanh = "RNN", relu = "RNN"}

-- The order of the gates in ONNX, as positions in tide.
local kOrder <const> = {lstm = {1, 4, 2, 3}, gru = {2, 1, 3}, tanh = {1}, relu = {1}}

--- A weight of one direction with its gates in ONNX's order.
local function reordered(kind, weight)
  local parts, list = weight:detach():chunk(#kOrder[kind], 1), {}
  for i, from in ipairs(kOrder[kind]) do list[i] = parts[from] end
  return tide.cat(list, 1)
end

--- The weights of a layer as a node's inputs: W, R, B.
local function weights_of(self, layer)
  local w, r, b = {}, {}, {}
  for direction = 1, self.directions do
    local tail = ("_l%d%s"):format(layer - 1, direction == 2 and "_reverse" or "")
    w[direction] = reordered(self.kind, self["weight_ih" .. tail])
    r[direction] = reordered(self.kind, self["weight_hh" .. tail])
    if self.bias then
      b[direction] = tide.cat({reordered(self.kind, self["bias_ih" .. tail]),
        reordered(self.kind, self["bias_hh" .. tail])}, 1)
    end
  end
  return tide.stack(w), tide.stack(r), self.bias and tide.stack(b) or nil
end

--- Writes one layer: returns the names of its outputs, (steps, batch, directions * size), and last states.
local function write_layer(self, g, x, layer, states)
  local w, r, b = weights_of(self, layer)
  local start = {}
  for i, state in ipairs(states) do
    local first = (layer - 1) * self.directions
    start[i] = g:node("Slice", {state, g:integers {first}, g:integers {first + self.directions},
      g:integers {0}})
  end
  local attributes = {
    hidden_size = self.hidden_size,
    direction = self.directions == 2 and "bidirectional" or "forward",
  }
  if self.kind == "gru" then attributes.linear_before_reset = 1 end
  local outputs = table.pack(g:node(kOps[self.kind],
    {x, g:name(w), g:name(r), g:name(b), "", start[1] or "", start[2] or ""}, attributes,
    self.states + 1))
  local joined = g:node("Transpose", {outputs[1]}, {perm = {0, 2, 1, 3}})
  local y = g:node("Reshape", {joined, g:integers {0, 0, -1}})
  return y, table.move(outputs, 2, outputs.n, 1, {})
end

--- A replacement for the layer's forward that writes nodes; the original `forward` computes the values.
local function recurrent_export(self, forward)
  return function(_, x, given, cell)
    if tide.is_tensor(given) then given = {given, cell} end
    if not traced.is_traced(x) or self.proj_size > 0 or x:dim() ~= 3 or self.kind == "relu" then
      raise("save: this layer cannot be exported to ONNX: expected a batch of three dimensions, no "
        .. "projection, and tanh")
    end
    local g = x._graph
    local output, last = forward(self, x._value, (traced.unwrap(given)))
    local name, states = x._name, {}
    if self.batch_first then name = g:node("Transpose", {name}, {perm = {1, 0, 2}}) end
    if given then
      for i, state in ipairs(given) do states[i] = g:name(state) end
    end
    local finals = {}
    for layer = 1, self.num_layers do
      local ends
      name, ends = write_layer(self, g, name, layer, states)
      for i, final in ipairs(ends) do
        finals[i] = finals[i] or {}
        finals[i][layer] = final
      end
    end
    if self.batch_first then name = g:node("Transpose", {name}, {perm = {1, 0, 2}}) end
    local values, wrapped = self.states == 2 and last or {last}, {}
    for i, list in ipairs(finals) do
      wrapped[i] = traced.wrap(g, g:node("Concat", list, {axis = 0}), values[i])
    end
    return traced.wrap(g, name, output), self.states == 2 and wrapped or wrapped[1]
  end
end

return recurrent_export

-- Recurrent layers: RNN, LSTM and GRU over sequences, and the cells that take one step.
local class = require "tide.internal.class"
local define = require "tide.internal.declare.define"
local F = require "tide.nn.functional"
local init = require "tide.nn.init"
local Module = require "tide.nn.module"
local packed_recurrence = require "tide.nn.internal.packed_recurrence"
local PackedSequence = require("tide.nn.utils.packed_sequence").PackedSequence
local raise = require "tide.internal.raise"
local tide = require "tide"
local whole_recurrence = require "tide.nn.internal.whole_recurrence"

local recurrent = {}

-- One step of each kind ---------------------------------------------------------------------------

-- step(input, state, weights) -> output, new state. `input` is W x + b of all gates; `state` is {h} or {h, c}.

local function hidden_part(h, weights) return F.linear(h, weights.hh, weights.bias_hh) end

local steps = {}

function steps.tanh(input, state, weights)
  local h = (input + hidden_part(state[1], weights)):tanh()
  return h, {h}
end

function steps.relu(input, state, weights)
  local h = (input + hidden_part(state[1], weights)):relu()
  return h, {h}
end

function steps.lstm(input, state, weights)
  local i, f, g, o = table.unpack((input + hidden_part(state[1], weights)):chunk(4, -1))
  local c = f:sigmoid() * state[2] + i:sigmoid() * g:tanh()
  local h = o:sigmoid() * c:tanh()
  if weights.hr then h = F.linear(h, weights.hr) end
  return h, {h, c}
end

function steps.gru(input, state, weights)
  local ir, iz, i_new = table.unpack(input:chunk(3, -1))
  local hr, hz, h_new = table.unpack(hidden_part(state[1], weights):chunk(3, -1))
  local z = (iz + hz):sigmoid()
  local new = (i_new + (ir + hr):sigmoid() * h_new):tanh()
  local h = (1 - z) * new + z * state[1]
  return h, {h}
end

-- Sequences ---------------------------------------------------------------------------------------

local Recurrent = class("Recurrent", Module)

function Recurrent:setup(given)
  local name = getmetatable(self).name
  self:place(given.device, given.dtype)
  for key, value in pairs(given) do
    if key ~= "device" and key ~= "dtype" then self[key] = value end
  end
  self.proj_size = given.proj_size or 0
  if self.hidden_size < 1 or self.num_layers < 1 then
    raise("%s: hidden_size and num_layers must be at least 1, got %s and %s", name, self.hidden_size,
      self.num_layers)
  end
  if self.proj_size >= self.hidden_size and self.proj_size > 0 then
    raise("%s: proj_size must be less than hidden_size, got %s", name, self.proj_size)
  end
  self.directions = self.bidirectional and 2 or 1
  self:make_parameters()
end

--- The size of h: proj_size if projected, else hidden_size.
function Recurrent:output_size()
  return self.proj_size > 0 and self.proj_size or self.hidden_size
end

--- "_l0", "_l1_reverse": how PyTorch names layers and directions.
local function suffix(layer, direction)
  return ("_l%d%s"):format(layer - 1, direction == 2 and "_reverse" or "")
end

function Recurrent:make_parameters()
  local rows, out = self.gates * self.hidden_size, self:output_size()
  local start = init.fan_in_uniform(self.hidden_size)
  for layer = 1, self.num_layers do
    local inputs = layer == 1 and self.input_size or out * self.directions
    for direction = 1, self.directions do
      local tail = suffix(layer, direction)
      self:optional("bias_ih" .. tail, "bias_hh" .. tail, "weight_hr" .. tail)
      self:parameter("weight_ih" .. tail, {rows, inputs}, start)
      self:parameter("weight_hh" .. tail, {rows, out}, start)
      if self.bias then
        self:parameter("bias_ih" .. tail, {rows}, start)
        self:parameter("bias_hh" .. tail, {rows}, start)
      end
      if self.proj_size > 0 then
        self:parameter("weight_hr" .. tail, {self.proj_size, self.hidden_size}, start)
      end
    end
  end
end

--- Runs one layer in one direction over packed rows x, with sizes[t] sequences in step t; returns the outputs and
--- the last state.
function Recurrent:run(x, sizes, state, layer, direction)
  local tail, step = suffix(layer, direction), steps[self.kind]
  local weights = {
    hh = self["weight_hh" .. tail], bias_hh = self["bias_hh" .. tail],
    hr = self["weight_hr" .. tail],
  }
  local bias = self["bias_ih" .. tail]
  if bias and self.kind ~= "gru" then  -- the biases are only used as a sum
    bias, weights.bias_hh = bias + weights.bias_hh, nil
  end
  local backwards = direction == 2
  local function compose(input, start, hh, bias_hh)
    local step_weights = {hh = hh, bias_hh = bias_hh, hr = weights.hr}
    local function weighted(projected, now) return step(projected, now, step_weights) end
    return packed_recurrence(weighted, input, sizes, start, backwards)
  end
  -- One matrix product for the inputs of all steps.
  local input = F.linear(x, self["weight_ih" .. tail], bias)
  if not whole_recurrence.suits(input, state, weights) then
    return compose(input, state, weights.hh, weights.bias_hh)
  end
  return whole_recurrence.run(
    {cell = self.kind, backwards = backwards, sizes = sizes, compose = compose}, input, state,
    weights)
end

--- The initial states of n sequences as a list of tensors (layers * directions, n, size); by default zeros.
function Recurrent:start(x, n, given, unbatched)
  local name, count = getmetatable(self).name, self.num_layers * self.directions
  local widths = self.states == 2 and {self:output_size(), self.hidden_size}
    or {self:output_size()}
  local states = {}
  for i, width in ipairs(widths) do
    local state = given and given[i]
    if not state then
      states[i] = x:new_zeros({count, n, width})
    else
      if unbatched then state = state:unsqueeze(2) end
      local shape = table.concat(state.shape, ", ")
      local wanted = ("%d, %d, %d"):format(count, n, width)
      if shape ~= wanted then
        raise("%s: expected an initial state of shape (%s), got (%s)", name, wanted, shape)
      end
      states[i] = state
    end
  end
  return states
end

--- Runs all layers over packed rows x; returns the outputs of the last layer, and the last states as a list of
--- tensors (layers * directions, n, size).
function Recurrent:run_layers(x, sizes, states)
  local last = {}
  for i = 1, #states do last[i] = {} end
  local y = x
  for layer = 1, self.num_layers do
    if layer > 1 and self.dropout > 0 then y = F.dropout(y, self.dropout, self.training) end
    local outputs = {}
    for direction = 1, self.directions do
      local index, initial = (layer - 1) * self.directions + direction, {}
      for i, all in ipairs(states) do initial[i] = all[index] end
      local finish
      outputs[direction], finish = self:run(y, sizes, initial, layer, direction)
      for i, value in ipairs(finish) do last[i][index] = value end
    end
    y = self.directions == 2 and tide.cat(outputs, -1) or outputs[1]
  end
  for i, list in ipairs(last) do last[i] = tide.stack(list, 1) end
  return y, last
end

--- Raises an error unless x has input_size features.
function Recurrent:check_features(x)
  if x:size(-1) ~= self.input_size then
    raise("%s: the input has %d features, the layer expects %d", getmetatable(self).name, x:size(-1),
      self.input_size)
  end
end

--- forward over a PackedSequence. States are in the order of the sequences before packing.
function Recurrent:forward_packed(packed, given)
  self:check_features(packed.data)
  local states = self:start(packed.data, packed.sizes[1], given, false)
  local sorted, unsorted = packed.sorted_indices, packed.unsorted_indices
  if given and sorted then
    for i, state in ipairs(states) do states[i] = state:index_select(2, sorted) end
  end
  local y, last = self:run_layers(packed.data, packed.sizes, states)
  if unsorted then
    for i, state in ipairs(last) do last[i] = state:index_select(2, unsorted) end
  end
  return packed:with_data(y), self.states == 2 and last or last[1]
end

--- `output, state = rnn(x, state)`. x is (length, n, features), (n, length, features) with batch_first,
--- (length, features), or a PackedSequence, and so is the output. state is h (layers * directions, n, size), or
--- {h, c} for an LSTM; by default zeros.
function Recurrent:forward(x, state, cell)
  if tide.is_tensor(state) then state = {state, cell} end
  if class.is_a(x, PackedSequence) then return self:forward_packed(x, state) end
  local name = getmetatable(self).name
  local unbatched = x:dim() == 2
  if not unbatched and x:dim() ~= 3 then
    raise("%s: expected an input of 2 or 3 dimensions, got %d", name, x:dim())
  end
  self:check_features(x)
  if unbatched then x = x:unsqueeze(2) elseif self.batch_first then x = x:transpose(1, 2) end
  local length, n = x:size(1), x:size(2)
  if length == 0 then raise("%s: the sequence is empty", name) end
  local sizes = {}
  for t = 1, length do sizes[t] = n end
  local y, last = self:run_layers(x:flatten(1, 2), sizes, self:start(x, n, state, unbatched))
  y = y:reshape(length, n, -1)
  if unbatched then
    for i, value in ipairs(last) do last[i] = value:squeeze(2) end
  end
  if unbatched then y = y:squeeze(2) elseif self.batch_first then y = y:transpose(1, 2) end
  return y, self.states == 2 and last or last[1]
end

function Recurrent:describe()
  return ("%d -> %d, %d layer%s%s"):format(self.input_size, self:output_size(), self.num_layers,
    self.num_layers == 1 and "" or "s", self.bidirectional and ", both directions" or "")
end

--- Makes the class declared as `name`.
local function layer(name, gates, states)
  local Layer, read = define(name, Recurrent)
  Layer.gates, Layer.states = gates, states
  function Layer:init(...)
    local given = read(...)
    self.kind = given.nonlinearity or Layer.name:lower()
    self:setup(given)
  end
  recurrent[Layer.name] = Layer
end

--- Elman recurrent network: output, h = rnn(x, h).
---@use nn: input_size, hidden_size, num_layers = 1
---@param nonlinearity "tanh" | "relu" = "tanh"  activation function
---@use nn: bias = true, batch_first = false
---@param dropout number = 0.0  probability that an element becomes 0, between layers and in training
---@use nn: bidirectional = false, device = nil, dtype = nil
---@formula h = tanh(W_ih x + b_ih + W_hh h + b_hh)
---@shapes x (length, n, input_size), h (layers, n, hidden_size) -> output (length, n, hidden_size), h; with
---  bidirectional twice the layers and features; with batch_first n comes first
---@see nn.LSTM nn.GRU nn.RNNCell nn.utils.rnn.pack_padded_sequence
---@example
--- local output, h = nn.RNN(3, 4)(tide.ones(5, 2, 3))
--- output.shape, h.shape --> {5, 2, 4}, {1, 2, 4}
layer("nn.RNN", 1, 1)

--- Long short-term memory: output, state = lstm(x, state), where state is {h, c}.
---@use nn: input_size, hidden_size, num_layers = 1, bias = true, batch_first = false
---@param dropout number = 0.0  probability that an element becomes 0, between layers and in training
---@use nn: bidirectional = false
---@param proj_size integer >= 0 = 0  size to which the hidden state is projected; 0 for no projection
---@use nn: device = nil, dtype = nil
---@formula i, f, o = sigmoid(W x + U h + b), g = tanh(W x + U h + b); c = f c + i g; h = o tanh(c), W, U, b of each
---  gate in the order i, f, g, o
---@shapes x (length, n, input_size), {h, c} (layers, n, hidden_size) -> output (length, n, hidden_size), {h, c}; with
---  bidirectional twice the layers and features; with batch_first n comes first; with proj_size, h has that size
---@see nn.GRU nn.RNN nn.LSTMCell nn.utils.rnn.pack_padded_sequence
---@example
--- local output, state = nn.LSTM(3, 4)(tide.ones(5, 2, 3))
--- output.shape, state[1].shape --> {5, 2, 4}, {1, 2, 4}
layer("nn.LSTM", 4, 2)

--- Gated recurrent unit: output, h = gru(x, h).
---@use nn: input_size, hidden_size, num_layers = 1, bias = true, batch_first = false
---@param dropout number = 0.0  probability that an element becomes 0, between layers and in training
---@use nn: bidirectional = false, device = nil, dtype = nil
---@formula r, z = sigmoid(W x + U h + b); g = tanh(W x + b + r (U h + c)); h = (1 - z) g + z h
---@shapes x (length, n, input_size), h (layers, n, hidden_size) -> output (length, n, hidden_size), h; with
---  bidirectional twice the layers and features; with batch_first n comes first
---@see nn.LSTM nn.RNN nn.GRUCell
---@example
--- local output, h = nn.GRU(3, 4)(tide.ones(5, 2, 3))
--- output.shape, h.shape --> {5, 2, 4}, {1, 2, 4}
layer("nn.GRU", 3, 1)

-- Cells -------------------------------------------------------------------------------------------

local Cell = class("Cell", Module)

--- `h = cell(x, h)`, or `h, c = cell(x, {h, c})` for an LSTM: one step for x (n, features) or (features). The
--- default state is zero.
function Cell:forward(x, state, cell)
  local unbatched = x:dim() == 1
  if unbatched then x = x:unsqueeze(1) end
  if x:size(-1) ~= self.input_size then
    raise("%s: the input has %d features, the cell expects %d", getmetatable(self).name, x:size(-1),
      self.input_size)
  end
  if tide.is_tensor(state) then state = {state, cell} end
  local states = {}
  for i = 1, self.states do
    local given = state and state[i]
    if given and unbatched then given = given:unsqueeze(1) end
    states[i] = given or x:new_zeros({x:size(1), self.hidden_size})
  end
  local input = F.linear(x, self.weight_ih, self.bias_ih)
  local weights = {hh = self.weight_hh, bias_hh = self.bias_hh}
  local _, after = steps[self.kind](input, states, weights)
  if unbatched then
    for i, value in ipairs(after) do after[i] = value:squeeze(1) end
  end
  return table.unpack(after)
end

function Cell:describe() return ("%d -> %d"):format(self.input_size, self.hidden_size) end

--- Makes the cell class declared as `name`.
local function cell(name, gates, states)
  local Layer, read = define(name, Cell)
  Layer:optional("bias_ih", "bias_hh")
  Layer.states = states
  function Layer:init(...)
    local given = read(...)
    self:place(given.device, given.dtype)
    self.input_size, self.hidden_size = given.input_size, given.hidden_size
    self.kind = given.nonlinearity or Layer.name:sub(1, -5):lower()
    local rows, start = gates * given.hidden_size, init.fan_in_uniform(given.hidden_size)
    self:parameter("weight_ih", {rows, given.input_size}, start)
    self:parameter("weight_hh", {rows, given.hidden_size}, start)
    if given.bias then
      self:parameter("bias_ih", {rows}, start)
      self:parameter("bias_hh", {rows}, start)
    end
  end
  recurrent[Layer.name] = Layer
end

--- One step of an RNN: h = cell(x, h).
---@use nn: input_size, hidden_size, bias = true
---@param nonlinearity "tanh" | "relu" = "tanh"  activation function
---@use nn: device = nil, dtype = nil
---@shapes x (n, input_size), h (n, hidden_size) -> h
---@see nn.RNN nn.GRU nn.LSTMCell
---@example
--- nn.RNNCell(3, 4)(tide.ones(2, 3)).shape --> {2, 4}
cell("nn.RNNCell", 1, 1)

--- One step of an LSTM: h, c = cell(x, {h, c}).
---@use nn: input_size, hidden_size, bias = true, device = nil, dtype = nil
---@shapes x (n, input_size), {h, c} (n, hidden_size) -> h, c
---@see nn.LSTM nn.RNNCell
---@example
--- local h, c = nn.LSTMCell(3, 4)(tide.ones(2, 3)); h.shape, c.shape --> {2, 4}, {2, 4}
cell("nn.LSTMCell", 4, 2)

--- One step of a GRU: h = cell(x, h).
---@like nn.LSTMCell
---@shapes x (n, input_size), h (n, hidden_size) -> h
---@see nn.RNN nn.GRU nn.LSTMCell
---@example
--- nn.GRUCell(3, 4)(tide.ones(2, 3)).shape --> {2, 4}
cell("nn.GRUCell", 3, 1)

return recurrent

-- RNN, GRU and LSTM layers over sequences, with all options of the standard.
local activation = require "tide.onnx.activation"
local F = require "tide.nn.functional"
local raise = require "tide.internal.raise"
local tide = require "tide"

--- The activations of a direction: `defaults` unless the node names others.
local function activations_of(node, direction, defaults)
  local a, list = node.attributes, {}
  for i, default in ipairs(defaults) do
    local index = (direction - 1) * #defaults + i
    list[i] = activation(a.activations and a.activations[index] or default, (a.activation_alpha or {})[index],
      (a.activation_beta or {})[index])
  end
  return list
end

--- The step of each op: share is the input's W x + Wb for all gates, (n, gates * hidden);
--- step(share, state, own) -> new state. `own` has the weights and options of the direction.
local steps = {}

function steps.RNN(share, state, own)
  return {own.f[1](own.clip(share + own.inner(state[1], own.r, own.rb)))}
end

function steps.GRU(share, state, own)
  local size, h = own.size, state[1]
  local xz, xr, xh = table.unpack(share:chunk(3, 2))
  local rz, rr, rh = table.unpack(own.r:split(size, 1))
  local bz, br, bh
  if own.rb then bz, br, bh = table.unpack(own.rb:split(size, 1)) end
  local z = own.f[1](own.clip(xz + own.inner(h, rz, bz)))
  local r = own.f[1](own.clip(xr + own.inner(h, rr, br)))
  local part = own.linear_before_reset and r * own.inner(h, rh, bh) or own.inner(r * h, rh, bh)
  local new = own.f[2](own.clip(xh + part))
  return {(1 - z) * new + z * h}
end

function steps.LSTM(share, state, own)
  local h, c = state[1], state[2]
  local i, o, f, g = table.unpack((share + own.inner(h, own.r, own.rb)):chunk(4, 2))
  local pi, po, pf
  if own.p then
    pi, po, pf = table.unpack(own.p:chunk(3, 1))
    i, f = i + pi * c, f + pf * c
  end
  i = own.f[1](own.clip(i))
  f = own.input_forget and 1 - i or own.f[1](own.clip(f))
  local new = f * c + i * own.f[2](own.clip(g))
  if po then o = o + po * new end
  return {own.f[1](own.clip(o)) * own.f[3](new), new}
end

local kGates <const> = {RNN = 1, GRU = 3, LSTM = 4}
local kDefaults <const> = {
  RNN = {"Tanh"}, GRU = {"Sigmoid", "Tanh"}, LSTM = {"Sigmoid", "Tanh", "Tanh"},
}

--- The new state where a sequence has not ended, else the old one.
local function keep_ended(new, old, going_on)
  for i, value in ipairs(new) do new[i] = tide.where(going_on, value, old[i]) end
  return new
end

--- Runs one direction over x (steps, n, inputs): returns the outputs of all steps and the last state.
local function run_direction(x, state, own, step, lengths, backwards)
  local count, outputs = x:size(1), {}
  local shares = own.outer(x, own.w, own.wb)
  local first, last, by = 1, count, 1
  if backwards then first, last, by = count, 1, -1 end
  for t = first, last, by do
    local new = step(shares:select(1, t), state, own)
    local output = new[1]
    if lengths then
      local going_on = lengths:ge(t):unsqueeze(2)
      new = keep_ended(new, state, going_on)
      output = tide.where(going_on, new[1], 0)
    end
    state, outputs[t] = new, output
  end
  return tide.stack(outputs, 1), state
end

--- The weights and options of a direction; products(direction) returns the products for inputs and states.
local function own_of(node, kind, direction, w, r, b, p, products)
  local a, gates = node.attributes, kGates[kind]
  local own = {
    w = w:select(1, direction), r = r:select(1, direction), p = p and p:select(1, direction),
    f = activations_of(node, direction, kDefaults[kind]), size = r:size(3),
    linear_before_reset = a.linear_before_reset == 1, input_forget = a.input_forget == 1,
  }
  own.outer, own.inner = F.linear, F.linear
  if products then own.outer, own.inner = products(direction) end
  local limit = a.clip
  own.clip = limit and function(x) return x:clamp(-limit, limit) end or function(x) return x end
  if b then
    own.wb, own.rb = table.unpack(b:select(1, direction):split(gates * own.size, 1))
  end
  return own
end

--- Runs a layer of this kind ("LSTM") over x: returns the outputs of all steps, and the last states. `start` lists the
--- initial states. `products` optionally replaces F.linear: products(direction) -> one for inputs, one for states.
local function recurrence(kind, node, x, w, r, b, lengths, start, p, products)
  local a = node.attributes
  local batch_first = a.layout == 1
  if batch_first then x = x:transpose(1, 2) end
  local directions, n, size = r:size(1), x:size(2), r:size(3)
  local backwards = a.direction == "reverse"
  if x:size(1) == 0 then raise "the sequence is empty" end
  local outputs, states = {}, {}
  for direction = 1, directions do
    local state = {}
    for i = 1, kind == "LSTM" and 2 or 1 do
      local given = start[i]
      if given and batch_first then given = given:transpose(1, 2) end
      state[i] = given and given:select(1, direction)
        or tide.zeros({n, size}, {dtype = x.dtype, device = x.device})
    end
    local own = own_of(node, kind, direction, w, r, b, p, products)
    outputs[direction], states[direction] = run_direction(x, state, own, steps[kind], lengths,
      backwards or direction == 2)
  end
  local y, results = tide.stack(outputs, 2), {}
  for i = 1, #states[1] do
    local list = {}
    for direction = 1, directions do list[direction] = states[direction][i] end
    results[i] = tide.stack(list, batch_first and 2 or 1)
  end
  if batch_first then y = y:permute(3, 1, 2, 4) end
  return y, table.unpack(results)
end

return recurrence

-- RNN, GRU and LSTM over sequences, with all that the standard lets them have.
local F = require "tide.nn.functional"
local raise = require "tide.internal.raise"
local tide = require "tide"

local ops = {}

ops.attributes = {
  GRU = "activation_alpha activation_beta activations clip direction hidden_size layout linear_before_reset",
  LSTM = "activation_alpha activation_beta activations clip direction hidden_size input_forget layout",
  RNN = "activation_alpha activation_beta activations clip direction hidden_size layout",
}

--- Activations by their lower-case names, as functions of alpha and beta.
local activations = {
  relu = function() return tide.relu end,
  tanh = function() return tide.tanh end,
  sigmoid = function() return tide.sigmoid end,
  affine = function(a, b) return function(x) return x * (a or 1.0) + (b or 0.0) end end,
  leakyrelu = function(a) return function(x) return F.leaky_relu(x, a or 0.01) end end,
  thresholdedrelu = function(a) return function(x) return F.threshold(x, a or 1.0, 0.0) end end,
  scaledtanh = function(a, b)
    return function(x) return (x * (b or 1.0)):tanh() * (a or 1.0) end
  end,
  hardsigmoid = function(a, b)
    return function(x) return (x * (a or 0.2) + (b or 0.5)):clamp(0, 1) end
  end,
  elu = function(a) return function(x) return F.elu(x, a or 1.0) end end,
  softsign = function() return F.softsign end,
  softplus = function() return F.softplus end,
}

--- The activations of a direction: `defaults` if the node names none.
local function activations_of(node, direction, defaults)
  local a, list = node.attributes, {}
  for i, default in ipairs(defaults) do
    local place = (direction - 1) * #defaults + i
    local name = (a.activations and a.activations[place] or default):lower()
    if not activations[name] then raise("the activation '%s' is not supported", name) end
    list[i] = activations[name]((a.activation_alpha or {})[place], (a.activation_beta or {})[place])
  end
  return list
end

--- The step of each op: share is the input's W x + Wb of all gates, (n, gates * hidden);
--- step(share, state, own) -> new state. `own` has the weights and choices of the direction.
local steps = {}

function steps.RNN(share, state, own)
  return {own.f[1](own.clip(share + F.linear(state[1], own.r, own.rb)))}
end

function steps.GRU(share, state, own)
  local size, h = own.size, state[1]
  local xz, xr, xh = table.unpack(share:chunk(3, 2))
  local rz, rr, rh = table.unpack(own.r:split(size, 1))
  local bz, br, bh
  if own.rb then bz, br, bh = table.unpack(own.rb:split(size, 1)) end
  local z = own.f[1](own.clip(xz + F.linear(h, rz, bz)))
  local r = own.f[1](own.clip(xr + F.linear(h, rr, br)))
  local part = own.linear_before_reset and r * F.linear(h, rh, bh) or F.linear(r * h, rh, bh)
  local new = own.f[2](own.clip(xh + part))
  return {(1 - z) * new + z * h}
end

function steps.LSTM(share, state, own)
  local h, c = state[1], state[2]
  local i, o, f, g = table.unpack((share + F.linear(h, own.r, own.rb)):chunk(4, 2))
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

--- Where a sequence still goes on, the new state, else the old one.
local function keep_ended(new, old, going_on)
  for i, value in ipairs(new) do new[i] = tide.where(going_on, value, old[i]) end
  return new
end

--- One direction over x (steps, n, inputs): outputs of all steps, last state.
local function run_direction(x, state, own, step, lengths, backwards)
  local count, outputs = x:size(1), {}
  local shares = F.linear(x, own.w, own.wb)
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

--- The weights and choices of a direction.
local function own_of(node, direction, w, r, b, p)
  local a, gates = node.attributes, kGates[node.op]
  local own = {
    w = w:select(1, direction), r = r:select(1, direction), p = p and p:select(1, direction),
    f = activations_of(node, direction, kDefaults[node.op]), size = r:size(3),
    linear_before_reset = a.linear_before_reset == 1, input_forget = a.input_forget == 1,
  }
  local limit = a.clip
  own.clip = limit and function(x) return x:clamp(-limit, limit) end or function(x) return x end
  if b then
    own.wb, own.rb = table.unpack(b:select(1, direction):split(gates * own.size, 1))
  end
  return own
end

--- What all three ops do; `start` lists the states to start with.
local function run(node, x, w, r, b, lengths, start, p)
  local a = node.attributes
  local batch_first = a.layout == 1
  if batch_first then x = x:transpose(1, 2) end
  local directions, n, size = r:size(1), x:size(2), r:size(3)
  local backwards = a.direction == "reverse"
  if x:size(1) == 0 then raise "the sequence is empty" end
  local outputs, states = {}, {}
  for direction = 1, directions do
    local state = {}
    for i = 1, node.op == "LSTM" and 2 or 1 do
      local given = start[i]
      if given and batch_first then given = given:transpose(1, 2) end
      state[i] = given and given:select(1, direction)
        or tide.zeros({n, size}, {dtype = x.dtype, device = x.device})
    end
    local own = own_of(node, direction, w, r, b, p)
    outputs[direction], states[direction] = run_direction(x, state, own, steps[node.op], lengths,
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

function ops.RNN(node, x, w, r, b, lengths, h) return run(node, x, w, r, b, lengths, {h}) end

ops.GRU = ops.RNN

function ops.LSTM(node, x, w, r, b, lengths, h, c, p)
  return run(node, x, w, r, b, lengths, {h, c}, p)
end

return ops

-- A recurrent layer as one op over all steps, on devices that have this op.
local class = require "tide.internal.class"
local Function = require "tide.autograd.function"
local native = require "tide.native"
local tide = require "tide"

local Recurrence = class("Recurrence", Function)

-- `layer` is {cell =, backwards =, sizes =, compose = fn}; compose(input, state, weight, bias) computes the output
-- and the last state by ops of single steps.

--- Returns h of all rows and the tensors of the last state.
function Recurrence.forward(ctx, layer, input, weight, bias, h, c)
  local results = native.recurrence(layer.cell, layer.backwards, layer.sizes, input, {h, c}, weight,
    bias, true)
  local states = c and 2 or 1
  ctx.layer = layer
  ctx.kept = table.move(results, 2 + states, #results, 1, {})
  ctx.has_cell = c ~= nil
  ctx:save_for_backward(input, weight, h, c or bias, c and bias)
  return table.unpack(results, 1, 1 + states)
end

--- The arguments of forward: input, weight, bias, h, c.
local function arguments_of(ctx)
  local input, weight, h, fourth, fifth = table.unpack(ctx.saved_tensors)
  if ctx.has_cell then return input, weight, fifth, h, fourth end
  return input, weight, fourth, h
end

--- Differentiable gradients: those of the composed layer.
local function composed_gradients(ctx, gradients)
  local given, inputs, indices = table.pack(arguments_of(ctx)), {}, {}
  for i = 1, 5 do
    if given[i] and ctx.needs_input_grad[i + 1] then
      -- A copy, because the same tensor may be passed twice.
      given[i] = given[i]:clone()
      inputs[#inputs + 1], indices[#indices + 1] = given[i], i
    end
  end
  local input, weight, bias, h, c = table.unpack(given, 1, 5)
  local y, state = ctx.layer.compose(input, {h, c}, weight, bias)
  local found = {tide.grad({y, table.unpack(state)}, inputs,
    {grad_outputs = gradients, create_graph = true, allow_unused = true})}
  local results = {}
  for i, index in ipairs(indices) do results[index] = found[i] end
  return nil, table.unpack(results, 1, 5)
end

function Recurrence.backward(ctx, ...)
  local gradients = {...}
  if tide.is_grad_enabled() then return composed_gradients(ctx, gradients) end
  local layer, needed = ctx.layer, ctx.needs_input_grad
  local _, weight = arguments_of(ctx)
  local dinput, dh, last = table.unpack(native.recurrence_backward(layer.cell, layer.backwards,
    layer.sizes, gradients, ctx.kept, weight))
  local by_hidden = layer.cell == "gru" and last or dinput
  -- One matrix product over all steps.
  local dweight = needed[3] and by_hidden:t():matmul(ctx.kept[2])
  local dbias = needed[4] and by_hidden:sum(1)
  return nil, dinput, dweight or nil, dbias or nil, dh, ctx.has_cell and last or nil
end

local whole_recurrence = {}

--- Whether the device runs a layer with this state and these weights as one op.
function whole_recurrence.suits(input, state, weights)
  local function alike(tensor)
    return type(tensor) == "userdata" and tensor.dtype == input.dtype
      and tensor.device == input.device
  end
  local bias, c = weights.bias_hh, state[2]
  return alike(input) and alike(weights.hh) and alike(state[1]) and (not bias or alike(bias))
    and (not c or alike(c)) and not weights.hr and #input > 0 and native.does_recurrence(input)
end

--- Returns h of all rows and the last state, a list of tensors.
function whole_recurrence.run(layer, input, state, weights)
  local results
  if tide.is_grad_enabled() then
    results = {Recurrence.apply(layer, input, weights.hh, weights.bias_hh, state[1], state[2])}
  else
    results = native.recurrence(layer.cell, layer.backwards, layer.sizes, input, state, weights.hh,
      weights.bias_hh, false)
  end
  return results[1], {results[2], results[3]}
end

return whole_recurrence

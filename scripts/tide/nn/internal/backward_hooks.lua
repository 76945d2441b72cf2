-- Hooks of a module's backward pass: inputs and outputs pass through an autograd function that observes their
-- gradients.
local Function = require "tide.autograd.function"
local class = require "tide.internal.class"
local tide = require "tide"

-- The identity; `watch` receives the gradients and may change them.
local Passage = class("ModuleHook", Function)

function Passage.forward(ctx, watch, ...)
  ctx.watch = watch
  local copies = {}
  for i, x in ipairs {...} do copies[i] = x:clone() end
  return table.unpack(copies)
end

function Passage.backward(ctx, ...) return nil, table.unpack(ctx.watch {...}) end

--- Passes the tensors of `values` that require a gradient through Passage. Returns the values and the number of these
--- tensors. `watch` receives the gradients at the indices of their tensors.
local function passed(watch, values)
  local places, tensors = {}, {}
  for i = 1, values.n do
    if tide.is_tensor(values[i]) and values[i].requires_grad then
      places[#places + 1], tensors[#tensors + 1] = i, values[i]
    end
  end
  if #tensors == 0 or not tide.is_grad_enabled() then return values, 0 end
  local function watch_places(gradients)
    local by_place, changed = {}, {}
    for i, place in ipairs(places) do by_place[place] = gradients[i] end
    by_place = watch(by_place)
    for i, place in ipairs(places) do changed[i] = by_place[place] end
    return changed
  end
  local results = table.pack(table.unpack(values, 1, values.n))
  for i, copy in ipairs {Passage.apply(watch_places, table.unpack(tensors))} do
    results[places[i]] = copy
  end
  return results, #tensors
end

--- The gradients, or the result of a hook if it returned any.
local function or_changed(gradients, changed)
  if changed == nil then return gradients end
  return tide.is_tensor(changed) and {changed} or changed
end

--- Calls compute(inputs), which returns outputs; both are lists with their length `n`. In the backward pass, each of
--- the `pre_hooks` is called with (module, output gradients), then each of the `hooks` with (module, input gradients,
--- output gradients).
local function with_backward_hooks(module, pre_hooks, hooks, inputs, compute)
  local output_gradients
  local function at_inputs(gradients)
    for _, hook in ipairs(hooks) do
      gradients = or_changed(gradients, hook[1](module, gradients, output_gradients))
    end
    output_gradients = nil -- to release them: the graph may live on
    return gradients
  end
  local watched, count = passed(at_inputs, inputs)
  local outputs = compute(watched)
  local function at_outputs(gradients)
    for _, hook in ipairs(pre_hooks) do
      gradients = or_changed(gradients, hook[1](module, gradients))
    end
    output_gradients = gradients
    if count == 0 then at_inputs {} end
    return gradients
  end
  return (passed(at_outputs, outputs))
end

return with_backward_hooks

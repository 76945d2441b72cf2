-- autograd.checkpoint: recomputes part of a network in the backward pass instead of storing its activations.
local checked = require "tide.internal.declare.checked"
local native = require "tide.native"
local tide = require "tide"

--- The current settings of autocast: {device type, options} for each type.
local function autocast_settings()
  local settings = {}
  for i, kind in ipairs {"cpu", "sim", "cuda"} do
    local dtype = tide.get_autocast_dtype(kind)
    settings[i] = {kind, {enabled = tide.is_autocast_enabled(kind), dtype = dtype}}
  end
  return settings
end

--- Calls fn(...) with these settings of autocast.
local function with_autocast(settings, fn, ...)
  local _ <close> = tide.autocast(table.unpack(settings[1]))
  local _ <close> = tide.autocast(table.unpack(settings[2]))
  local _ <close> = tide.autocast(table.unpack(settings[3]))
  return fn(...)
end

--- Runs fn(...) without storing activations: backward runs fn again, with the same random numbers and autocast.
--- Gradients reach tensor arguments and all tensors that fn uses; they cannot be differentiated again.
---@param fn function  function to recompute in backward
---@param arguments... any  arguments of fn
---@example
--- local x = tide.ones(2):requires_grad_()
--- autograd.checkpoint(function(x) return x * x end, x):sum():backward()
--- x.grad --> {2.0, 2.0}
local checkpoint = checked("autograd.checkpoint", function(fn, ...)
  if not tide.is_grad_enabled() then return fn(...) end
  local arguments, tensors = table.pack(...), {}
  for i = 1, arguments.n do
    if tide.is_tensor(arguments[i]) then tensors[#tensors + 1] = i end
  end
  local state, casts = tide.get_rng_state(), autocast_settings()
  local results = table.pack(tide.no_grad(fn, ...))
  -- Parameters that fn captures also need gradients: an extra input that requires a gradient represents them.
  local inputs, outputs = {tide.zeros({}, {requires_grad = true})}, {}
  for i, place in ipairs(tensors) do inputs[i + 1] = arguments[place] end
  for i = 1, results.n do
    if tide.is_tensor(results[i]) and results[i]:is_floating_point() then
      results[i] = results[i]:detach() -- fn may return its arguments
      outputs[#outputs + 1] = i
    end
  end
  if #outputs == 0 then return table.unpack(results, 1, results.n) end
  local attached = {}
  for k, place in ipairs(outputs) do attached[k] = results[place] end
  native.attach_gradient("checkpoint", attached, inputs, function(...)
    local grads = {...}
    local again = table.move(arguments, 1, arguments.n, 1, {})
    for _, place in ipairs(tensors) do
      local value = arguments[place]
      again[place] = value:detach()
      if value.requires_grad then again[place]:requires_grad_() end
    end
    local now = tide.get_rng_state()
    tide.set_rng_state(state)
    local values = table.pack(with_autocast(casts, tide.enable_grad, fn,
      table.unpack(again, 1, arguments.n)))
    tide.set_rng_state(now)
    local total
    tide.enable_grad(function()
      for k, place in ipairs(outputs) do
        local grad = grads[k]
        if grad and values[place].requires_grad then
          local part = (values[place] * grad):sum()
          total = total and total + part or part
        end
      end
    end)
    if total then total:backward() end
    local result = {}
    for i, place in ipairs(tensors) do
      result[i + 1] = again[place].requires_grad and again[place].grad or nil
    end
    return table.unpack(result, 1, #inputs)
  end)
  return table.unpack(results, 1, results.n)
end)

return checkpoint

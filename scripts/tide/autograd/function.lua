-- autograd.Function: an op whose forward and backward are written in Lua.
--
--   local Exp = class("Exp", tide.autograd.Function)
--   function Exp.forward(ctx, x)
--     local y = x:exp()
--     ctx:save_for_backward(y)
--     return y
--   end
--   function Exp.backward(ctx, dy) return dy * ctx.saved_tensors[1] end
--   local y = Exp.apply(x)
local class = require "tide.internal.class"
local define = require "tide.internal.declare.define"
local kind_of = require "tide.internal.kind_of"
local native = require "tide.native"
local raise = require "tide.internal.raise"
local tide = require "tide"

-- Values passed from forward to backward.
local Context = class("Context")

--- Saves tensors, arguments or results of forward, for backward, as the list `saved_tensors`. Later writes into them
--- have no effect.
function Context:save_for_backward(...)
  local saved = {}
  for i, tensor in ipairs {...} do
    if not tide.is_tensor(tensor) then
      raise("save_for_backward: expected argument %d to be a tensor, got %s", i, kind_of(tensor))
    end
    saved[i] = {tensor = tensor, kept = native.snapshot(tensor)}
  end
  self.saved = saved
end

--- Marks results that have no gradient.
function Context:mark_non_differentiable(...)
  self.without_gradient = {}
  for _, tensor in ipairs {...} do self.without_gradient[tensor] = true end
end

--- With false, backward gets nil instead of zeros for results without a gradient.
function Context:set_materialize_grads(on) self.materialize = on end

--- Records which saved tensors are results, and releases them, to avoid a cycle: the grad function of the results
--- refers to the context.
local function release_outputs(context, outputs)
  for _, entry in ipairs(context.saved or {}) do
    entry.is_result = #outputs == 1 and rawequal(entry.tensor, outputs[1])
    entry.tensor = nil
  end
  context.without_gradient = nil
end

--- The saved tensors. A single result is returned with its grad function, so that backward can be differentiated.
local function saved_tensors(context, y)
  local list = {}
  for i, entry in ipairs(context.saved or {}) do list[i] = entry.is_result and y or entry.kept end
  return list
end

local function same_shape(a, b) return table.concat(a.shape, ",") == table.concat(b.shape, ",") end

--- The gradients that backward returned, for the tensors among the arguments.
local function pick(name, grads, count, tensors)
  if grads.n > count then
    raise("%s: backward returned %d gradients for %d arguments", name, grads.n, count)
  end
  local picked = {}
  for i, tensor in ipairs(tensors) do
    local grad = grads[tensor.place]
    if grad ~= nil then
      if not tide.is_tensor(grad) then
        raise("%s: backward returned a %s for argument %d", name, kind_of(grad), tensor.place)
      end
      if not same_shape(grad, tensor.value) then
        raise("%s: backward returned a gradient of shape (%s) for argument %d of shape (%s)", name,
          table.concat(grad.shape, ", "), tensor.place, table.concat(tensor.value.shape, ", "))
      end
      picked[i] = grad
    end
  end
  return table.unpack(picked, 1, #tensors)
end

--- Registers `definition.backward` as the gradient of these outputs.
local function attach(definition, context, name, argument_count, tensors, outputs)
  release_outputs(context, outputs)
  local inputs, forms = {}, {}
  for i, tensor in ipairs(tensors) do inputs[i] = tensor.value end
  for i, output in ipairs(outputs) do
    forms[i] = {output.shape, {dtype = output.dtype, device = output.device}}
  end
  native.attach_gradient(name, outputs, inputs, function(...)
    local grads = table.pack(...)
    local count = #forms
    context.saved_tensors = saved_tensors(context, grads[count + 1])
    if context.materialize ~= false then
      for i, form in ipairs(forms) do
        grads[i] = grads[i] or tide.zeros(form[1], form[2])
      end
    end
    local results = table.pack(definition.backward(context, table.unpack(grads, 1, count)))
    return pick(name, results, argument_count, tensors)
  end)
end

--- Runs forward without gradients and connects its results to the tensors among the arguments.
local function apply(definition, ...)
  local name = definition.name or "Function"
  local arguments, context, tensors = table.pack(...), Context(), {}
  context.needs_input_grad = {}
  local wanted = false
  for i = 1, arguments.n do
    local value = arguments[i]
    local needs = tide.is_tensor(value) and value.requires_grad
    context.needs_input_grad[i] = needs or false
    wanted = wanted or needs
    if tide.is_tensor(value) then tensors[#tensors + 1] = {place = i, value = value} end
  end
  local results = table.pack(tide.no_grad(definition.forward, context, ...))
  if not (wanted and tide.is_grad_enabled()) then return table.unpack(results, 1, results.n) end
  local outputs = {}
  for i = 1, results.n do
    local result = results[i]
    if tide.is_tensor(result) and result:is_floating_point()
      and not (context.without_gradient and context.without_gradient[result]) then
      -- A tensor that is already part of a graph gets a new handle.
      if result.requires_grad then
        result = result:detach()
        results[i] = result
      end
      outputs[#outputs + 1] = result
    end
  end
  if #outputs > 0 then attach(definition, context, name, arguments.n, tensors, outputs) end
  return table.unpack(results, 1, results.n)
end

--- An op written in Lua; as a base class: class(name, Function), then Class.apply(x).
---@param forward function  forward(ctx, ...) returns the results; ctx:save_for_backward(...) saves tensors
---@param backward function  backward(ctx, gradients...) returns a gradient for each input
---@param name string = "Function"  name in errors
---@example
--- local function forward(ctx, x) return 2 * x end
--- local function backward(ctx, dy) return 2 * dy end
--- local twice = autograd.Function{forward = forward, backward = backward}
--- twice(tide.ones(2)) --> {2.0, 2.0}
local Function, read = define "autograd.Function"

--- Each class derived from Function gets its own `apply`.
function Function.inherited(made)
  made.apply = function(...) return apply(made, ...) end
end

--- Without a class: `local exp = tide.autograd.Function{forward = fn, backward = fn}`, then exp(x).
function Function:init(...)
  local given = read(...)
  self.forward, self.backward, self.name = given.forward, given.backward, given.name
end

function Function:__call(...) return apply(self, ...) end

--- Called by apply with a context and the arguments: returns the results.
function Function.forward() raise("Function: has no forward") end

--- Called with the context and a gradient for each result: returns one for each argument, or nil.
function Function.backward() raise("Function: has no backward") end

return Function

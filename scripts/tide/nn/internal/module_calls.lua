-- Calls of modules: their forward pass with hooks, and errors that name the layer.
local add_hook = require "tide.internal.add_hook"
local call_hooks = require "tide.nn.internal.call_hooks"
local describe_error = require "tide.nn.internal.describe_error"
local hooks_of = require "tide.nn.internal.module_fields".hooks

--- The methods of Module that deal with its calls.
local Module = {}

--- Calls fn(module, inputs) before each forward, with a table of the inputs; a result other than nil (one value, or a
--- table of values) replaces the inputs. Returns a function that removes the hook.
---@param fn function  the function to call
---@example
--- local layer = nn.Identity()
--- local n = 0
--- layer:register_forward_pre_hook(function() n = n + 1 end)
--- layer(tide.ones(2))
--- n --> 1
function Module:register_forward_pre_hook(fn) return add_hook(self, "_pre_hooks", fn) end

--- Calls fn(module, inputs, output) after each forward; a result other than nil replaces the output. Returns a function
--- that removes the hook.
---@param fn function  the function to call
---@example
--- local layer = nn.Identity()
--- local seen
--- layer:register_forward_hook(function(m, x, y) seen = y end)
--- layer(tide.ones(2))
--- seen --> {1.0, 1.0}
function Module:register_forward_hook(fn) return add_hook(self, "_hooks", fn) end

--- Calls fn(module, input_gradients, output_gradients), with tables, after the module's backward pass; a result other
--- than nil replaces the input gradients. Returns a function that removes the hook.
---@param fn function  the function to call
---@example
--- local layer = nn.Linear(2, 1)
--- local shape
--- layer:register_full_backward_hook(function(m, inputs, outputs) shape = outputs[1].shape end)
--- layer(tide.ones(3, 2)):sum():backward()
--- shape --> {3, 1}
function Module:register_full_backward_hook(fn) return add_hook(self, "_backward_hooks", fn) end

--- Calls fn(module, output_gradients) before the module's backward pass; a result other than nil replaces the output
--- gradients. Returns a function that removes the hook.
---@param fn function  the function to call
---@example
--- local layer = nn.Linear(2, 1)
--- layer:register_full_backward_pre_hook(function(m, gradients) return gradients[1] * 2 end)
--- layer(tide.ones(3, 2)):sum():backward()
--- layer.bias.grad --> {6.0}
function Module:register_full_backward_pre_hook(fn) return add_hook(self, "_backward_pre_hooks", fn) end

--- forward with the hooks of the module around it.
local function forward_with_hooks(self, ...)
  local inputs = table.pack(...)
  for _, hook in ipairs(hooks_of(self, "_pre_hooks")) do
    local changed = hook[1](self, inputs)
    if changed ~= nil then
      local several = type(changed) == "table" and not getmetatable(changed)
      inputs = several and table.pack(table.unpack(changed)) or table.pack(changed)
    end
  end
  local function compute(from)
    local outputs = table.pack(self:forward(table.unpack(from, 1, from.n)))
    for _, hook in ipairs(hooks_of(self, "_hooks")) do
      local changed = hook[1](self, inputs, outputs[1])
      if changed ~= nil then outputs[1] = changed end
    end
    for _, hook in ipairs(call_hooks.after or {}) do hook[1](self, inputs, outputs[1]) end
    return outputs
  end
  local before, after = hooks_of(self, "_backward_pre_hooks"), hooks_of(self, "_backward_hooks")
  local outputs
  if #before + #after == 0 then
    outputs = compute(inputs)
  else
    outputs = require "tide.nn.internal.backward_hooks"(self, before, after, inputs, compute)
  end
  return table.unpack(outputs, 1, outputs.n)
end

local function finish(ok, ...)
  if ok then return ... end
  error((...), 0)
end

local function call(self, ...)
  local hooked = call_hooks.after or rawget(self, "_hooks") or rawget(self, "_pre_hooks")
    or rawget(self, "_backward_hooks") or rawget(self, "_backward_pre_hooks")
  local forward = hooked and forward_with_hooks or self.forward
  return finish(xpcall(forward, describe_error.handler, self, ...))
end

Module.__call = call
describe_error.watch(call)

return Module

-- The hooks of a training: methods of the module and of callbacks that the loops call at their
-- places.
local class = require "tide.internal.class"
local nearest = require "tide.internal.nearest"
local protocol = require "tide.data.protocol"
local raise = require "tide.internal.raise"

local hooks = {}

--- All names. Those of batches get the batch, or what came of it, and its number.
hooks.names = {}
for _, name in ipairs {
  "setup", "teardown", "on_fit_start", "on_fit_end", "on_exception", "on_train_start",
  "on_train_end", "on_train_epoch_start", "on_train_epoch_end", "on_train_batch_start",
  "on_train_batch_end", "on_before_backward", "on_after_backward", "on_before_optimizer_step",
  "on_before_zero_grad", "on_advance_end", "on_sanity_check_start", "on_sanity_check_end",
  "on_save_checkpoint", "on_load_checkpoint",
} do hooks.names[name] = true end
for _, stage in ipairs {"validation", "test", "predict"} do
  for _, place in ipairs {"start", "end", "epoch_start", "epoch_end", "batch_start", "batch_end"} do
    hooks.names[("on_%s_%s"):format(stage, place)] = true
  end
end

--- The method that an object or its class has under `name`.
function hooks.method(object, name)
  local own = rawget(object, name)
  if own == nil then own = class.member(getmetatable(object), name) end
  return type(own) == "function" and own or nil
end

--- Raises an error for a method whose name begins like a hook's and is none.
local function check_names(object)
  local level = object
  while type(level) == "table" do
    for name, value in next, level do
      local like = type(name) == "string" and name:sub(1, 3) == "on_" and type(value) == "function"
      if like and not hooks.names[name] then
        local near = nearest(name, hooks.names)
        raise("Trainer: %s: there is no hook '%s'%s", protocol.kind_of(object), name,
          near and ("; did you mean '%s'?"):format(near) or "")
      end
    end
    level = level == object and getmetatable(object) or rawget(level, "base")
  end
end

--- A function call(name, ...) that calls the hook of the callbacks, in their order, with the
--- trainer and the module, and then that of the module; and a function listens(name): whether there
--- is one to call.
function hooks.caller(trainer, module, callbacks)
  local lists, own = {}, {}
  for name in pairs(hooks.names) do lists[name], own[name] = {}, hooks.method(module, name) end
  check_names(module)
  for _, callback in ipairs(callbacks) do
    check_names(callback)
    for name, list in pairs(lists) do
      local method = hooks.method(callback, name)
      if method then list[#list + 1] = {method, callback} end
    end
  end
  return function(name, ...)
    for _, hook in ipairs(lists[name]) do hook[1](hook[2], trainer, module, ...) end
    local method = own[name]
    if method then method(module, ...) end
  end, function(name) return own[name] ~= nil or #lists[name] > 0 end
end

return hooks

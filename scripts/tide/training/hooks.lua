-- The hooks of a training: methods of the module and of callbacks that the loops call.
local class = require "tide.internal.class"
local nearest = require "tide.internal.nearest"
local protocol = require "tide.data.protocol"
local raise = require "tide.internal.raise"

local hooks = {}

--- All names. Batch hooks receive the batch or its outputs, and its number.
hooks.names = {}
for _, name in ipairs {
  "setup", "teardown", "on_fit_start", "on_fit_end", "on_exception", "on_train_start",
  "on_train_end", "on_train_epoch_start", "on_train_epoch_end", "on_train_batch_start",
  "on_train_batch_end", "on_before_backward", "on_after_backward", "on_before_optimizer_step",
  "on_before_zero_grad", "on_advance_end", "on_sanity_check_start", "on_sanity_check_end",
  "on_save_checkpoint", "on_load_checkpoint",
} do hooks.names[name] = true end
for _, stage in ipairs {"validation", "test", "predict"} do
  for _, event in ipairs {"start", "end", "epoch_start", "epoch_end", "batch_start", "batch_end"} do
    hooks.names[("on_%s_%s"):format(stage, event)] = true
  end
end

--- The method `name` of an object or its class.
function hooks.method(object, name)
  local own = rawget(object, name)
  if own == nil then own = class.member(getmetatable(object), name) end
  return type(own) == "function" and own or nil
end

--- Raises an error for a method whose name begins with on_ but is not a hook's.
local function check_names(object)
  local level = object
  while type(level) == "table" do
    for name, value in next, level do
      local like = type(name) == "string" and name:sub(1, 3) == "on_" and type(value) == "function"
      if like and not hooks.names[name] then
        local near = nearest(name, hooks.names)
        raise("Trainer: %s: unknown hook '%s'%s", protocol.kind_of(object), name,
          near and ("; did you mean '%s'?"):format(near) or "")
      end
    end
    level = level == object and getmetatable(object) or rawget(level, "base")
  end
end

--- Returns call(name, ...), which calls the hook of each callback in order, with the trainer and the
--- module, and then the module's hook; and listens(name): whether any hook of that name exists.
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

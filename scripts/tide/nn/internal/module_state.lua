-- State of modules: saving and loading their parameters and buffers by name.
local add_hook = require "tide.internal.add_hook"
local fields = require "tide.nn.internal.module_fields"
local kind_of = require "tide.internal.kind_of"
local native = require "tide.native"
local raise = require "tide.internal.raise"
local tide = require "tide"

local fields_of, file_name, hooks_of = fields.each, fields.file_name, fields.hooks

--- The methods of Module that deal with its state.
local Module = {}

--- Calls visit(module, prefix) for the module and its descendants, and leave(module, prefix) after its children.
--- A shared module is visited each time, but cycles are skipped.
local function walk(module, prefix, visit, leave, above)
  above = above or {}
  if above[module] then return end
  above[module] = true
  visit(module, prefix)
  for name, child in fields_of(module, "child") do
    walk(child, prefix .. file_name(module, name) .. ".", visit, leave, above)
  end
  leave(module, prefix)
  above[module] = nil
end

--- Calls all hooks of one kind with the module and the other arguments.
local function run_hooks(module, key, ...)
  for _, hook in ipairs(hooks_of(module, key)) do hook[1](module, ...) end
end

--- All parameters and buffers by PyTorch's names.
---@param prefix string = ""  prefix of all names
---@param keep_vars boolean = false  return the parameters themselves instead of detached ones
---@see module:load_state_dict tide.save tide.load
---@example
--- nn.Sequential(nn.Linear(3, 2)):state_dict()["0.weight"].shape --> {2, 3}
function Module:state_dict(prefix, keep_vars)
  local state = {}
  walk(self, prefix, function(module, prefix)
    run_hooks(module, "_state_dict_pre_hooks", prefix, keep_vars)
    for _, kind in ipairs {"parameter", "buffer"} do
      for name, tensor in fields_of(module, kind) do
        state[prefix .. file_name(module, name)] = keep_vars and tensor or tensor:detach()
      end
    end
  end, function(module, prefix) run_hooks(module, "_state_dict_hooks", state, prefix) end)
  return setmetatable(state, native.list)
end

--- Calls fn(module, prefix, keep_vars) before the module's tensors go into a state_dict.
---@param fn function  the function to call
---@example
--- local layer, n = nn.Linear(1, 1), 0
--- layer:register_state_dict_pre_hook(function() n = n + 1 end)
--- layer:state_dict()
--- n --> 1
function Module:register_state_dict_pre_hook(fn)
  return add_hook(self, "_state_dict_pre_hooks", fn)
end

--- Calls fn(module, state, prefix) after the module's tensors were added to a state_dict; it may change the state.
---@param fn function  the function to call
---@example
--- local layer = nn.Linear(1, 1)
--- layer:register_state_dict_post_hook(function(m, state) state.bias = nil end)
--- layer:state_dict().bias --> nil
function Module:register_state_dict_post_hook(fn)
  return add_hook(self, "_state_dict_hooks", fn)
end

--- Calls fn(module, state, prefix, strict) before a state is loaded; it may change the state.
---@param fn function  the function to call
---@example
--- local layer = nn.Linear(1, 1, {bias = false})
--- layer:register_load_state_dict_pre_hook(function(m, state) state.weight, state.w = state.w, nil end)
--- layer:load_state_dict {w = tide.ones(1, 1)}
--- layer.weight --> {{1.0}}
function Module:register_load_state_dict_pre_hook(fn)
  return add_hook(self, "_load_state_dict_pre_hooks", fn)
end

--- Calls fn(module, {missing_keys, unexpected_keys}) after loading; it may change the lists.
---@param fn function  the function to call
---@example
--- local layer = nn.Linear(1, 1)
--- layer:register_load_state_dict_post_hook(function(m, keys) keys.missing_keys = {} end)
--- layer:load_state_dict {weight = tide.ones(1, 1)}
--- layer.weight --> {{1.0}}
function Module:register_load_state_dict_post_hook(fn)
  return add_hook(self, "_load_state_dict_post_hooks", fn)
end

local function sorted_keys(set)
  local list = {}
  for key in pairs(set) do list[#list + 1] = key end
  table.sort(list)
  return list
end

local function same_shape(a, b) return table.concat(a.shape, ",") == table.concat(b.shape, ",") end

--- The module's tensors by name, as in state_dict but without its hooks.
local function tensors_by_name(module)
  local own = {}
  walk(module, "", function(below, prefix)
    for _, kind in ipairs {"parameter", "buffer"} do
      for name, tensor in fields_of(below, kind) do
        own[prefix .. file_name(below, name)] = tensor
      end
    end
  end, function() end)
  return own
end

--- Describes why a value of a state cannot be copied into a tensor of the module; nil if it can.
local function misfit(name, tensor, given)
  if not tide.is_tensor(given) then
    return ("%s is a %s in what is loaded, expected a tensor"):format(name, kind_of(given))
  end
  if same_shape(given, tensor) then return nil end
  return ("%s is (%s) in the module, but (%s) in what is loaded"):format(name,
    table.concat(tensor.shape, ", "), table.concat(given.shape, ", "))
end

--- Raises an error that lists names, if there are any.
local function check_names(missing, unexpected)
  if #missing + #unexpected == 0 then return end
  raise("load_state_dict: missing: %s; not in the module: %s",
    #missing > 0 and table.concat(missing, ", ") or "none",
    #unexpected > 0 and table.concat(unexpected, ", ") or "none")
end

--- Copies tensors by name into the module's parameters and buffers.
---@param state_dict table | string  tensors by name, as returned by state_dict
---@param strict boolean = true  raise an error for missing and unknown names
---@see module:state_dict tide.save tide.load
---@example
--- local a, b = nn.Linear(3, 2), nn.Linear(3, 2)
--- b:load_state_dict(a:state_dict())
--- b.weight:equal(a.weight) --> true
function Module:load_state_dict(state_dict, strict)
  if type(state_dict) == "string" then
    raise("load_state_dict: expected a table of tensors by name, got string: tide.load(%q) reads one", state_dict)
  end
  local state, hooked = {}, false
  for name, tensor in pairs(state_dict) do state[name] = tensor end
  walk(self, "", function(module, prefix)
    run_hooks(module, "_load_state_dict_pre_hooks", state, prefix, strict)
    hooked = hooked or #hooks_of(module, "_load_state_dict_post_hooks") > 0
  end, function() end)
  local own, missing, unexpected, misfits = tensors_by_name(self), {}, {}, {}
  for _, name in ipairs(sorted_keys(own)) do
    if state[name] == nil then
      missing[name] = true
    else
      misfits[#misfits + 1] = misfit(name, own[name], state[name])
    end
  end
  if #misfits > 0 then raise("load_state_dict: %s", table.concat(misfits, "; ")) end
  for name in pairs(state) do
    if not own[name] then unexpected[tostring(name)] = true end
  end
  missing, unexpected = sorted_keys(missing), sorted_keys(unexpected)
  if strict and not hooked then check_names(missing, unexpected) end
  tide.no_grad(function()
    for name, tensor in pairs(own) do
      if state[name] then tensor:copy_(state[name]) end
    end
  end)
  local keys = {missing_keys = missing, unexpected_keys = unexpected}
  walk(self, "", function() end, function(module)
    run_hooks(module, "_load_state_dict_post_hooks", keys)
  end)
  if strict then check_names(keys.missing_keys, keys.unexpected_keys) end
  return keys.missing_keys, keys.unexpected_keys
end

return Module

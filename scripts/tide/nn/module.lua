-- nn.Module, the base of all layers: parameters, children, modes, state, and errors that name the
-- layer.
local add_hook = require "tide.internal.add_hook"
local reader = require "tide.internal.declare.reader"
local call_hooks = require "tide.nn.internal.call_hooks"
local class = require "tide.internal.class"
local describe_error = require "tide.nn.internal.describe_error"
local fields = require "tide.nn.internal.module_fields"
local note_hidden = require "tide.nn.internal.hidden_modules"
local kind_of = require "tide.internal.kind_of"
local known_fields = require "tide.internal.known_fields"
local native = require "tide.native"
local of_kind = require "tide.internal.of_kind"
local raise = require "tide.internal.raise"
local state_methods = require "tide.nn.internal.module_state"
local tide = require "tide"

local register, fields_of, hooks_of = fields.register, fields.each, fields.hooks
local child_name, file_name = fields.child_name, fields.file_name

local Module = class("Module")
Module.__is_module = true -- so do all classes made from it: see internal/of_kind.lua

--- Moves parameters and buffers in place without their values, which are uninitialized then.
---@param device device  where parameters go; nil stays
---@param recurse boolean = true  also modules below
---@example
--- nn.Linear(3, 2):to_empty("sim").weight.device --> sim:0
local read_to_empty = reader "module:to_empty"

--- Gluon's word: moves, and fills the weights, those of lazy layers when they are made; of a list {ctx = {a, b}}
--- inputs may lie on any.
---@param init function = nil  fills weights, as nn.init.normal_ does; nil is the layer's own
---@param ctx device | device[] = nil  where parameters go
---@example
--- local net = nn.Dense(2, {use_bias = false})
--- net:initialize({init = nn.init.ones_, ctx = tide.cpu()})
--- net(tide.ones(1, 3)) --> {{3.0, 3.0}}
local read_initialize = reader "module:initialize"

--- Modules start in training mode; `eval` changes it.
Module.training = true

--- Whether the parameters are only made when the first input tells their sizes.
Module.unbuilt = false

--- Classes that need nothing at their start need no `init`.
function Module:init() end

-- Fields ------------------------------------------------------------------------------------------

local function field_kind(value)
  if class.is_a(value, Module) then return "child" end
  if tide.is_tensor(value) then return value.requires_grad and "parameter" or "tensor" end
end

-- Called for fields that are not there yet, so assigning to a known one costs nothing.
function Module:__newindex(name, value)
  local kind = field_kind(value)
  if kind then register(self, name, kind) else self._noted[name] = true end
  rawset(self, name, value)
end

-- Reading a field that no object of the class has had is an error, so that a misspelt name is found.
known_fields.watch(Module, {
  new_field = Module.__newindex, always = true,
  refuse = function(class, name)
    if math.type(name) == "integer" and name < 1 then
      raise("%s: positions start at 1, got %d", class.name, name)
    end
  end,
  hint = function(class, name)
    return ("; if it may be absent: %s:optional %q"):format(class.name, name)
  end,
})

--- Says that objects of this class may lack the fields `names...`, which are nil then. Assigning
--- nil to a field in `init` says the same.
function Module:optional(...) known_fields.optional(self, ...) end

--- Where new parameters of this module go: {device =, dtype =}, as its options or the last `to`
--- said.
function Module:placement() return rawget(self, "_placement") or {} end

--- Remembers where new parameters go.
function Module:place(placement)
  of_kind(getmetatable(self).name .. ".place", "placement", placement, "table")
  local now = self:placement()
  rawset(self, "_placement", {
    device = placement.device or now.device,
    dtype = placement.dtype or now.dtype,
  })
end

--- Makes a parameter of `shape` filled by `initialise(tensor)` and keeps it in field `name`.
function Module:parameter(name, shape, initialise)
  local placement = self:placement()
  local tensor = next(placement) and tide.zeros(shape, placement) or tide.zeros(shape)
  if initialise then of_kind(getmetatable(self).name .. ".parameter", "initialise", initialise, "callable")(tensor) end
  local asked = rawget(self, "_initial")
  if asked and tensor:dim() > 1 then asked(tensor) end
  self:register_parameter(name, tensor:requires_grad_(true))
end

--- Keeps `tensor` in field `name` as a parameter, whether or not it requires a gradient now.
function Module:register_parameter(name, tensor)
  register(self, name, "parameter")
  rawset(self, name, tensor)
end

--- Keeps `tensor` in field `name` as state that is saved and moved, but not trained.
function Module:register_buffer(name, tensor)
  register(self, name, "buffer")
  rawset(self, name, tensor)
end

--- Keeps `tensor`, or nil, in field `name` as something that is computed: neither saved nor
--- trained.
function Module:keep_computed(name, tensor)
  register(self, name, "tensor")
  rawset(self, name, tensor)
end

--- Keeps `module` as child `name`.
function Module:add_module(name, module)
  register(self, name, "child")
  rawset(self, name, module)
end

-- Walking -----------------------------------------------------------------------------------------

--- Adds {name, module} of `module` and all below it to `list`, parents first, each module once.
local function collect(module, prefix, list, seen)
  if seen[module] then return end
  seen[module] = true
  list[#list + 1] = {prefix, module}
  for name, child in fields_of(module, "child") do
    local own = file_name(module, name)
    local path = prefix == "" and own or prefix .. "." .. own
    collect(child, path, list, seen)
  end
end

local function iterate(list)
  local i = 0
  return function()
    i = i + 1
    if list[i] then return list[i][1], list[i][2] end
  end
end

--- {name, tensor} of all fields of one kind in the module and below it.
local function tensors_of(module, kind, shared_once)
  local modules, list, seen = {}, {}, {}
  collect(module, "", modules, {})
  for _, entry in ipairs(modules) do
    local prefix = entry[1] == "" and "" or entry[1] .. "."
    for name, tensor in fields_of(entry[2], kind) do
      if not (shared_once and seen[tensor]) then
        list[#list + 1] = {prefix .. file_name(entry[2], name), tensor}
      end
      seen[tensor] = true
    end
  end
  return list
end

local function values(list)
  local result = {}
  for i, entry in ipairs(list) do result[i] = entry[2] end
  return setmetatable(result, native.list)
end

--- `for name, module in net:named_modules()`: this module and all below it.
function Module:named_modules()
  local list = {}
  collect(self, "", list, {})
  return iterate(list)
end

--- `for name, module in net:named_children()`: names as in Lua.
function Module:named_children()
  local next_field = fields_of(self, "child")
  return function()
    local name, child = next_field()
    if name ~= nil then return child_name(self, name), child end
  end
end

--- `for name, tensor in net:named_parameters()`: names as in state_dict.
function Module:named_parameters() return iterate(tensors_of(self, "parameter", true)) end

--- `for name, tensor in net:named_buffers()`.
function Module:named_buffers() return iterate(tensors_of(self, "buffer", true)) end

--- A list of this module and all below it.
function Module:modules()
  local list = {}
  collect(self, "", list, {})
  return values(list)
end

--- A list of the modules right below this one.
function Module:children()
  local list = {}
  for _, child in fields_of(self, "child") do list[#list + 1] = child end
  return setmetatable(list, native.list)
end

--- A list of all parameters, those shared by several modules once: what an optimizer takes.
function Module:parameters()
  local modules = self:modules()
  note_hidden(modules, Module)
  for _, module in ipairs(modules) do
    if module.unbuilt then
      raise("parameters: %s has none before its first input: pass it one batch", tostring(module))
    end
  end
  return values(tensors_of(self, "parameter", true))
end

--- A list of all buffers.
function Module:buffers() return values(tensors_of(self, "buffer", true)) end

--- The module at a path of names as in state_dict: "layer1.0.conv1", or "" for this one.
function Module:get_submodule(path)
  for name, module in self:named_modules() do
    if name == path then return module end
  end
  raise("get_submodule: there is no module %s", tostring(path))
end

--- The parameter or buffer with a name as in state_dict.
function Module:get_parameter(path)
  for _, kind in ipairs {"parameter", "buffer"} do
    for _, entry in ipairs(tensors_of(self, kind)) do
      if entry[1] == path then return entry[2] end
    end
  end
  raise("get_parameter: there is no parameter %s", tostring(path))
end

--- A module of its own that is the same: parameters and buffers are copied, those that are shared
--- inside stay shared. Fields that are no tensors, modules or plain tables are taken over as they
--- are.
function Module:clone()
  local copies = {}
  local function copy(value)
    if copies[value] ~= nil then return copies[value] end
    if tide.is_tensor(value) then
      copies[value] = value:detach():clone():requires_grad_(value.requires_grad)
    elseif type(value) == "table" and (class.is_a(value, Module) or not getmetatable(value)) then
      local result = {}
      copies[value] = result
      for key, field in next, value do result[key] = copy(field) end
      setmetatable(result, getmetatable(value))
    else
      return value
    end
    return copies[value]
  end
  return copy(self)
end

--- Calls fn(module) for all modules below this one and then for itself.
function Module:apply(fn)
  of_kind(getmetatable(self).name .. ".apply", "fn", fn, "callable")
  for _, child in fields_of(self, "child") do child:apply(fn) end
  fn(self)
  return self
end

-- Modes, gradients, places ------------------------------------------------------------------------

--- Switches training behaviour (dropout and the like) on or, with false, off.
function Module:train(mode)
  for _, module in ipairs(self:modules()) do module.training = mode ~= false end
  return self
end

--- Switches training behaviour off.
function Module:eval() return self:train(false) end

--- Drops the gradients of all parameters.
function Module:zero_grad()
  for _, entry in ipairs(tensors_of(self, "parameter")) do entry[2].grad = nil end
end

--- Says whether the parameters are to be trained.
function Module:requires_grad_(on)
  for _, entry in ipairs(tensors_of(self, "parameter")) do entry[2]:requires_grad_(on ~= false) end
  return self
end

--- What `to` was asked for, as {device =, dtype =}: a device, a type, their names or such a table.
local function read_placement(target)
  if type(target) == "table" and not getmetatable(target) then
    for name in pairs(target) do
      if name ~= "device" and name ~= "dtype" and name ~= "non_blocking" and name ~= "memory_format" then
        raise("to: unknown option '%s': known are device, dtype, non_blocking, memory_format",
          tostring(name))
      end
    end
    return target
  end
  if tide.is_tensor(target) then return {device = target.device, dtype = target.dtype} end
  -- What names no device must be a type; a wrong name fails when the first tensor is converted.
  local is_device, device = pcall(tide.device, target)
  return is_device and {device = device} or {dtype = target}
end

--- Moves all parameters and buffers, in place, to a device or floating type, those of four
--- dimensions also to a memory format; returns the module.
function Module:to(target, dtype)
  local placement = read_placement(target)
  if dtype then placement = {device = placement.device, dtype = dtype} end
  for _, module in ipairs(self:modules()) do
    module:place(placement)
    for _, kind in ipairs {"parameter", "buffer"} do
      for _, tensor in fields_of(module, kind) do
        local floating = tensor:is_floating_point()
        local wanted = {
          device = placement.device,
          dtype = floating and placement.dtype or nil,
          memory_format = #tensor.shape == 4 and placement.memory_format or nil,
          non_blocking = true,
        }
        -- The tensor stays the same object, so optimizers that hold it see the move.
        tensor.data = tensor.data:to(wanted)
        if tensor.grad then tensor.grad = tensor.grad:to(wanted) end
      end
    end
  end
  return self
end

--- Moves all parameters and buffers, in place, to a device without their values, which are
--- uninitialized then; with {recurse = false} those of this module alone. Returns the module.
function Module:to_empty(...)
  local given = read_to_empty(self, ...)
  for _, module in ipairs(given.recurse and self:modules() or {self}) do
    module:place({device = given.device})
    for _, kind in ipairs {"parameter", "buffer"} do
      for _, tensor in fields_of(module, kind) do
        local function fresh() return tide.empty_like(tensor, {device = given.device}):detach() end
        local gradient = tensor.grad and fresh()
        tensor.data = fresh()
        tensor.grad = gradient
      end
    end
  end
  return self
end

--- Moves to a GPU, to the cpu.
function Module:cuda(index) return self:to("cuda:" .. (index or 0)) end

function Module:cpu() return self:to("cpu") end

--- Converts all floating parameters and buffers.
function Module:float() return self:to("float32") end

function Module:double() return self:to("float64") end

function Module:half() return self:to("float16") end

function Module:bfloat16() return self:to("bfloat16") end

--- Gluon's word: moves to `ctx` and, if `init` is given, calls it on every weight, on those of lazy
--- layers when they are made. Of a list of devices the first holds the parameters, and inputs may
--- lie on any.
function Module:initialize(...)
  local given = read_initialize(self, ...)
  local device, init = given.ctx or given.device, given.init
  local several = type(device) == "table" and not getmetatable(device)
  if several and #device == 0 then raise("initialize: ctx: the list of devices is empty") end
  if init ~= nil and type(init) ~= "function" and not (getmetatable(init) or {}).__call then
    raise("initialize: init: expected a function such as nn.init.xavier_uniform_, got %s",
      kind_of(init))
  end
  if device then self:to(several and device[1] or device) end
  if init then
    for _, entry in ipairs(tensors_of(self, "parameter", true)) do
      if entry[2]:dim() > 1 then init(entry[2]) end
    end
    for _, module in ipairs(self:modules()) do
      if module.unbuilt then rawset(module, "_initial", init) end
    end
  end
  if several and #device > 1 then require "tide.nn.internal.on_devices"(self, device) end
  return self
end

for name, method in pairs(state_methods) do Module[name] = method end

-- Calling and showing -----------------------------------------------------------------------------

--- What the module computes; every class says this for itself.
function Module:forward() raise("%s: has no forward method", getmetatable(self).name) end

--- Calls fn(module, inputs) before each forward, with a table of the inputs; what it returns, if
--- not nil, takes their place (one value, or a table of values). Returns a function that takes the
--- hook away.
function Module:register_forward_pre_hook(fn) return add_hook(self, "_pre_hooks", fn) end

--- Calls fn(module, inputs, output) after each forward; what it returns, if not nil, takes the
--- place of the output. Returns a function that takes the hook away.
function Module:register_forward_hook(fn) return add_hook(self, "_hooks", fn) end

--- Calls fn(module, input_gradients, output_gradients) when backward has come through the module,
--- with tables; what it returns, if not nil, takes the place of the inputs' gradients. Returns a
--- function that takes the hook away.
function Module:register_full_backward_hook(fn) return add_hook(self, "_backward_hooks", fn) end

--- Calls fn(module, output_gradients) before backward comes through the module; what it returns, if
--- not nil, takes their place. Returns a function that takes the hook away.
function Module:register_full_backward_pre_hook(fn)
  return add_hook(self, "_backward_pre_hooks", fn)
end

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

--- Sizes and the like, shown behind the class: "784 -> 128".
function Module:describe() return "" end

--- What tostring shows of the module beside its children: its sizes, unless a class says otherwise.
function Module:extra_repr() return self:describe() end

local function show(module, indent)
  local lines, extra = {}, module:extra_repr()
  for name, child in module:named_children() do
    local key = math.type(name) and ("[%d]"):format(name) or name
    lines[#lines + 1] = ("%s  %s: %s"):format(indent, key, show(child, indent .. "  "))
  end
  local title = getmetatable(module).name
  if #lines == 0 and not extra:find "\n" then return ("%s(%s)"):format(title, extra) end
  if extra ~= "" then table.insert(lines, 1, (extra:gsub("[^\n]+", indent .. "  %0"))) end
  return ("%s(\n%s\n%s)"):format(title, table.concat(lines, "\n"), indent)
end

--- What each layer gives, holds and computes for inputs, or for zeros of a shape: summary{1, 3, 64, 64}.
--- A table that is shown as one: layers (a list of {name, type, depth, output_shape, parameters,
--- mult_adds, total_parameters, total_mult_adds, ...}), parameters, trainable, mult_adds, input_bytes,
--- output_bytes, parameter_bytes. {depth = 3} is how deep the shown layers lie at most. The network is
--- run in evaluation without gradients.
function Module:summary(...) return require "tide.nn.internal.summary"(self, ...) end

--- The tree of modules, one a line.
function Module:__tostring() return show(self, "") end

return Module

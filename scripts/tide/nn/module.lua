-- nn.Module, the base of all layers: parameters, children, modes, state, and errors that name the
-- layer.
local define = require "tide.internal.declare.define"
local methods = require "tide.internal.declare.methods"
local call_methods = require "tide.nn.internal.module_calls"
local class = require "tide.internal.class"
local fields = require "tide.nn.internal.module_fields"
local note_hidden = require "tide.nn.internal.hidden_modules"
local known_fields = require "tide.internal.known_fields"
local native = require "tide.native"
local raise = require "tide.internal.raise"
local refuse_more = require "tide.internal.declare.refuse_more"
local state_methods = require "tide.nn.internal.module_state"
local tide = require "tide"

local register, fields_of = fields.register, fields.each
local child_name, file_name = fields.child_name, fields.file_name

--- The base of all layers: assign parameters and modules to fields, define forward(x).
---@see nn.Sequential module:parameters module:state_dict module:to module:summary
---@example
--- local Twice = tide.class("Twice", nn.Module)
--- function Twice:forward(x) return 2 * x end
--- Twice()(tide.ones(2)) --> {2.0, 2.0}
local Module = define "nn.Module"
Module.__is_module = true -- so do all classes made from it: see internal/declare/kinds.lua

--- Modules start in training mode; `eval` changes it.
Module.training = true

--- Whether the parameters are created later, when the first input determines their sizes.
Module.unbuilt = false

--- The default for classes without an `init`.
function Module:init(...) refuse_more(getmetatable(self).name, 0, ...) end

-- Fields ------------------------------------------------------------------------------------------

local function field_kind(value)
  if class.is_a(value, Module) then return "child" end
  if tide.is_tensor(value) then return value.requires_grad and "parameter" or "tensor" end
end

-- Called for new fields only, so assigning to an existing one costs nothing.
function Module:__newindex(name, value)
  local kind = field_kind(value)
  if kind then register(self, name, kind) else self._noted[name] = true end
  rawset(self, name, value)
end

-- Reading a field that no object of the class has had is an error, to find misspelled names.
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

--- Declares optional fields of a class, which are nil if not assigned.
---@param name... string  name of the field
---@example
--- local Net = tide.class("Net", nn.Module)
--- Net:optional "cache"
--- Net().cache --> nil
function Module:optional(...) known_fields.optional(self, ...) end

--- Device and type of new parameters.
---@example
--- nn.Linear(3, 2):to("float64"):placement().dtype --> "float64"
function Module:placement() return rawget(self, "_placement") or {} end

--- Sets device and type of new parameters.
---@param device device = nil  device of new parameters; nil does not change it
---@param dtype dtype = nil  type of new parameters; nil does not change it
---@example
--- local m = nn.Module()
--- m:place({dtype = "float64"})
--- m:parameter("w", {2}, nn.init.ones_)
--- m.w.dtype --> "float64"
function Module:place(device, dtype)
  local now = self:placement()
  rawset(self, "_placement", {device = device or now.device, dtype = dtype or now.dtype})
end

local function keep_parameter(module, name, tensor)
  register(module, name, "parameter")
  rawset(module, name, tensor)
end

--- Creates a parameter on the module's device.
---@param name string | integer  name of the field
---@param shape integer[]  sizes of the parameter
---@param initialise? function  fills the parameter, like nn.init.zeros_
---@example
--- local m = nn.Module()
--- m:parameter("w", {2}, nn.init.ones_)
--- m.w --> {1.0, 1.0}
function Module:parameter(name, shape, initialise)
  local placement = self:placement()
  local tensor = next(placement) and tide.zeros(shape, placement) or tide.zeros(shape)
  if initialise then initialise(tensor) end
  local asked = rawget(self, "_initial")
  if asked and tensor:dim() > 1 then asked(tensor) end
  keep_parameter(self, name, tensor:requires_grad_(true))
end

--- Registers a tensor as a parameter.
---@param name string | integer  name of the field
---@param tensor? tensor  the tensor
---@example
--- local m = nn.Module()
--- m:register_parameter("w", tide.ones(2))
--- #m:parameters() --> 1
function Module:register_parameter(name, tensor) keep_parameter(self, name, tensor) end

--- Registers a tensor that is saved and moved but not trained.
---@param name string | integer  name of the field
---@param tensor? tensor  the tensor
---@example
--- local m = nn.Module()
--- m:register_buffer("mean", tide.zeros(2))
--- #m:buffers() --> 1
function Module:register_buffer(name, tensor)
  register(self, name, "buffer")
  rawset(self, name, tensor)
end

--- Registers a tensor that is neither saved nor trained.
---@param name string | integer  name of the field
---@param tensor? tensor  the tensor
---@example
--- local net = nn.Module()
--- net:keep_computed("w", tide.ones(2))
--- #net:parameters() --> 0
function Module:keep_computed(name, tensor)
  register(self, name, "tensor")
  rawset(self, name, tensor)
end

--- Registers a module as a child.
---@param name string | integer  name of the field
---@param module? module  the module
---@example
--- local m = nn.Module()
--- m:add_module("first", nn.ReLU())
--- #m:children() --> 1
function Module:add_module(name, module)
  register(self, name, "child")
  rawset(self, name, module)
end

-- Walking -----------------------------------------------------------------------------------------

--- Appends {name, module} of `module` and its descendants to `list`, parents first, each module once.
local function collect(module, prefix, list, seen)
  if seen[module] then return end
  seen[module] = true
  list[#list + 1] = {prefix, module}
  for name, child in fields_of(module, "child") do
    local key = file_name(module, name)
    local path = prefix == "" and key or prefix .. "." .. key
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

--- {name, tensor} of all fields of one kind in the module and its descendants.
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

--- Iterates over the names and modules of this module and its descendants, itself first.
---@example
--- local names = {}
--- for name in nn.Sequential(nn.ReLU()):named_modules() do names[#names + 1] = name end
--- names --> {"", "0"}
function Module:named_modules()
  local list = {}
  collect(self, "", list, {})
  return iterate(list)
end

--- Iterates over the names (as in Lua) and modules of the direct children.
---@example
--- local n = 0
--- for name, child in nn.Sequential(nn.ReLU()):named_children() do n = n + 1 end
--- n --> 1
function Module:named_children()
  local next_field = fields_of(self, "child")
  return function()
    local name, child = next_field()
    if name ~= nil then return child_name(self, name), child end
  end
end

--- Iterates over names (as in state_dict) and parameters.
---@see module:parameters module:buffers optim.SGD
---@example
--- local names = {}
--- for name in nn.Linear(3, 2):named_parameters() do names[#names + 1] = name end
--- names --> {"weight", "bias"}
function Module:named_parameters() return iterate(tensors_of(self, "parameter", true)) end

--- Iterates over names and buffers.
---@example
--- local names = {}
--- for name in nn.BatchNorm1d(3):named_buffers() do names[#names + 1] = name end
--- names --> {"running_mean", "running_var", "num_batches_tracked"}
function Module:named_buffers() return iterate(tensors_of(self, "buffer", true)) end

--- A list of this module and its descendants.
---@example
--- #nn.Sequential(nn.Linear(3, 2), nn.ReLU()):modules() --> 3
function Module:modules()
  local list = {}
  collect(self, "", list, {})
  return values(list)
end

--- A list of the direct children.
---@example
--- #nn.Sequential(nn.Linear(3, 2), nn.ReLU()):children() --> 2
function Module:children()
  local list = {}
  for _, child in fields_of(self, "child") do list[#list + 1] = child end
  return setmetatable(list, native.list)
end

--- A list of all parameters, for an optimizer.
---@see module:named_parameters module:buffers optim.SGD
---@example
--- #nn.Linear(3, 2):parameters() --> 2
function Module:parameters()
  local modules = self:modules()
  note_hidden(modules, Module)
  for _, module in ipairs(modules) do
    if module.unbuilt then
      raise("parameters: %s has none before its first input: pass a batch through it first", tostring(module))
    end
  end
  return values(tensors_of(self, "parameter", true))
end

--- A list of the tensors that are saved but not trained.
---@example
--- #nn.BatchNorm1d(3):buffers() --> 3
function Module:buffers() return values(tensors_of(self, "buffer", true)) end

--- The descendant with this path of names, as in state_dict.
---@param path string  names as in state_dict, such as "0.weight"
---@example
--- nn.Sequential(nn.Linear(3, 2)):get_submodule("0").weight.shape --> {2, 3}
function Module:get_submodule(path)
  for name, module in self:named_modules() do
    if name == path then return module end
  end
  raise("get_submodule: there is no module %s", tostring(path))
end

--- The parameter or buffer with this name, as in state_dict.
---@param path string  names as in state_dict, such as "0.weight"
---@example
--- nn.Sequential(nn.Linear(3, 2)):get_parameter("0.bias").shape --> {2}
function Module:get_parameter(path)
  for _, kind in ipairs {"parameter", "buffer"} do
    for _, entry in ipairs(tensors_of(self, kind)) do
      if entry[1] == path then return entry[2] end
    end
  end
  raise("get_parameter: there is no parameter %s", tostring(path))
end

--- An independent copy with the same values.
---@example
--- local a = nn.Linear(3, 2)
--- local b = a:clone()
--- b.weight:equal(a.weight) --> true
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

--- Calls fn(module) for all descendants, then for the module itself.
---@param fn function  the function to call
---@example
--- local n = 0
--- nn.Sequential(nn.Linear(3, 2), nn.ReLU()):apply(function(m) n = n + 1 end)
--- n --> 3
function Module:apply(fn)
  for _, child in fields_of(self, "child") do child:apply(fn) end
  fn(self)
  return self
end

-- Modes, gradients, devices -----------------------------------------------------------------------

--- Sets training mode, or with false evaluation mode.
---@param mode boolean = true  whether to enable training mode
---@see module:eval nn.Dropout nn.BatchNorm2d
---@example
--- nn.Dropout():eval():train().training --> true
function Module:train(mode)
  for _, module in ipairs(self:modules()) do module.training = mode end
  return self
end

--- Sets evaluation mode.
---@see module:train nn.Dropout nn.BatchNorm2d
---@example
--- nn.Dropout():eval().training --> false
function Module:eval() return self:train(false) end

--- Removes the gradients of all parameters.
---@example
--- local layer = nn.Linear(3, 2)
--- layer(tide.ones(3)):sum():backward()
--- layer:zero_grad()
--- layer.weight.grad
function Module:zero_grad()
  for _, entry in ipairs(tensors_of(self, "parameter")) do entry[2].grad = nil end
end

--- Sets whether the parameters are trained.
---@param on boolean = true  whether gradients are recorded
---@example
--- nn.Linear(3, 2):requires_grad_(false).weight.requires_grad --> false
function Module:requires_grad_(on)
  for _, entry in ipairs(tensors_of(self, "parameter")) do entry[2]:requires_grad_(on) end
  return self
end

--- The arguments of `to` as {device =, dtype =}. `target` is a device, a type, or a tensor, which has both.
local function placement_of(target, dtype)
  if target == nil then return {dtype = dtype} end
  if tide.is_tensor(target) then return {device = target.device, dtype = dtype or target.dtype} end
  -- Anything but a device must be a type; a wrong name fails when the first tensor is converted.
  local is_device, device = pcall(tide.device, target)
  return is_device and {device = device, dtype = dtype} or {dtype = target}
end

--- Moves or converts parameters and buffers in place: to(device, dtype), to(dtype) or to(tensor).
---@param device device | dtype | tensor = nil  new device, new type, or a tensor whose device and type are used; nil
---  does not change it
---@param dtype dtype = nil  new type; nil does not change it
---@param non_blocking boolean = false  copies to the host do not wait, only the first read does
---@param memory_format "contiguous_format" | "channels_last" | "preserve_format" = nil  order of the elements
---  in memory; nil does not change it
---@see x:to tide.accelerator
---@example
--- nn.Linear(3, 2):to("float64").weight.dtype --> "float64"
function Module:to(device, dtype, _, memory_format)
  local placement = placement_of(device, dtype)
  for _, module in ipairs(self:modules()) do
    module:place(placement.device, placement.dtype)
    for _, kind in ipairs {"parameter", "buffer"} do
      for _, tensor in fields_of(module, kind) do
        local floating = tensor:is_floating_point()
        local wanted = {
          device = placement.device,
          dtype = floating and placement.dtype or nil,
          memory_format = #tensor.shape == 4 and memory_format or nil,
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

--- Moves parameters and buffers in place without copying their values: they become uninitialized.
---@param device device  new device; nil does not change it
---@param recurse boolean = true  also move the descendants
---@example
--- nn.Linear(3, 2):to_empty("sim").weight.device --> sim:0
function Module:to_empty(device, recurse)
  for _, module in ipairs(recurse and self:modules() or {self}) do
    module:place(device)
    for _, kind in ipairs {"parameter", "buffer"} do
      for _, tensor in fields_of(module, kind) do
        local function fresh() return tide.empty_like(tensor, {device = device}):detach() end
        local gradient = tensor.grad and fresh()
        tensor.data = fresh()
        tensor.grad = gradient
      end
    end
  end
  return self
end

--- Moves to a GPU.
---@param index integer = 0  index of the GPU, from 0
---@see module:to x:to tide.accelerator
---@example
--- local layer = nn.Linear(3, 2)
--- pcall(layer.cuda, layer) == tide.cuda.is_available() --> true
function Module:cuda(index) return self:to("cuda:" .. index) end

--- Moves to the cpu.
---@see module:to x:to tide.accelerator
---@example
--- nn.Linear(3, 2):cpu().weight.device --> cpu
function Module:cpu() return self:to("cpu") end

--- Converts to float32.
---@see module:to x:to tide.accelerator
---@example
--- nn.Linear(3, 2, {dtype = "float64"}):float().weight.dtype --> "float32"
function Module:float() return self:to("float32") end

--- Converts to float64.
---@see module:to x:to tide.accelerator
---@example
--- nn.Linear(3, 2):double().weight.dtype --> "float64"
function Module:double() return self:to("float64") end

--- Converts to float16.
---@see module:to x:to tide.accelerator
---@example
--- nn.Linear(3, 2):half().weight.dtype --> "float16"
function Module:half() return self:to("float16") end

--- Converts to bfloat16.
---@see module:to x:to tide.accelerator
---@example
--- nn.Linear(3, 2):bfloat16().weight.dtype --> "bfloat16"
function Module:bfloat16() return self:to("bfloat16") end

--- Moves the module and initializes its weights, as in Gluon; lazy layers initialize theirs when created. With a list
--- {ctx = {a, b}}, inputs may be on any of these devices.
---@param init function = nil  fills weights, like nn.init.normal_; nil uses each layer's default
---@param ctx device | device[] = nil  device of the parameters, or several
---@example
--- local net = nn.Dense(2, {use_bias = false})
--- net:initialize({init = nn.init.ones_, ctx = tide.cpu()})
--- net(tide.ones(1, 3)) --> {{3.0, 3.0}}
function Module:initialize(init, ctx)
  local several = type(ctx) == "table" and not getmetatable(ctx)
  if several and #ctx == 0 then raise("initialize: ctx: the list of devices is empty") end
  if ctx then self:to(several and ctx[1] or ctx) end
  if init then
    for _, entry in ipairs(tensors_of(self, "parameter", true)) do
      if entry[2]:dim() > 1 then init(entry[2]) end
    end
    for _, module in ipairs(self:modules()) do
      if module.unbuilt then rawset(module, "_initial", init) end
    end
  end
  if several and #ctx > 1 then require "tide.nn.internal.on_devices"(self, ctx) end
  return self
end

for _, mixin in ipairs {call_methods, state_methods} do
  for name, method in pairs(mixin) do Module[name] = method end
end

-- Showing -----------------------------------------------------------------------------

--- Computes the module's result; every class defines it.
---@param x... tensor  the inputs
---@example
--- nn.ReLU():forward(tide.tensor{-1, 2}) --> {0, 2}
function Module:forward() raise("%s: has no forward method", getmetatable(self).name) end

--- The sizes shown after the class's name.
---@example
--- nn.Linear(3, 2):describe() --> "3 -> 2"
function Module:describe() return "" end

--- The text that tostring adds to the class's name and children; by default describe().
---@example
--- nn.Linear(3, 2):extra_repr() --> "3 -> 2"
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

function Module:summary(...) return require "tide.nn.internal.summary"(self, ...) end

methods(Module, "module")

--- The tree of modules, one per line.
function Module:__tostring() return show(self, "") end

return Module

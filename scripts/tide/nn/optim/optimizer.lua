-- Base class of all optimizers: parameter groups with their options, and the state of each parameter.
local add_hook = require "tide.internal.add_hook"
local define = require "tide.internal.declare.define"
local kind_of = require "tide.internal.kind_of"
local known_fields = require "tide.internal.known_fields"
local is_script = require "tide.internal.is_script"
local methods = require "tide.internal.declare.methods"
local native = require "tide.native"
local raise = require "tide.internal.raise"
local refuse_more = require "tide.internal.declare.refuse_more"
local tide = require "tide"

--- The base class of all optimizers: define update(parameter, grad, state, group).
---@use optim: params
---@param options table  options of groups that do not set their own
---@param defaults table  defaults of all options
---@see optim.SGD optim.Adam optimizer:step optimizer:zero_grad
---@example
--- local Step = tide.class("Step", optim.Optimizer)
--- function Step:update(w, grad) w:sub_(grad) end
--- local w = nn.Parameter(tide.ones(1))
--- w:sum():backward()
--- Step({w}, {}, {}):step()
--- w --> {0.0}
local Optimizer = define("optim.Optimizer")

--- Refuses options as fields of the optimizer, where setting them would have no effect.
local function refuse(made, name, value)
  if not made.known or made.known[name] == nil then return end
  if value == nil then
    raise("%s.%s: options belong to parameter groups: optimizer.param_groups[1].%s", made.name, name, name)
  end
  raise("%s.%s: options belong to parameter groups: for _, group in ipairs(optimizer.param_groups) do " ..
    "group.%s = %s end", made.name, name, name, tostring(value))
end

known_fields.watch(Optimizer, {refuse = refuse})

--- Raises an error unless this is a list of parameters or groups.
function Optimizer:check_list(params)
  local name = getmetatable(self).name
  if type(params) ~= "table" or getmetatable(params) then
    raise("%s: expected a list of parameters, such as net:parameters(), got %s", name,
      type(params) == "table" and tostring(getmetatable(params).name) or kind_of(params))
  end
  if #params == 0 then raise("%s: the list of parameters is empty", name) end
end

--- Reads the options of a group or the optimizer: names must be known, and types those of the defaults. Classes that
--- declare their options override this.
function Optimizer:read_options(given)
  local name, known, options = getmetatable(self).name, self.known, {}
  for key, value in pairs(given) do
    if known[key] == nil and key ~= "params" then
      local names = {}
      for option in pairs(known) do names[#names + 1] = option end
      table.sort(names)
      raise("%s: unknown option '%s': known are %s", name, tostring(key), table.concat(names, ", "))
    end
    if type(known[key]) == "number" and type(value) ~= "number" and not tide.is_tensor(value) then
      raise("%s: option '%s': expected number, got %s", name, key, kind_of(value))
    end
    options[key] = value
  end
  return options
end

--- Initializes from `given`: a value for each option, and `params`.
function Optimizer:start(given)
  local params = given.params
  given.params = nil
  getmetatable(self).known, self.defaults = given, given
  self.param_groups, self.state = setmetatable({}, native.list), {}
  local grouped = type(params[1]) == "table"
  for _, group in ipairs(grouped and params or {{params = params}}) do
    self:add_param_group(group)
  end
end

--- `params` is a list of tensors, such as net:parameters(), or of groups {params = list, lr = ..., ...}.
function Optimizer:init(params, options, defaults, ...)
  local name = getmetatable(self).name
  refuse_more(name, 3, ...)
  self:check_list(params)
  if options ~= nil and type(options) ~= "table" then
    raise("%s: expected a table of options, got %s: write {lr = %s}", name, kind_of(options),
      type(options) == "number" and tostring(options) or "0.1")
  end
  if type(defaults) ~= "table" then
    raise("%s.init: expected (self, params, options, defaults): a table with a value for every option, got %s", name,
      kind_of(defaults))
  end
  getmetatable(self).known = defaults
  local given = Optimizer.read_options(self, options or {})
  for key, value in pairs(defaults) do
    if given[key] == nil then given[key] = value end
  end
  given.params = params
  self:start(given)
end

-- A parameter group: a native.list, which prints its values. Scripts cannot add options.
local Group = {}
for key, value in pairs(native.list) do Group[key] = value end

function Group:__newindex(name, value)
  if name ~= "initial_lr" and is_script(debug.getinfo(2, "S")) then
    local near = require "tide.internal.nearest"(tostring(name), self)
    raise("param_groups: there is no option '%s'%s", tostring(name),
      near and ("; did you mean '%s'?"):format(near) or "")
  end
  rawset(self, name, value)
end

--- Raises an error unless all parameters are tensors, and no parameter occurs twice in the optimizer, because it would
--- be updated twice.
local function check_parameters(optimizer, name, params)
  local group_of = {}
  for i, group in ipairs(optimizer.param_groups) do
    for _, parameter in ipairs(group.params) do group_of[parameter] = i end
  end
  local new = #optimizer.param_groups + 1
  for i, parameter in ipairs(params) do
    if not tide.is_tensor(parameter) then
      raise("%s: expected parameter %d to be a tensor, got %s", name, i, kind_of(parameter))
    end
    local before = group_of[parameter]
    if before == new then
      raise("%s: parameter %d occurs twice in the list: pass each parameter once", name, i)
    elseif before then
      raise("%s: parameter %d of group %d is also in group %d: pass each parameter once", name, i, new, before)
    end
    group_of[parameter] = new
  end
end

--- Raises an error for incompatible options.
function Optimizer:check() end

--- Adds a parameter group with its own options.
---@param group table  {params = list} and options; missing options are the optimizer's
---@example
--- local sgd = optim.SGD({nn.Parameter(tide.ones(1))}, {lr = 0.1})
--- sgd:add_param_group({params = {nn.Parameter(tide.ones(1))}, lr = 0.2})
--- #sgd.param_groups --> 2
function Optimizer:add_param_group(group)
  local name = getmetatable(self).name
  if type(group) == "table" and tide.is_tensor(group.params) then
    local one = {}
    for key, value in pairs(group) do one[key] = value end
    one.params, group = {group.params}, one
  end
  if type(group) ~= "table" or type(group.params) ~= "table" or tide.is_tensor(group) then
    raise("%s: expected a group {params = list of tensors, ...}, got %s", name,
      type(group) == "table" and "a table without params" or kind_of(group))
  end
  check_parameters(self, name, group.params)
  local options = self:read_options(group)
  for key, value in pairs(self.defaults) do
    if options[key] == nil then options[key] = value end
  end
  self:check(options)
  self.param_groups[#self.param_groups + 1] = setmetatable(options, Group)
end

--- Removes the gradients of all parameters.
---@waits no; LBFGS does
---@see optimizer:step x:backward optim.SGD
---@example
--- local w = nn.Parameter(tide.ones(1))
--- w:sum():backward()
--- optim.SGD({w}, {lr = 0.1}):zero_grad()
--- w.grad
function Optimizer:zero_grad()
  for _, group in ipairs(self.param_groups) do
    for _, parameter in ipairs(group.params) do parameter.grad = nil end
  end
end

-- Ends the step that native.begin_step started. After an error, such as Ctrl-C, the step is incomplete, and none of
-- it runs.
local step_end = setmetatable({}, {__close = function(_, problem) native.end_step(problem) end})

local function copy(source)
  local result = {}
  for key, value in pairs(source) do result[key] = value end
  return result
end

-- Restores the states from before a step after an error, because step counts are numbers, which end_step does not
-- revert.
local states_before = {
  __close = function(before, problem)
    if problem == nil then return end
    for state, fields in pairs(before) do
      for key in pairs(state) do state[key] = nil end
      for key, value in pairs(fields) do state[key] = value end
    end
  end,
}

--- Updates all parameters that have a gradient; does not wait. Returns the result of closure().
---@param closure? function  recomputes the gradients and returns the loss
---@waits no; LBFGS does
---@see optimizer:zero_grad x:backward optim.SGD
---@example
--- local w = nn.Parameter(tide.tensor{1.0})
--- local sgd = optim.SGD({w}, {lr = 0.1})
--- (w * 5):sum():backward()
--- sgd:step()
--- w --> {0.5}
function Optimizer:step(closure)
  for _, hook in ipairs(rawget(self, "_pre_hooks") or {}) do hook[1](self, closure) end
  local loss = self:take_step(closure)
  for _, hook in ipairs(rawget(self, "_post_hooks") or {}) do hook[1](self, closure) end
  if closure then return loss end
end

--- The step itself, without its hooks.
function Optimizer:take_step(closure)
  local loss = closure and tide.enable_grad(closure)
  self:update_all()
  return loss
end

--- Calls fn(optimizer, closure) before each step.
---@param fn function  called with the optimizer and the closure
---@example
--- local n = 0
--- local sgd = optim.SGD({nn.Parameter(tide.ones(1))})
--- sgd:register_step_pre_hook(function() n = n + 1 end)
--- sgd:step()
--- n --> 1
function Optimizer:register_step_pre_hook(fn) return add_hook(self, "_pre_hooks", fn) end
--- Calls fn(optimizer, closure) after each step.
---@param fn function  called with the optimizer and the closure
---@example
--- local n = 0
--- local sgd = optim.SGD({nn.Parameter(tide.ones(1))})
--- sgd:register_step_post_hook(function() n = n + 1 end)
--- sgd:step()
--- n --> 1
function Optimizer:register_step_post_hook(fn) return add_hook(self, "_post_hooks", fn) end

--- Initializes the state of a parameter before its first step.
function Optimizer:prepare() end

--- Applies weight decay: returns the gradient with it added, or, if decoupled, shrinks the parameter.
function Optimizer:decayed(parameter, grad, group)
  local decay = group.weight_decay
  if decay == 0 then return grad end
  if not group.decoupled_weight_decay then return grad + parameter * decay end
  parameter:mul_(1 - group.lr * decay)
  return grad
end

--- Calls fn(parameter, grad, group) for all parameters that have a gradient.
local function each_gradient(optimizer, fn)
  for _, group in ipairs(optimizer.param_groups) do
    for _, parameter in ipairs(group.params) do
      local grad = parameter.grad
      if grad then fn(parameter, grad, group) end
    end
  end
end

local state_end = setmetatable({}, {__close = function() native.end_state() end})

--- Creates the states of a list of {parameter, group}, in order.
local function new_states(optimizer, parameters)
  local states = {}
  native.begin_state()
  local _ <close> = state_end
  for i, entry in ipairs(parameters) do
    states[i] = {}
    optimizer:prepare(entry[1], states[i], entry[2])
  end
  return states
end

--- Creates the missing states of parameters, before the step, so that they exist even if the step fails. States that
--- run out of memory are created before the next step.
local function prepare_all(optimizer)
  local new = {}
  each_gradient(optimizer, function(parameter, _, group)
    if not optimizer.state[parameter] then new[#new + 1] = {parameter, group} end
  end)
  if #new == 0 then return end
  for i, state in ipairs(new_states(optimizer, new)) do optimizer.state[new[i][1]] = state end
end

function Optimizer:update_all()
  local _ <close> = tide.no_grad()
  prepare_all(self)
  local before <close> = setmetatable({}, states_before)
  native.begin_step()
  local _ <close> = step_end
  each_gradient(self, function(parameter, grad, group)
    local state = self.state[parameter]
    before[state] = copy(state)
    self:update(parameter, grad, state, group)
  end)
end

--- Calls fn(parameter, number) for all parameters, numbered from 1 across all groups.
local function each_parameter(optimizer, fn)
  local number = 0
  for _, group in ipairs(optimizer.param_groups) do
    for _, parameter in ipairs(group.params) do
      number = number + 1
      fn(parameter, number)
    end
  end
end

--- The state as a table of plain values and tensors, for saving.
---@example
--- optim.SGD({nn.Parameter(tide.ones(1))}, {lr = 0.1}):state_dict().param_groups[1].lr --> 0.1
function Optimizer:state_dict()
  local state, groups = {}, {}
  each_parameter(self, function(parameter, number)
    state[number] = self.state[parameter] and copy(self.state[parameter])
  end)
  for i, group in ipairs(self.param_groups) do
    groups[i] = copy(group)
    groups[i].params = #group.params
  end
  return setmetatable({state = state, param_groups = groups}, native.list)
end

--- Converts a PyTorch state to the form of state_dict: its groups list indices of parameters, which are the keys of
--- the state, and step counts are tensors. Unknown options are ignored.
local function from_torch(optimizer, saved)
  local state, groups, number = {}, {}, 0
  for i, group in ipairs(saved.param_groups) do
    if type(group.params) ~= "table" then return saved end
    groups[i] = {params = #group.params}
    for key, value in pairs(group) do
      if optimizer.known[key] ~= nil or key == "initial_lr" then groups[i][key] = value end
    end
    for _, key in ipairs(group.params) do
      number = number + 1
      state[number] = saved.state[key] and copy(saved.state[key])
      local step = state[number] and state[number].step
      if tide.is_tensor(step) then state[number].step = math.tointeger(step:item()) or step end
    end
  end
  return {state = state, param_groups = groups}
end

--- Loads a saved state, which may be of the same PyTorch optimizer (see tide.load_torch).
---@param state_dict table  result of state_dict, or a PyTorch state
---@example
--- local w = nn.Parameter(tide.ones(1))
--- local a, b = optim.SGD({w}, {lr = 0.1}), optim.SGD({w}, {lr = 0.2})
--- b:load_state_dict(a:state_dict())
--- b.param_groups[1].lr --> 0.1
function Optimizer:load_state_dict(state_dict)
  local saved = state_dict
  if type(saved.param_groups) ~= "table" or type(saved.state) ~= "table" then
    raise("load_state_dict: expected a result of state_dict, {state, param_groups}, got %s", kind_of(saved))
  end
  if #saved.param_groups ~= #self.param_groups then
    raise("load_state_dict: the optimizer has %d parameter groups, the loaded state %d", #self.param_groups,
      #saved.param_groups)
  end
  saved = from_torch(self, saved)
  for i, group in ipairs(self.param_groups) do
    local other = saved.param_groups[i]
    if other.params ~= #group.params then
      raise("load_state_dict: group %d has %d parameters, but %d in the loaded state", i,
        #group.params, other.params)
    end
    for key, value in pairs(other) do
      if key ~= "params" then group[key] = value end
    end
  end
  each_parameter(self, function(parameter, number)
    local state = {}
    for key, value in pairs(saved.state[number] or {}) do
      -- A copy, because the next step writes into it.
      state[key] = tide.is_tensor(value) and value:to(parameter.device):clone() or value
    end
    self.state[parameter] = next(state) and state or nil
  end)
end

function Optimizer:__tostring()
  local lines = {}
  for i, group in ipairs(self.param_groups) do
    local options = {}
    for key, value in pairs(group) do
      if type(value) == "table" and not getmetatable(value) then value = require "tide.internal.table_text"(value) end
      if key ~= "params" then options[#options + 1] = ("%s = %s"):format(key, tostring(value)) end
    end
    table.sort(options)
    lines[i] = ("  [%d]: %d parameters, %s"):format(i, #group.params, table.concat(options, ", "))
  end
  return ("%s(\n%s\n)"):format(getmetatable(self).name, table.concat(lines, "\n"))
end

methods(Optimizer, "optimizer")

return Optimizer

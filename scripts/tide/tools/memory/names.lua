-- Finds the names of a script's tensors: variables, fields, parameters, states of optimizers.
local class = require "tide.internal.class"
local fields = require "tide.nn.internal.module_fields"
local is_script = require "tide.internal.is_script"
local Module = require "tide.nn.module"
local tide = require "tide"

-- An entry of the search is {value, above, step}: the value is reached from the entry `above` by `step`, a text or a
-- key.

--- Tables that the search skips: they hold no tensors of a script, but refer to the entire library.
local function tables_to_skip()
  local skipped = {[package.loaded] = true, [_G] = true}
  for _, library in pairs(package.loaded) do skipped[library] = true end
  return skipped
end

--- Adds the values of variables: locals and upvalues of the running functions, innermost first, and globals.
local function add_variables(add)
  local level = 2
  while true do
    local info = debug.getinfo(level, "fS")
    if not info then break end
    if is_script(info) then
      local i = 1
      while true do
        local name, value = debug.getlocal(level, i)
        if not name then break end
        if name:sub(1, 1) ~= "(" then add(value, nil, name) end
        i = i + 1
      end
      add(info.func, nil, info.func)
    end
    level = level + 1
  end
  for name, value in next, _G do
    if type(name) == "string" then add(value, nil, name) end
  end
end

--- Adds the fields of a module by the names that scripts use.
local function add_module(entry, add)
  local module, own = entry.value, {}
  for _, kind in ipairs {"child", "parameter", "buffer", "tensor"} do
    for name, value in fields.each(module, kind) do
      own[name] = true
      add(value, entry, kind == "child" and fields.child_name(module, name) or name)
    end
  end
  for name, value in next, module do
    if not own[name] then add(value, entry, name) end
  end
end

--- Adds the upvalues of a function of the script, as variables.
local function add_upvalues(entry, add)
  if not is_script(debug.getinfo(entry.value, "S")) then return end
  local i = 1
  while true do
    local name, value = debug.getupvalue(entry.value, i)
    if not name then break end
    if name ~= "_ENV" and name ~= "" then add(value, nil, name) end
    i = i + 1
  end
end

local function gradient_of(tensor) return tensor.grad end

local function add_contents(entry, add)
  local value = entry.value
  if tide.is_tensor(value) then
    local there, gradient = pcall(gradient_of, value) -- a freed tensor raises an error
    if there then add(gradient, entry, "grad") end
  elseif type(value) == "function" then
    add_upvalues(entry, add)
  elseif class.is_a(value, Module) then
    add_module(entry, add)
  else
    for key, content in next, value do add(content, entry, key) end
  end
end

local kText <const> = 40 -- letters of a key

--- The name of an entry: "net[1].weight.grad", "optimizer.state[net[1].weight].exp_avg".
local function name_of(entry, found)
  if not entry.above then return entry.step end
  local step, above = entry.step, name_of(entry.above, found)
  if type(step) == "string" and step:find "^[%a_][%w_]*$" then return above .. "." .. step end
  if type(step) == "string" then return ("%s[%q]"):format(above, step:sub(1, kText)) end
  local known = found[step]
  if known and known ~= entry then return ("%s[%s]"):format(above, name_of(known, found)) end
  return ("%s[%s]"):format(above, math.type(step) and step or type(step))
end

--- A list of {tensor, name} of all tensors that can be reached from variables, each with its shortest path. `roots` has
--- further values by name.
return function(roots)
  local queue, found, skipped = {}, {}, tables_to_skip()
  local function add(value, above, step)
    local kind = type(value)
    local leads = kind == "table" and not skipped[value] or kind == "function" or tide.is_tensor(value)
    if not leads or found[value] then return end
    found[value] = {value = value, above = above, step = step}
    queue[#queue + 1] = found[value]
  end
  for name, value in pairs(roots or {}) do add(value, nil, name) end
  add_variables(add)
  local at, tensors = 0, {}
  while queue[at + 1] do
    at = at + 1
    local entry = queue[at]
    if tide.is_tensor(entry.value) then tensors[#tensors + 1] = entry end
    add_contents(entry, add)
  end
  for i, entry in ipairs(tensors) do tensors[i] = {entry.value, name_of(entry, found)} end
  return tensors
end

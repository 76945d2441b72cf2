-- nn.ModuleDict: a table of modules by name, which registers their parameters.
local class = require "tide.internal.class"
local define = require "tide.internal.declare.define"
local kind_of = require "tide.internal.kind_of"
local Module = require "tide.nn.module"
local raise = require "tide.internal.raise"

--- Modules by name: dict.name, dict:items().
---@param modules? table  modules by name
---@see nn.Sequential nn.Module nn.Parameter
---@example
--- nn.ModuleDict({first = nn.Linear(3, 2)}).first(tide.ones(3)).shape --> {2}
local ModuleDict, read = define("nn.ModuleDict", Module)

function ModuleDict:init(...) self:update(read(...).modules or {}) end

--- Adds modules by name, from a table or another ModuleDict.
function ModuleDict:update(modules)
  local names = {}
  if type(modules) ~= "table" then
    raise("ModuleDict: expected a table of modules, got %s", kind_of(modules))
  end
  if class.is_a(modules, ModuleDict) then
    for name in modules:items() do names[#names + 1] = name end
  else
    for name in pairs(modules) do names[#names + 1] = name end
    table.sort(names)
  end
  for _, name in ipairs(names) do
    if not class.is_a(modules[name], Module) then
      raise("ModuleDict: %s: expected a module, got a %s", tostring(name), kind_of(modules[name]))
    end
    if class.member(ModuleDict, name) ~= nil then
      raise("ModuleDict: %s is the name of a method: choose another", name)
    end
    self:add_module(name, modules[name])
  end
  return self
end

--- Iterates over names and modules, in insertion order.
function ModuleDict:items() return self:named_children() end

function ModuleDict:keys()
  local names = {}
  for name in self:named_children() do names[#names + 1] = name end
  return names
end

function ModuleDict:values() return self:children() end

function ModuleDict:forward() raise("ModuleDict: it only stores modules: call them yourself") end

return ModuleDict

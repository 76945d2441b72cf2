-- nn.ModuleList: modules in a list, whose parameters count.
local class = require "tide.class"
local Module = require "tide.nn.module"
local raise = require "tide.raise"

local ModuleList = class("ModuleList", Module)

--- nn.ModuleList({a, b, c}): list[1], #list, ipairs(list).
function ModuleList:init(modules) self:extend(modules or {}) end

--- Adds a module behind the others and returns the list.
function ModuleList:append(module)
  if not class.is_a(module, Module) then
    raise("ModuleList: no module but a %s", type(module))
  end
  self[#self + 1] = module
  return self
end

--- Adds a list of modules and returns the list.
function ModuleList:extend(modules)
  if type(modules) ~= "table" then
    raise("ModuleList: expected a list of modules, got %s", type(modules))
  end
  for _, module in ipairs(modules) do self:append(module) end
  return self
end

--- Puts a module at a position; those behind it move on.
function ModuleList:insert(position, module)
  if math.type(position) ~= "integer" or position < 1 or position > #self + 1 then
    raise("ModuleList: position %s is out of range: there are %d", tostring(position), #self)
  end
  self:append(module)
  for i = #self, position + 1, -1 do self[i] = self[i - 1] end
  self[position] = module
  return self
end

function ModuleList:forward() raise("ModuleList: holds modules, but does not call them") end

return ModuleList

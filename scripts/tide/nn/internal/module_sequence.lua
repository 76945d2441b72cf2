-- Base class of nn.Sequential and nn.ModuleList: children at positions 1, 2, ..., which may have names.
local class = require "tide.internal.class"
local kind_of = require "tide.internal.kind_of"
local Module = require "tide.nn.module"
local raise = require "tide.internal.raise"

local ModuleSequence = class("ModuleSequence", Module)

--- Whether `value` is a pair {name, module}.
local function is_pair(value)
  return type(value) == "table" and not getmetatable(value) and type(value[1]) == "string"
end

--- The module and name (or nil) of a child, which is a module or {name, module}.
local function read_child(self, value)
  local module, name = value, nil
  if is_pair(value) then name, module = value[1], value[2] end
  local title = getmetatable(self).name
  if not class.is_a(module, Module) then
    local made = type(module) == "table" and rawget(module, "__index") and rawget(module, "name")
    local what = made and ("the class %s: its layers are %s(...)"):format(made, made)
      or type(module) == "function" and "a function: layers are objects, as nn.ReLU()" or "a " .. kind_of(module)
    raise("%s: expected a module, got %s", title, what)
  end
  if name then
    local used = name == "" or name:find(".", 1, true) or rawget(self, name) ~= nil
      or class.member(getmetatable(self), name) ~= nil
    local positions = rawget(self, "_position_of")
    if used or positions and positions[name] then
      raise("%s: the name '%s' cannot be given to a child: it is taken, or not a name", title, name)
    end
  end
  return module, name
end

--- The position from 1, where negative ones count from the end; an error if it is not in 1..last.
local function checked_position(self, position, last, method)
  local place = math.tointeger(position)
  if place and place < 0 then place = #self + 1 + place end
  if not place or place < 1 or place > last then
    raise("%s%s: position %s is out of range: there are %d modules", getmetatable(self).name,
      method and "." .. method or "", tostring(position), #self)
  end
  return place
end

--- The children at positions `range[1]` to `range[2]`, inclusive, in a container of the library's class: Sequential
--- for a class derived from it.
local function part(self, range)
  local made = getmetatable(self)
  if getmetatable(range) or #range > 2 or #range == 0 then
    raise("%s: expected a position or a range {first, last}", made.name)
  end
  local first = checked_position(self, range[1], #self)
  local last = range[2] == nil and #self or checked_position(self, range[2], #self)
  while made.base ~= ModuleSequence do made = made.base end
  local result, names = made(), rawget(self, "_names") or {}
  for i = first, last do result:append(names[i] and {names[i], self[i]} or self[i]) end
  return result
end

-- A child is stored at its position. `_names` maps positions to names, `_position_of` names to positions. __index
-- looks names up, so a child replaced at its position is also replaced under its name.

--- Supports positions, ranges and names in objects of a class. Assigning to the position after the last one appends.
function ModuleSequence.inherited(made)
  Module.inherited(made)
  made.__index = function(self, key)
    local position_of = rawget(self, "_position_of")
    local position = position_of and position_of[key]
    if position then return rawget(self, position) end
    if type(key) == "table" then return part(self, key) end
    if math.type(key) == "integer" and key < 0 then return rawget(self, checked_position(self, key, #self)) end
    return made[key]
  end
  made.__newindex = function(self, key, value)
    local position_of = rawget(self, "_position_of")
    local position = position_of and position_of[key]
    if not position and math.type(key) == "integer" then
      position = checked_position(self, key, #self + 1) -- the next position appends
      if position <= #self then return rawset(self, position, (read_child(self, value))) end
    end
    if type(key) == "table" then raise("%s: one module can be replaced at a time, net[1] = layer", made.name) end
    Module.__newindex(self, position or key, value)
  end
  made.__names = function(self)
    local names = getmetatable(made).__names(made)
    for name in pairs(rawget(self, "_position_of") or {}) do names[name] = true end
    return names
  end
end

ModuleSequence.inherited(ModuleSequence)

--- Stores the names of children by position.
local function keep_names(self, names)
  local positions = {}
  for position, name in pairs(names) do positions[name] = position end
  local any = next(names) ~= nil
  rawset(self, "_names", any and names or nil)
  rawset(self, "_position_of", any and positions or nil)
end

--- Inserts a module, or {name, module}, at a position, shifting later ones. Returns the container.
function ModuleSequence:insert(position, child)
  local count = #self
  local place = checked_position(self, position, count + 1, "insert")
  local module, name = read_child(self, child)
  local names = rawget(self, "_names") or {}
  for i = count, place, -1 do
    self[i + 1], names[i + 1] = self[i], names[i]
  end
  self[place], names[place] = module, name
  keep_names(self, names)
  return self
end

--- Appends a module, or {name, module}; returns the container.
function ModuleSequence:append(child) return self:insert(#self + 1, child) end

--- Appends a list of modules, or the modules of another container; returns the container.
function ModuleSequence:extend(children)
  if type(children) ~= "table" or class.is_a(children, Module)
    and not class.is_a(children, ModuleSequence) then
    raise("%s.extend: expected a list of modules, got %s", getmetatable(self).name,
      class.is_a(children, Module) and getmetatable(children).name or kind_of(children))
  end
  -- The list may be this very container.
  for _, child in ipairs(table.move(children, 1, #children, 1, {})) do self:append(child) end
  return self
end

--- Removes and returns the module at a position (default: the last), shifting later ones.
function ModuleSequence:pop(position)
  local count = #self
  local place = checked_position(self, position == nil and count or position, count, "pop")
  local module, names = self[place], rawget(self, "_names") or {}
  for i = place, count - 1 do
    self[i], names[i] = self[i + 1], names[i + 1]
  end
  rawset(self, count, nil)
  names[count] = nil
  keep_names(self, names)
  return module
end

--- Appends `module` under a name, or stores it at a position.
function ModuleSequence:add_module(name, module)
  if type(name) == "string" then return self:append {name, module} end
  Module.add_module(self, name, module)
end

return ModuleSequence

-- Classes with single inheritance: `class("Linear", Module)` creates a class, calling it creates an object.

--- The text of an object whose class does not define __tostring: its fields.
local function text_of_fields(object) return require "tide.internal.object_text"(object) end

--- Raises an error unless these are a name and a class.
local function check(name, base)
  local is_base = base == nil or type(base) == "table" and rawget(base, "__index") ~= nil
  if type(name) == "string" and is_base then return end
  local what, expected, got = "name", "a string", name
  if type(name) == "string" then what, expected, got = "base", "a class", base end
  require "tide.internal.raise"('class: %s: expected %s, got %s, as in tide.class("Net", nn.Module)', what, expected,
    type(got) == "table" and tostring(got) or type(got))
end

-- Names of constructors in Torch7, Python and Penlight.
local kOtherConstructors <const> = {"__init", "__init__", "_init", "__new__"}

--- A class with single inheritance: calling it creates an object and passes the arguments to its method init. Objects
--- find methods in the class and then in its base. Metamethods, such as __call, are inherited too. If a base defines a
--- function named inherited, it is called with each class derived from it.
---@name class
---@param name string  name of the class
---@param base? class  the class it is derived from
---@example
--- local Point = tide.class("Point")
--- function Point:init(x) self.x = x end
--- Point(3).x --> 3
local function class(name, base, ...)
  check(name, base)
  if select("#", ...) > 0 then require "tide.internal.declare.refuse_more"("class", 2, ...) end
  local made = {name = name, base = base}
  -- Lua looks metamethods up in the metatable itself, never through its __index: so they are
  -- copied.
  for key, value in pairs(base or {}) do
    if type(key) == "string" and key:sub(1, 2) == "__" then made[key] = value end
  end
  made.__index = made
  made.__name = name
  made.__tostring = made.__tostring or text_of_fields
  setmetatable(made, {
    __index = base,
    __call = function(self, ...)
      local object = setmetatable({}, self)
      for _, wrong in ipairs(kOtherConstructors) do
        if rawget(self, wrong) then
          local raise = require "tide.internal.raise"
          raise("%s: objects are made by init: function %s:init(...), not %s", name, name, wrong)
        end
      end
      if self.init then self.init(object, ...) end
      return object
    end,
    __tostring = function() return "class " .. name end,
  })
  if made.inherited then made.inherited(made) end
  return made
end

--- The value that objects of a class find under `name`; nil if there is none.
local function member(made, name)
  while made do
    local value = rawget(made, name)
    if value ~= nil then return value end
    made = rawget(made, "base")
  end
end

--- Whether `value` is an object of `wanted` or of a class derived from it.
local function is_a(value, wanted)
  local current = type(value) == "table" and getmetatable(value)
  while type(current) == "table" do
    if current == wanted then return true end
    current = rawget(current, "base")
  end
  return false
end

return setmetatable({is_a = is_a, member = member}, {__call = function(_, ...) return class(...) end})

-- Classes that record the fields of their objects: if a script reads or sets another one, an error
-- suggests a name. The library itself may usually read missing fields.

-- A class keeps the names of all fields that its objects were given in `_noted`. What an object has,
-- and methods of its own class, are found before any of this is asked.
local class = require "tide.internal.class"
local is_script = require "tide.internal.is_script"
local kind_of = require "tide.internal.kind_of"
local raise = require "tide.internal.raise"
local unknown_name = require "tide.native".unknown_name

local member = class.member

local known_fields = {}

--- Says that objects of a class may lack the fields `names...`, which are nil then. Assigning nil to
--- a field in `init` says the same.
function known_fields.optional(made, ...)
  for i, name in ipairs {...} do
    if type(name) ~= "string" then
      raise("optional: argument %d: expected the name of a field, got %s", i, kind_of(name))
    end
    made._noted[name] = true
  end
end

--- By their names the methods of the classes from `made` on, and "" for other fields.
local function names_of(made)
  local names = {}
  while made do
    for name in next, rawget(made, "_noted") or {} do names[name] = names[name] or "" end
    for name, value in next, made do
      names[name] = names[name] or type(value) == "function" and value or ""
    end
    made = rawget(made, "base")
  end
  return names
end

--- Fields of the bases of a class; nil for a noted one.
local function field_of_bases(made, name)
  local value = member(rawget(made, "base"), name)
  if value ~= nil then return value end
  local options = made._options
  if options.refuse then options.refuse(made, name) end
  if type(name) ~= "string" or not made._is_closed or made._noted[name] then return nil end
  if options.always or is_script(debug.getinfo(2, "S")) then
    unknown_name(made.name, name, made, options.hint and options.hint(made, name) or "")
  end
end

--- Notes a new field of an object.
local function new_field(object, name, value)
  local made = getmetatable(object)
  local is_known = not made._is_closed or made._noted[name] or member(made, name) ~= nil
  if not is_known and is_script(debug.getinfo(2, "S")) then
    local refuse = made._options.refuse
    if refuse then refuse(made, name, value) end
    unknown_name(made.name, name, made, "; scripts give it no fields")
  end
  made._noted[name] = true
  rawset(object, name, value)
end

local function inherited(made)
  local base = rawget(made, "base")
  made._noted = setmetatable({}, {__index = base and base._noted})
  if base then
    made._options = base._options
    -- Its creator called class(), which called this.
    made._is_closed = made._options.always or not is_script(debug.getinfo(3, "S"))
  end
  local metatable = getmetatable(made)
  metatable.__index, metatable.__names = field_of_bases, names_of
end

--- Lets a class and those that the library derives from it know the fields of their objects.
--- `options`, all optional: `refuse(class, name, value)` may raise an error of its own for a name
--- that is not there, to which `value` was to be assigned if it is not nil; `hint(class, name)` ends
--- an error that has no near name; `new_field` is another __newindex, which notes names by itself;
--- `always`: the classes that scripts derive know their fields, too, and the library may not ask for
--- others.
function known_fields.watch(made, options)
  made._options, made._is_closed = options, true
  made.__newindex, made.inherited = options.new_field or new_field, inherited
  inherited(made)
end

return known_fields

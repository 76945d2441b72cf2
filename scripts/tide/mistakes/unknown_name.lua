-- Raises an error for a name that a table or an object of the library does not have.
local nearest = require "tide.internal.nearest"
local raise = require "tide.internal.raise"

--- The string keys of a table, and those that the `__names` of its metatable declares.
local function names_of(value)
  local names = {}
  if type(value) == "table" then
    for name in next, value do names[name] = true end
  end
  local declared = debug.getmetatable(value).__names
  if type(declared) == "function" then declared = declared(value) end
  for name in pairs(declared or {}) do names[name] = true end
  return names
end

local called_as -- the path of each name of the reference; created on first use

--- The path of a name that `value` lacks, but another table of the library has; else nil.
local function elsewhere(name)
  if not called_as then
    called_as = {}
    for _, entry in ipairs(require "tide.reference") do
      called_as[entry.name] = called_as[entry.name] or entry.called_as
    end
  end
  return called_as[name]
end

--- Raises "PLACE.NAME: there is no such name; did you mean 'OTHER'?". OTHER is a name of `value`
--- that differs only in case, or where another table has the name, or the nearest
--- name of `value`. With `hint`, other tables are not considered, and the hint is used if no name
--- is similar.
local function unknown_name(place, name, value, hint)
  local other = nearest(name, names_of(value))
  local same_letters = other and other:lower() == name:lower()
  if not same_letters and not hint then other = elsewhere(name) or other end
  raise("%s.%s: there is no such name%s", place, name,
    other and ("; did you mean '%s'?"):format(other) or hint or "")
end

return unknown_name

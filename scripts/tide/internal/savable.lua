-- Checks of values to be saved; errors begin with `caller`.
local class = require "tide.internal.class"
local kind_of = require "tide.internal.kind_of"
local raise = require "tide.internal.raise"
local tide = require "tide"

local savable = {}

--- The keys of a table, integers first, in order.
function savable.keys(caller, value, place)
  local keys = {}
  for key in next, value do
    if type(key) ~= "string" and math.type(key) ~= "integer" then
      raise("%s: %s: a %s cannot be saved as a key", caller, place, math.type(key) or kind_of(key))
    end
    keys[#keys + 1] = key
  end
  table.sort(keys, function(a, b)
    if type(a) ~= type(b) then return type(a) == "number" end
    return a < b
  end)
  return keys
end

local function index(value, name) return value[name] end

--- The state of a module, an optimizer or another object that has state_dict.
function savable.state_of(caller, value, place)
  -- The module's own tensors, so that shared ones are recognized.
  if class.is_a(value, tide.nn.Module) then return value:state_dict({keep_vars = true}) end
  local found, method = pcall(index, value, "state_dict")
  if not found or type(method) ~= "function" then
    local name = rawget(getmetatable(value), "__name")
    raise("%s: %s: %s cannot be saved: it has no state_dict", caller, place,
      name and "a " .. name or "an object")
  end
  return method(value)
end

return savable

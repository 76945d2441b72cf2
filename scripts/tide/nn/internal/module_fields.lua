-- Named fields of a module: children, parameters and buffers, and lists of hooks.

-- The fields are raw fields of the module, so reading them costs nothing. `_fields` has the names of those that are
-- children, parameters or buffers, in the order of their first assignment.

local kind_of = require "tide.internal.kind_of"
local raise = require "tide.internal.raise"

local fields = {}

--- Records the kind of field `name` of a module: "child", "parameter",
--- "buffer", or "tensor", which is neither saved nor moved.
function fields.register(module, name, kind)
  if type(name) ~= "string" and math.type(name) ~= "integer" then
    raise("%s: name: expected a name, got %s", getmetatable(module).name, kind_of(name))
  end
  module._noted[name] = true
  local known = rawget(module, "_fields")
  if not known then
    known = {order = {}, kind = {}}
    rawset(module, "_fields", known)
  end
  if not known.kind[name] then known.order[#known.order + 1] = name end
  known.kind[name] = kind
end

local no_fields = {order = {}, kind = {}}

--- Iterates over the fields of one kind ("child", "parameter", "buffer") of this module alone, in
--- order.
function fields.each(module, kind)
  local known = rawget(module, "_fields") or no_fields
  local i = 0
  return function()
    while true do
      i = i + 1
      local name = known.order[i]
      if name == nil then return nil end
      local value = rawget(module, name)
      if value ~= nil and known.kind[name] == kind then return name, value end
    end
  end
end

--- The name of the child in field `name`: positions may have names (module_sequence.lua).
function fields.child_name(module, name)
  local names = rawget(module, "_names")
  return names and names[name] or name
end

--- A child's name in files, as in PyTorch: positions count from 0.
function fields.file_name(module, name)
  name = fields.child_name(module, name)
  return math.type(name) and tostring(name - 1) or name
end

local none = {}

--- The hooks of one kind.
function fields.hooks(module, key) return rawget(module, key) or none end

return fields

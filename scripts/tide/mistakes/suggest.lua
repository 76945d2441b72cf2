-- Suggests a name for a misspelled one in Lua's own error messages.
local nearest = require "tide.internal.nearest"

--- The candidate names for a kind of place: "global", or "field" and "method" of tide's values.
local function names_of(kind)
  local names = {}
  if kind == "global" then
    for name in pairs(_G) do names[name] = true end
  else
    local separator = kind == "method" and ":" or "."
    for _, entry in ipairs(require "tide.reference") do
      if entry.called_as:find(separator, 1, true) then names[entry.name] = true end
    end
  end
  return names
end

--- For Lua's message on a nil value that has a name, "did you mean 'ones'?"; else nil.
local function suggest(message)
  local kind, name = message:match "a nil value %((%l+) '([%w_]+)'%)"
  if kind ~= "global" and kind ~= "method" and kind ~= "field" then return nil end
  local best = nearest(name, names_of(kind))
  return best and best ~= name and ("did you mean '%s'?"):format(best) or nil
end

return suggest

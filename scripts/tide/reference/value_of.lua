-- The value that a name of the reference stands for.
local native = require "tide.native"
local tide = require "tide"

--- The value that "tide.nn.Linear" or "x:mv" stands for; nil for methods of other objects.
local function value_of(called_as)
  local method = called_as:match "^x:(.*)$"
  if method then return native.methods[method] end
  local value = {tide = tide}
  for name in called_as:gmatch "[^.]+" do
    value = type(value) == "table" and not name:find ":" and value[name] or nil
  end
  return value
end

return value_of

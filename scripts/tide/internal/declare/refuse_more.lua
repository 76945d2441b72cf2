-- Surplus arguments are an error.
local kind_of = require "tide.internal.kind_of"
local raise = require "tide.internal.raise"

--- Raises an error if there are arguments other than nil after the `count` that `caller` takes.
return function(caller, count, ...)
  for i = 1, select("#", ...) do
    local value = select(i, ...)
    if value ~= nil then
      raise("%s: too many arguments: argument %d is a %s", caller, count + i, kind_of(value))
    end
  end
end

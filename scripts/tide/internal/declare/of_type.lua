-- Checks single values, such as those of callbacks and fields.
local kinds = require "tide.internal.declare.kinds"

local readers = {} -- by type

--- The value, if it is of the type, "integer >= 0" (see kinds.lua), else an error in the name of `caller`.
return function(caller, name, value, type_text)
  readers[type_text] = readers[type_text] or kinds.reader(type_text)
  return readers[type_text](caller, name, name, value)
end

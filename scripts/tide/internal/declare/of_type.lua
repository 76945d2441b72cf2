-- Checks single values, such as those of callbacks and fields.
local kinds = require "tide.internal.declare.kinds"

--- The value, if it is of the type, "integer >= 0" (see kinds.lua), else an error in the name of `caller`.
return function(caller, name, value, type_text) return kinds.reader(type_text)(caller, name, name, value) end

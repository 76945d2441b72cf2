-- There is one profile at a time.
local native = require("tide.native").profiler
local raise = require "tide.internal.raise"

--- Raises an error in the name of `caller`, which makes a profile of its own, if one is under way.
return function(caller)
  if not native.is_on() then return end
  raise("%s: a profile is under way, and %s makes one of its own: close it first", caller, caller)
end

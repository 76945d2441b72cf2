-- tide.profiler.record_function: a named range of a profile.
local checked = require "tide.internal.declare.checked"
local native = require("tide.native").profiler

local Range = {__name = "tide.Range"}
Range.__index = Range

function Range:close()
  if not self.begin then return end
  native.add_range(self.name, self.begin)
  if self.tool_range then native.end_tool_range(self.tool_range) end
  self.begin = nil
end

Range.__close = Range.close

--- Names a range in the current profile, and in tools that use NVTX, such as Nsight Systems: the call fn(...), or the
--- code until the returned value is closed.
---@param name string  name of the range
---@param fn? function  the function to call in the range
---@param arguments... any  arguments of fn
---@example
--- tide.profiler.record_function("forward", function() return 3 end) --> 3
local record_function = checked("profiler.record_function", function(name, fn, ...)
  local range <const> = setmetatable(
    {name = name, begin = native.now(), tool_range = native.start_tool_range(name)}, Range)
  if fn == nil then return range end
  local _ <close> = range
  return fn(...)
end)

return record_function

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

--- Names a range of the profile under way, and of a tool that NVTX attaches, such as Nsight Systems: what fn(...)
--- does, or what comes until the returned value is closed.
---@param name string  name of the range
---@param fn? function  what is called in it
---@param arguments... any  its arguments
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

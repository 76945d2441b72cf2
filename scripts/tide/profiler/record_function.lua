-- tide.profiler.record_function: a named range of a profile.
local kind_of = require "tide.internal.kind_of"
local native = require("tide.native").profiler
local of_kind = require "tide.internal.of_kind"
local raise = require "tide.internal.raise"

local Range = {__name = "tide.Range"}
Range.__index = Range

function Range:close()
  if not self.begin then return end
  native.add_range(self.name, self.begin)
  if self.tool_range then native.end_tool_range(self.tool_range) end
  self.begin = nil
end

Range.__close = Range.close

--- From here to where the returned value is closed, or while `fn(...)` runs, is the range `name` of
--- a profile under way, and of a tool that is attached by NVTX. Without these it does nothing.
return function(name, fn, ...)
  if type(name) ~= "string" then
    raise("record_function: argument 1 (name): expected string, got %s", kind_of(name))
  end
  local range <const> = setmetatable(
    {name = name, begin = native.now(), tool_range = native.start_tool_range(name)}, Range)
  if fn == nil then return range end
  of_kind("record_function", "fn", fn, "callable")
  local scope <close> = range
  return fn(...)
end

-- Lines of a script, as rules and profiles name them.
local is_script = require "tide.internal.is_script"
local Module = require "tide.nn.module"
local script_level = require "tide.internal.script_level"

local site = {}

--- The key of a line in tables of lines.
function site.key(row) return ("%s:%d"):format(row.file or "?", row.line or 0) end

local function of_level(level)
  local info = debug.getinfo(level + 1, "Sl")
  return info and {file = info.short_src, line = info.currentline}
end

--- The script's current line; nil if there is none.
function site.current()
  local level = script_level()
  return level and of_level(level)
end

--- The line that called the caller of this function; nil if it is not in a script.
function site.of_caller()
  local info = debug.getinfo(3, "Sl")
  if not info or not is_script(info) then return nil end
  return {file = info.short_src, line = info.currentline}
end

--- Inside module calls: the line that called the outermost one, and whether that is the only one.
function site.of_outermost_module()
  local call, outermost, count, level = Module.__call, nil, 0, 2
  while true do
    local info = debug.getinfo(level, "f")
    if not info then break end
    if info.func == call then outermost, count = level, count + 1 end
    level = level + 1
  end
  level = (outermost or 1) + 1
  while true do
    local info = debug.getinfo(level, "S")
    if not info then return nil, count <= 1 end
    if is_script(info) then return of_level(level), count <= 1 end
    level = level + 1
  end
end

return site

-- Raises errors in the name of the script's line, not of the library's own.
local is_script = require "tide.internal.is_script"

--- The stack level, as its caller counts, of the innermost function outside the library.
local function script_level()
  local level = 2
  while true do
    local info = debug.getinfo(level, "S")
    if not info then return 2 end
    if is_script(info) then return level - 1 end
    level = level + 1
  end
end

--- Raises `format:format(...)`, headed by the file and line of the script that called into the
--- library.
local function raise(format, ...)
  local message = select("#", ...) > 0 and format:format(...) or format
  error(message, script_level())
end

return raise

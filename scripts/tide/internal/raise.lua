-- Raises errors in the name of the script's line, not of the library's own.
local script_level = require "tide.internal.script_level"

--- Raises `format:format(...)`, headed by the file and line of the script that called into the
--- library.
local function raise(format, ...)
  local message = select("#", ...) > 0 and format:format(...) or format
  error(message, script_level() or 2)
end

return raise

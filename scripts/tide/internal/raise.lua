-- Raises errors at the script's line, not the library's.
local script_level = require "tide.internal.script_level"

--- The text; %d also takes numbers that are not integers, and values that are not numbers.
local function formatted(format, ...)
  local ok, text = pcall(string.format, format, ...)
  if ok then return text end
  local values = table.pack(...)
  for i = 1, values.n do values[i] = tostring(values[i]) end
  return (format:gsub("%%[dg]", "%%s")):format(table.unpack(values, 1, values.n))
end

--- Raises `format:format(...)`, prefixed with the file and line of the script that called into the
--- library.
local function raise(format, ...)
  local message = select("#", ...) > 0 and formatted(format, ...) or format
  error(message, script_level() or 2)
end

return raise

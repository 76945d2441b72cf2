-- Raises errors in the name of the script's line, not of the library's own.

-- This file's chunk name ends in "tide/internal/raise.lua"; what stands before it is where the library lies,
-- be it embedded in the program or in a folder.
local own = debug.getinfo(1, "S").source
local library = own:sub(1, #own - #"internal/raise.lua")

--- The stack level, as its caller counts, of the innermost function outside the library.
local function script_level()
  local level = 2
  while true do
    local info = debug.getinfo(level, "S")
    if not info then return 2 end
    if info.what ~= "C" and info.source:sub(1, #library) ~= library then return level - 1 end
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

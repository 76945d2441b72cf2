-- Finds the script's own function among those that run.
local is_library = require "tide.internal.is_library"

--- The stack level, as its caller counts, of the innermost function outside the library; nil if there is none.
local function script_level()
  local level = 2
  while true do
    local info = debug.getinfo(level, "S")
    if not info then return nil end
    if info.what ~= "C" and not is_library(info.source) then return level - 1 end
    level = level + 1
  end
end

return script_level

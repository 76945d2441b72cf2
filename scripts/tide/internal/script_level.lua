-- Finds the script's own function among those that run.

-- This file's chunk name ends in "tide/internal/script_level.lua"; what stands before it is where the library
-- lies, be it embedded in the program or in a folder.
local own = debug.getinfo(1, "S").source
local library = own:sub(1, #own - #"internal/script_level.lua")

--- The stack level, as its caller counts, of the innermost function outside the library; nil if there is none.
local function script_level()
  local level = 2
  while true do
    local info = debug.getinfo(level, "S")
    if not info then return nil end
    if info.what ~= "C" and info.source:sub(1, #library) ~= library then return level - 1 end
    level = level + 1
  end
end

return script_level

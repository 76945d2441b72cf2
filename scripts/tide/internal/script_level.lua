-- Finds the script's function on the call stack.
local is_script = require "tide.internal.is_script"

--- The stack level, as its caller counts, of the innermost function outside the library; nil if there is none.
local function script_level()
  local level = 2
  while true do
    local info = debug.getinfo(level, "S")
    if not info then return nil end
    if is_script(info) then return level - 1 end
    level = level + 1
  end
end

return script_level

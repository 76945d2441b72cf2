-- Distinguishes functions of scripts from those of the library.

-- This file's chunk name ends in "tide/internal/is_script.lua"; the prefix is the library's location,
-- embedded in the program or in a folder.
local own = debug.getinfo(1, "S").source
local library = own:sub(1, #own - #"internal/is_script.lua")

--- Whether a function is Lua code outside of the library, by its source from debug.getinfo ("S").
local function is_script(info) return info.what ~= "C" and info.source:sub(1, #library) ~= library end

return is_script

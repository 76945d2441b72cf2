-- Tells chunks of the library from those of scripts.

-- This file's chunk name ends in "tide/internal/is_library.lua"; what stands before it is where the library lies,
-- be it embedded in the program or in a folder.
local own = debug.getinfo(1, "S").source
local library = own:sub(1, #own - #"internal/is_library.lua")

--- Whether the chunk of this name (as debug.getinfo gives its source) is the library's.
return function(source) return source:sub(1, #library) == library end

-- Frames of the embedded library are left out of the traceback.
local class = require "tide.class"
local Broken = class("Broken")
function Broken:init() error("cannot be made") end
Broken()
--> tide: library_frames.lua:4: cannot be made
--> stack traceback:
--> 	[C]: in function 'error'
--> 	library_frames.lua:4: in field 'init'
--> 	library_frames.lua:5: in main chunk

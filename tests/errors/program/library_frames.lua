-- Frames of the embedded library are left out of the traceback, and so are the C functions that it
-- calls.
local class = require "tide.class"
local Broken = class("Broken")
function Broken:init() return tide.nn.Linear(3), 1 end
Broken()
--> tide: library_frames.lua:5: Linear: out_features is missing
--> stack traceback:
--> 	library_frames.lua:5: in field 'init'
--> 	library_frames.lua:6: in main chunk

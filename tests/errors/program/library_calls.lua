-- C functions that the embedded library calls are left out of the traceback, as its own frames are.
local function build() return tide.nn.Linear(3), 1 end
build()
--> tide: library_calls.lua:2: Linear: argument 2 (out_features): expected integer, got nothing
--> stack traceback:
--> 	library_calls.lua:2: in local 'build'
--> 	library_calls.lua:3: in main chunk

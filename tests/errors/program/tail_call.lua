-- A frame of the library that a tail call has made says nothing of its own.
local net = tide.nn.Linear(4, 2)
net(tide.ones(4, 3))
--> tide: tail_call.lua:3: net (Linear 4 -> 2): linear: the input (4, 3) has 3 features, the weight (2, 4) takes 4

-- A shape that does not fit inside a network: which layer it was, as Lua reaches it.
local nn = tide.nn
local net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(9, 2))
local y = net(tide.ones(1, 4))
--> tide: layer_of_network.lua:4: net[3] (Linear 9 -> 2): linear: the input (1, 8) has 8 features, the weight (2, 9) takes 9

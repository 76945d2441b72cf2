-- A linear layer after a convolution, without nn.Flatten between them.
local nn = tide.nn
local net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.Linear(4 * 6 * 6, 10))
print(net(tide.ones(2, 1, 8, 8)))
--> tide: flatten_forgotten.lua:4: net[2] (Linear 144 -> 10): linear: the input (2, 4, 6, 6) has 6 features, the weight (10, 144) takes 144; flattened from dimension 2 on it would fit: nn.Flatten

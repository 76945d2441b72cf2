-- Grey images without a dimension for their one channel.
local net = tide.nn.Sequential(tide.nn.Conv2d(1, 4, 3))
print(net(tide.ones(16, 8, 8)))
--> tide: channels_missing.lua:3: net[1] (Conv2d 1 -> 4, 3x3): conv2d: the input (16, 8, 8) has 16 channels, the weight (4, 1, 3, 3) takes 1; a batch without channels gets them by x:unsqueeze(2)

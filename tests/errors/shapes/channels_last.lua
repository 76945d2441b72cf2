-- Images as cameras give them: the colours last.
local net = tide.nn.Sequential(tide.nn.Conv2d(3, 4, 3))
print(net(tide.ones(2, 8, 8, 3)))
--> tide: channels_last.lua:3: net[1] (Conv2d 3 -> 4, 3x3): conv2d: the input (2, 8, 8, 3) has 8 channels, the weight (4, 3, 3, 3) takes 3; channels belong in dimension 2, not the last: x:permute

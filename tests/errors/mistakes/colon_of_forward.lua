-- The error is in the method, the mistake where it is called.
local Net = tide.class("Net", tide.nn.Module)
function Net:init() self.scale = 2 end
function Net:forward(x) return x * self.scale end
local net = Net()
print(net.forward(tide.ones(2)))
--> tide: colon_of_forward.lua:4: tensor.scale: there is no such name; use ':' at colon_of_forward.lua:6, as in net:forward(tide.ones(2))

-- A method called with '.' inside of a module.
local Net = tide.class("Net", tide.nn.Module)
function Net:forward(x) return x.sum() + 1 end
local net = Net()
print(net(tide.ones(2)))
--> tide: colon_in_forward.lua:3: net (Net): sum: argument 1 (x): expected tensor, got nothing; use ':', as in x:sum()

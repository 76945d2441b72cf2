-- A method called with '.': the line and the call as it is written.
local net = tide.nn.Linear(3, 2)
local optimizer = tide.optim.SGD(net.parameters(), {lr = 0.1})
--> tide: colon_of_method.lua:3: parameters: self is missing; use ':', as in net:parameters()

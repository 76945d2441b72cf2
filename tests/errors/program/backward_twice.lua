-- A graph that was not retained.
local x = tide.ones({1}, {requires_grad = true})
local y = (x * x):sum()
y:backward()
y:backward()
--> tide: backward_twice.lua:5: backward: the graph was used and released already (sum); give the first backward {retain_graph = true}

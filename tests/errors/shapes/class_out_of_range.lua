-- A class that does not exist.
local loss = tide.nn.functional.cross_entropy(tide.ones(2, 3), tide.tensor({1, 4}))
print(loss:item())
--> tide: class_out_of_range.lua:3: cross_entropy targets: position 4 is out of range: there are 3; queued at class_out_of_range.lua:2 (cross_entropy targets), noticed at class_out_of_range.lua:3 (item)

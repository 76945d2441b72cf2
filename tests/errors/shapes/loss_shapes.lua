-- Losses do not broadcast.
local loss = tide.nn.functional.mse_loss(tide.ones(4, 1), tide.ones(4))
--> tide: loss_shapes.lua:2: mse_loss: the shapes differ: (4, 1) and (4); use target:view_as(x)

-- Tensors on two devices.
local x, y = tide.ones(2), tide.ones(2, {device = "sim:0"})
local z = x * y
--> tide: two_devices.lua:3: mul: tensors lie on different devices: (2) on cpu and (2) on sim:0; move one with :to("cpu")

-- An option that is not known.
local x = tide.zeros(3, {dtipe = "int64"})
--> tide: unknown_option.lua:2: zeros: unknown option 'dtipe': known are dtype, device, requires_grad

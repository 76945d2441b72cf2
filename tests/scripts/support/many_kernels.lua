-- Computes something with about 30 kernels; prints the sum and the number of kernels that had to be compiled.
local tide = require "tide"

local x = tide.arange(96, {dtype = "float64"}):reshape(8, 12) / 64 - 0.5
local total = 0.0
for i = 1, 30 do
  local y = x
  for k = 0, 4 do
    -- The binary digits of i choose the ops.
    if i >> k & 1 == 1 then y = (y * 0.5):tanh() + k else y = y:abs() - 0.25 end
  end
  total = total + y:sum():item()
end
print(("%.17g %d"):format(total, tide.statistics().compiled))

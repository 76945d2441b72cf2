-- Prints a sum over the bits of decompositions on the host that are large enough for several threads.
local tide = require "tide"
tide.manual_seed(1)
local a = tide.randn(300, 300)
local s = a:matmul(a:t()) + tide.eye(300) * 10

local function print_bits(x)
  local sum = 0
  for _, row in ipairs(x:tolist()) do
    for _, value in ipairs(row) do sum = sum * 31 + string.unpack("i8", string.pack("d", value)) end
  end
  print(("%x"):format(sum))
end

print_bits(tide.linalg.cholesky(s))
print_bits(tide.linalg.solve(a, a:t()))
print_bits((tide.linalg.qr(a)))

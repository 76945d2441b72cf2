-- Makes new kernels of 20 ops, and prints the milliseconds that each took: to compile, or to find on
-- disk if an earlier run stored it there.
local tide = require "tide"

local kOps = 20

--- Chain k: sums and products in a unique order, with three functions among them.
local function chain(k, x, y)
  local functions = {[6] = tide.exp, [12] = tide.tanh, [18] = tide.sigmoid}
  local value = x
  for i = 1, kOps do
    if functions[i] then
      value = functions[i](value)
    elseif k >> (i - 1) & 1 == 1 then
      value = value * y
    else
      value = value + y
    end
  end
  return value
end

return function(count)
  local zeros = {}
  for i = 1, 4096 do zeros[i] = 0.0 end
  local x, y = tide.tensor(zeros), tide.tensor(zeros) -- copied: made by no kernel
  for k = 1, count do
    local before = tide.statistics()
    local value <const> = chain(k, x, y)
    tide.synchronize()
    local after = tide.statistics()
    assert(value and after.kernels == before.kernels + 1, "bench: the chain is not one new kernel")
    local compiled = after.compiled > before.compiled
    print(compiled and after.compile_ms - before.compile_ms or after.lookup_ms - before.lookup_ms)
  end
end

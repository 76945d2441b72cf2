-- The limit of the memory: copying one large array to another, for comparison with memory-bound
-- workloads.
local tide = require "tide"

local kElements = 64 << 20

--- A function that measures GB/s of a copy (2 arrays of 256 MB that are there already), best of
--- `repeats`.
local function make_control(device, repeats)
  local source = tide.ones(kElements, {device = device})
  local target = tide.zeros(kElements, {device = device})
  return function()
    local best = math.huge
    for _ = 1, repeats do
      tide.synchronize(device)
      local start = tide.time()
      target:copy_(source)
      tide.synchronize(device)
      best = math.min(best, tide.time() - start)
    end
    return 2 * 4 * kElements / best / 1e9
  end
end

return make_control

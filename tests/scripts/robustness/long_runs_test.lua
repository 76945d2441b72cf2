-- Long loops without reads: neither the device's memory nor the process's grows,
-- without calls of the collector. And the longest chains do not need a deep stack.
local tide = require "tide"
local test = require "tide.test"

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local resident = dofile(here .. "/../support/resident.lua")
local run = dofile(here .. "/../support/program.lua")
local describe, it = test.describe, test.it
local nn, F = tide.nn, tide.nn.functional

-- The full numbers with TIDE_TEST_SOAK=1: minutes.
local kShare <const> = os.getenv "TIDE_TEST_SOAK" and 1 or 10

local function check_growth(what, growth, slack)
  if growth > slack then error(("%s grew by %d bytes"):format(what, growth), 0) end
end

--- Calls step(i) this number of times. Memory must not grow in the second half, except for
--- `slack` bytes. (Half, because the peak depends on how the collector's steps
--- coincide with windows of ops. A new coincidence late in the run makes and compiles another
--- plan: this is not counted as growth, but there are few of these. Memory that is held while the
--- collector traverses all objects, which it does once in 100 000 steps, is released late:
--- so one such traversal is done before.)
local function stays_flat(device, times, slack, step)
  times = times // kShare
  local kLatePlans <const> = 3
  local process, peak, plans, late = 0, 0, 0, 0
  local kWarm <const> = 100
  for i = 1, kWarm do step(i) end
  collectgarbage()
  tide.reset_peak_memory_stats(device)
  for i = 1, times do
    step(i)
    if i % (times // 20) == 0 then
      tide.synchronize(device)
      local made = tide.statistics().plans - plans
      plans = plans + made
      if i <= times // 2 or made > 0 then
        process, peak = math.max(process, resident()), tide.max_memory_allocated(device)
        if i > times // 2 then late = late + made end
      else
        check_growth("the process", resident() - process, slack)
        check_growth("the peak", tide.max_memory_allocated(device) - peak, slack)
      end
    end
  end
  if late > kLatePlans then error(("%d plans came late"):format(late), 0) end
end

describe("memory in long runs", function()
  for _, held in ipairs {1, 3, 50} do
    local device = held == 3 and "cpu" or "sim:0"
    it(("is constant in training that holds the outputs of %d steps"):format(held), function()
      local batch <const>, width <const> = 1024, 64
      local net = nn.Sequential(nn.Linear(2, width), nn.ReLU(), nn.Linear(width, 2)):to(device)
      local optimizer = tide.optim.SGD(net:parameters(), {lr = 0.01, momentum = 0.9})
      local x = tide.randn(batch, 2, {device = device})
      local y = tide.randn(batch, 2, {device = device})
      local outputs = {}
      stays_flat(device, 200000, 3 * batch * width * 4, function(i)
        optimizer:zero_grad()
        local hidden = net[2](net[1](x))
        local output = net[3](hidden)
        F.mse_loss(output, y):backward()
        optimizer:step()
        outputs[i % held] = {hidden, output}
      end)
    end)
  end
  it("is constant if tensors of 4 MB are released", function()
    local count <const> = 1 << 20
    stays_flat("cpu", 100000, 3 * 4 * count, function(i)
      local _ = tide.zeros({count}) + i
    end)
  end)
end)

describe("a chain of a million ops", function()
  it("is computed and released with a stack of 512 KB, backward too", function()
    local output = run(here .. "/../support/long_chain.lua", "ulimit -s 512; exec")
    test.equal(output, "a million ops\n")
  end)
end)

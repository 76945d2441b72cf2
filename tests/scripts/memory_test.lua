-- Memory follows use: loops that make garbage stay flat without a call of the collector.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local nn = tide.nn

describe("memory", function(device)
  it("of dropped tensors is used again", function()
    tide.reset_peak_memory_stats(device)
    local before = tide.memory_allocated(device)
    for _ = 1, 2000 do local _ = tide.zeros({1 << 20}, {device = device}) + 1 end
    tide.synchronize(device)
    -- Unread results are computed all the same, 4 MB each: 8 GB went by.
    test.is_true(tide.max_memory_allocated(device) - before < 400e6)
  end)
  it("of a training loop that reads nothing stays flat", function()
    local net = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4)):to(device)
    local optimizer = tide.optim.SGD(net:parameters(), {lr = 0.01, momentum = 0.9})
    local x = tide.randn(8, 16, {device = device})
    local y = tide.randint(1, 4, {8}, {device = device})
    local held = {}
    local function step(i)
      optimizer:zero_grad()
      local output = net(x)
      nn.functional.cross_entropy(output, y):backward()
      optimizer:step()
      held[i % 50] = output
    end
    for i = 1, 500 do step(i) end
    collectgarbage()
    tide.synchronize(device)
    local before = tide.memory_allocated(device)
    for i = 1, 3000 do step(i) end
    collectgarbage()
    tide.synchronize(device)
    test.is_true(tide.memory_allocated(device) <= before + 64 * 1024)
  end)
  it("is given back at once by free and close", function()
    tide.synchronize(device)
    local before = tide.memory_allocated(device)
    local x = tide.ones({1 << 22}, {device = device})
    tide.synchronize(device)
    test.is_true(tide.memory_allocated(device) >= before + (1 << 24))
    x:free()
    tide.synchronize(device)
    test.is_true(tide.memory_allocated(device) < before + (1 << 24))
    test.is_false(pcall(function() return x + 1 end))
    do
      local y <close> = tide.ones({1 << 22}, {device = device})
      y:add_(1)
    end
    tide.synchronize(device)
    test.is_true(tide.memory_allocated(device) < before + (1 << 24))
  end)
  it("of a long chain is bounded, and dropping it is no recursion", function()
    local x = tide.zeros({1}, {device = device})
    for _ = 1, 200000 do x = x + 1 end
    test.equal(x:item(), 200000.0)
    for _ = 1, 200000 do x = x + 1 end
    x = nil
    collectgarbage()
  end)
end)

describe("out of memory", function()
  local limit <const> = 64 << 20
  test.before_each(function() tide.sim.configure {index = 1, memory_limit = limit} end)
  test.after_each(function() tide.sim.configure {index = 1, memory_limit = 0} end)

  it("is an error that says how much was asked for, and a smaller try works", function()
    local message = test.raises("out of memory", function()
      local x = tide.zeros({1 << 28}, {device = "sim:1"}) + 1
      return x[1]:item() -- a sum alone would be computed without ever storing x
    end)
    test.is_true(message:find("sim:1", 1, true))
    test.equal((tide.zeros({1 << 10}, {device = "sim:1"}) + 1):sum():item(), 1024.0)
  end)
end)

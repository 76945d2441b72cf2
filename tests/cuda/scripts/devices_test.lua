-- Several devices: copies between them, events, and failures. Run with a CUDA device:
-- TIDE_CUDA_PATH=build/release/fake_cuda tide test tests/cuda/scripts
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, is_true = test.same_type, test.is_true

--- A CUDA device that is not the first, if there is one.
local function second() return tide.cuda.device_count() > 1 and "cuda:1" or "sim:1" end

describe("a value copied between devices", function()
  local ways = {
    {"cuda:0", "sim:0"}, {"sim:1", "cuda:0"}, {"cuda:0", second()}, {second(), "cuda:0"},
    {"cuda:0", second(), "sim:0", "cuda:0", "sim:1", "cuda:0"},
  }
  for _, way in ipairs(ways) do
    it("returns unchanged from " .. table.concat(way, ", "), function()
      local x = tide.randn(300, 70)
      local y = x
      for _, device in ipairs(way) do y = y:to(device) + 0 end
      is_true(y:cpu():equal(x))
    end)
  end

  it("may be larger than a staging block", function()
    local x = tide.arange(5 * 1024 * 1024 + 3)
    is_true(x:cuda():cpu():equal(x))
  end)

  it("may be changed right after it was copied", function()
    local x = tide.ones(1000)
    local away = x:to("cuda", {non_blocking = true})
    x:zero_()
    equal(away:sum():item(), 1000.0)
  end)
end)

describe("an event on a device", function()
  it("is reached once the device is", function()
    local event = tide.Event {device = "cuda"}
    local x = tide.ones(64, 64, {device = "cuda"})
    for _ = 1, 20 do x = x + 1 end
    event:record()
    event:synchronize()
    is_true(event:query())
    equal(x[1][1]:item(), 21.0)
  end)

  it("lets another device wait", function()
    local event = tide.Event {device = "cuda"}
    local x = tide.ones(8, {device = "cuda"}) * 3
    event:record()
    event:wait(second())
    equal(x:to(second()):sum():item(), 24.0)
  end)
end)

describe("a position out of range", function()
  it("fails what is computed from it and nothing else", function()
    local x = tide.ones(10, {device = "cuda"})
    local bad = x:index_select(1, tide.tensor({1, 20}):cuda()) + 1
    local ok, message = pcall(bad.tolist, bad)
    is_true(not ok and message:find("position 20 is out of range: there are 10", 1, true))
    equal(x:sum():item(), 10.0)
  end)

  it("leaves the target of a write unchanged", function()
    local x = tide.zeros(4, {device = "cuda"})
    tide.synchronize()
    x:scatter_(1, tide.tensor({1, 9}):cuda(), tide.ones(2, {device = "cuda"}))
    test.raises("position 9 is out of range: there are 4", function() x:tolist() end)
    equal(x:tolist(), {0.0, 0.0, 0.0, 0.0})
  end)
end)

describe("memory on a device", function()
  it("is counted and released", function()
    local before = tide.cuda.memory_allocated()
    local x = tide.ones(1 << 20, {device = "cuda"})
    tide.synchronize()
    is_true(tide.cuda.memory_allocated() >= before + 4 * (1 << 20))
    x:free()
    tide.cuda.synchronize()
    equal(tide.cuda.memory_allocated(), before)
    local free, total = tide.cuda.mem_get_info()
    is_true(free > 0 and free <= total)
  end)
end)

describe("many small ops", function()
  it("do not block the queue", function()
    local x = tide.zeros(1, {device = "cuda"})
    local _ <close> = tide.eager()
    for _ = 1, 3000 do x = x + 1 end
    equal(x:item(), 3000.0)
  end)
end)

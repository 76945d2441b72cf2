-- Simulated devices like a card: their times are modelled, so that all figures here are exact;
-- other devices are timed as usual.
local cards = require "tide.tools.estimate.cards"
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local close, equal, raises = test.close, test.equal, test.raises
local is_nil, is_true = test.is_nil, test.is_true

local on_sim <const> = {device = "sim"}
local h200 <const> = cards.find("test", "H200")

--- Makes sim:0 like the card until the test ends; `more` overrides its figures.
local function like(name, options)
  test.finally(function() tide.sim.configure {like = false} end)
  local given = {like = name}
  for key, value in pairs(options or {}) do given[key] = value end
  tide.sim.configure(given)
end

local function event() return tide.Event {device = "sim", timing = true} end

--- Milliseconds between events around fn(), on the first stream of sim:0. `other`: a stream that is
--- waited for at the end.
local function ms_of(fn, other)
  local first = tide.current_stream "sim"
  tide.synchronize()
  local a, b = event(), event()
  a:record()
  fn()
  if other then first:wait_stream(other) end
  b:record()
  return a:elapsed_time(b)
end

local function exact(found, expected) close(found, expected, {rtol = 1e-6, atol = 0}) end

local kElements <const> = 1 << 20

describe("events on a device like a card", function()
  it("take a memory-bound chain at the card's bandwidth", function()
    like "H200"
    local x = tide.rand(4 * kElements, on_sim)
    local bytes = 10 * 2 * 4 * x:numel()
    local ms = ms_of(function()
      tide.eager(function() for _ = 1, 10 do x = x * 2 end end)
    end)
    exact(ms, 1e3 * bytes / h200.bandwidth)
    exact(ms_of(function() return x * 2 + 1 end), ms / 10) -- fused: read and written once
  end)

  it("charge small work for its launches", function()
    like "H200"
    local x = tide.zeros(8, on_sim)
    local ms = ms_of(function()
      tide.eager(function() for _ = 1, 500 do x = x + 1 end end)
    end)
    exact(ms, 1e3 * 500 * h200.launch)
    equal(x:sum():item(), 8 * 500.0)
  end)

  it("show that a matmul of half types is unsuitable for Tensor Cores", function()
    like("H200", {launch_cost = 0})
    local function ms_with(k)
      local a, b = tide.rand(256, k, on_sim):half(), tide.rand(k, 256, on_sim):half()
      return ms_of(function() return a:matmul(b) end)
    end
    local flops = 2 * 256 * 256
    local memory = 1e3 * 2 * (2 * 256 * 4096 + 256 * 256) / h200.bandwidth
    exact(ms_with(4096), math.max(memory, 1e3 * flops * 4096 / (h200.tensor.float16 * 1e12)))
    exact(ms_with(4095), 1e3 * flops * 4095 / (h200.peaks.float32 * 1e12))
    is_true(ms_with(4095) > 8 * ms_with(4096))
  end)

  it("show that a copy and a computation overlap on two streams", function()
    like "T4"
    local card = cards.find("test", "T4")
    local copies = tide.Stream "sim"
    local x, host = tide.rand(kElements, on_sim), tide.rand(kElements)
    local function compute()
      tide.eager(function() for _ = 1, 10 do x = x + 1 end end)
    end
    local moved
    local function copy()
      tide.stream(copies, function() moved = host:to "sim" end)
    end
    local computed, copied = ms_of(compute), ms_of(copy, copies)
    exact(computed, 1e3 * 10 * 8 * kElements / card.bandwidth)
    exact(copied, 1e3 * (4 * kElements / card.link + card.latency))
    local both = ms_of(function()
      compute()
      copy()
    end, copies)
    exact(both, math.max(computed, copied))
    is_true(both < computed + copied)
    equal(moved:tolist()[7], host:tolist()[7])
  end)

  it("start after the work that their stream or the script has waited for", function()
    like "H200"
    local side = tide.Stream "sim"
    local x = tide.rand(4 * kElements, on_sim)
    local one = ms_of(function() return x:exp() end)
    exact(ms_of(function()
      local y = x:exp()
      tide.stream(side, function() y = y:exp() end)
    end, side), 2 * one)
    local function on_both(between)
      return ms_of(function()
        local y = x:exp()
        between()
        y = x:to "cpu"
        tide.synchronize()
      end)
    end
    exact(on_both(tide.synchronize), one + on_both(function() end))
  end)

  it("agree with tide.estimate", function()
    like "H200"
    local w = tide.rand(256, 256, on_sim):bfloat16()
    local x = tide.rand(64, 256, on_sim):bfloat16()
    local image, filter = tide.rand(2, 8, 32, 32, on_sim), tide.rand(8, 8, 3, 3, on_sim)
    local function work()
      local y = x
      for _ = 1, 4 do y = tide.relu(y:matmul(w)) end
      local z = tide.nn.functional.conv2d(image, filter)
      return y:float():softmax(2):sum():item() + z:cumsum(2):sort():max():item()
    end
    work()
    for _, name in ipairs {"H200", "T4"} do
      tide.sim.configure {like = name}
      close(ms_of(work), tide.estimate(work, {device = name}).device_ms, {rtol = 1e-5, atol = 0})
    end
  end)

  it("have the same values as always", function()
    local function values()
      tide.manual_seed(7)
      local x = tide.rand(300, 200, on_sim)
      return tide.softmax(x:matmul(x:t()), 2):cumsum(1):tolist()
    end
    local before = values()
    like "RTX 4090"
    equal(values(), before)
  end)
end)

describe("what is modelled", function()
  it("is reported by a benchmark", function()
    like "H200"
    local x = tide.rand(4 * kElements, on_sim)
    local found = tide.benchmark(function() return x * 2 end, {warmup = 1, repeats = 3})
    exact(found.device_ms, 1e3 * 8 * x:numel() / h200.bandwidth)
    equal(found.modelled_for, "H200")
    is_true(tostring(found):find " on sim:0; device: modelled for H200$" ~= nil, tostring(found))
  end)

  it("is reported by a profile, also in its files", function()
    like "H200"
    local x = tide.rand(4 * kElements, on_sim)
    local p = tide.profile(function() return (x * 2):cumsum(1):sum():item() end)
    local device = p:summary().devices[1]
    equal(device.modelled_for, "H200")
    local ms = 0
    for _, row in ipairs(p:table {by = "kernel"}) do ms = ms + row.device_ms end
    close(ms, ms_of(function() return (x * 2):cumsum(1):sum():item() end), {rtol = 1e-3})
    local text = tostring(p)
    is_true(text:find "sim:0: %d+ kernels and copies, [%d.]+ ms, modelled for H200, at" ~= nil,
      text)
    is_true(not text:find "GB/s.*%%%)", text) -- no share of this machine's peak
    local path = os.tmpname() .. ".json"
    test.finally(function() os.remove(path) end)
    p:save(path)
    local file <close> = io.open(path)
    is_true(file:read("a"):find('"sim:0 (modelled for H200)"', 1, true) ~= nil)
  end)

  it("is sequential in a profile, from its start on", function()
    like "H200"
    local x = tide.rand(4 * kElements, on_sim)
    local p = tide.profile(function() tide.eager(function() return x:exp():exp():exp() end) end)
    local device = p:summary().devices[1]
    close(device.busy_ms, device.device_ms, {rtol = 1e-3})
  end)

  it("ends with like = false", function()
    like "H200"
    local a, b = event(), event()
    a:record()
    tide.sim.configure {like = false}
    b:record()
    raises("elapsed_time: the events are on different clocks: that of sim:0 is modelled, that of " ..
      "sim:0 is the host's: record both on one device, after sim.configure", a.elapsed_time, a, b)
    local found = tide.benchmark(function() return tide.ones(8, on_sim) + 1 end)
    is_nil(found.modelled_for)
    is_nil(tide.profile(function() tide.ones(8, on_sim):exp():sum():item() end):summary()
      .devices[1].modelled_for)
  end)

  it("is not another device", function()
    like "H200"
    local x = tide.rand(kElements)
    local a, b = tide.Event {device = "cpu", timing = true}, tide.Event {device = "cpu", timing = true}
    local begin = tide.time()
    a:record()
    x:exp():sum():item()
    b:record()
    local ms = a:elapsed_time(b)
    is_true(ms > 0 and ms <= 1e3 * (tide.time() - begin))
    local sim = event()
    sim:record()
    raises("that of sim:0 is modelled, that of cpu is the host's", a.elapsed_time, a, sim)
  end)

  it("is overridden by other options, also later ones", function()
    like("H200", {launch_cost = 1e-4})
    local x = tide.zeros(8, on_sim)
    exact(ms_of(function() return x + 1 end), 0.1)
    tide.sim.configure {launch_cost = 2e-4}
    exact(ms_of(function() return x + 1 end), 0.2)
  end)
end)

-- tide.estimate, and simulated devices like a card.
local cards = require "tide.tools.estimate.cards"
local roofline = require "tide.tools.estimate.roofline"
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local close, equal, raises = test.close, test.equal, test.raises
local is_nil, is_true = test.is_nil, test.is_true

--- A trace with these tables.
local function trace_of(tables)
  return {
    rows = function(_, by) return tables[by] or {} end,
    summary = function()
      local device = {name = "cuda:0", launches = 1, device_ms = 1, busy_ms = 1}
      device.peak_bytes = tables.peak_bytes or 0
      return {wall_ms = tables.wall_ms or 1, devices = {device}}
    end,
  }
end

local function part(fields)
  local row = {
    kind = "compute", name = "matmul", device = "cuda:0", dtype = "float32", calls = 1, bytes = 1,
    flops = 1, device_ms = 1, inputs = {{4096, 4096}, {4096, 4096}},
  }
  for name, value in pairs(fields) do row[name] = value end
  return row
end

local card <const> = {
  name = "a card", memory = 1e9, bandwidth = 1e12, link = 1e10, launch = 5e-6, latency = 1e-5,
  peaks = {float64 = 1, float32 = 10}, tensor = {float16 = 100},
}

local function ms_of(fields)
  local one = roofline(trace_of {part = {part(fields)}}, card).parts[1]
  return one.ms, one.bound, one.tensor_cores
end

describe("the roofline", function()
  it("is the maximum of memory, arithmetic and launches", function()
    local ms, bound = ms_of {bytes = 1e9}
    close(ms, 1.0)
    equal(bound, "memory")
    ms, bound = ms_of {flops = 1e10}
    close(ms, 1.0)
    equal(bound, "compute")
    ms, bound = ms_of {calls = 10}
    close(ms, 0.05)
    equal(bound, "launch")
  end)

  it("uses Tensor Cores for matmuls of suitable sizes", function()
    local on_tensor_cores
    local ms = ms_of {flops = 1e12, dtype = "float64"}
    close(ms, 1000.0)
    ms, _, on_tensor_cores = ms_of {flops = 1e12, dtype = "float16"}
    close(ms, 10.0)
    is_true(on_tensor_cores)
    local misfit = {{4096, 30}, {30, 4096}}
    ms, _, on_tensor_cores = ms_of {flops = 1e12, dtype = "float16", inputs = misfit}
    close(ms, 100.0)
    equal(on_tensor_cores, false)
    close(ms_of {flops = 1e12, dtype = "float16", kind = "loop", name = "mul"}, 100.0)
    close(ms_of {flops = 1e12, dtype = "bfloat16"}, 100.0) -- the card does not have it
  end)

  it("adds transfers to the device, and waits to both sides", function()
    local estimate = roofline(trace_of {
      wall_ms = 3.5,
      part = {part {flops = 1e10}, part {kind = "transfer", name = "to", bytes = 1e7}},
      wait = {{name = "item", file = "a.lua", line = 1, calls = 50, wait_ms = 0.5}},
    }, card)
    close(estimate.device_ms, 1 + 1.01)
    close(estimate.host_ms, 3.0)
    close(estimate.wait_ms, 0.5)
    close(estimate.total_ms, 3.5)
    equal(estimate.bound, "host")
    equal(estimate.waits, 50)
    equal(estimate.parts[1].bound, "link")
  end)

  it("counts work of the cpu as the script's, if there is an accelerator", function()
    local of_the_cpu = part {device = "cpu", flops = 1e15}
    equal(#roofline(trace_of {part = {part {}, of_the_cpu}}, card).parts, 1)
  end)
end)

describe("tide.estimate", function(device)
  it("has a total, parts and a text that describes it", function()
    local x = tide.rand(64, 64, {device = device})
    local estimate = tide.estimate(function()
      local y = x
      for _ = 1, 5 do y = y:matmul(x) end
      return y:sum():item()
    end, {device = "H200"})
    is_true(estimate.total_ms > 0)
    equal(estimate.card.name, "H200")
    local products, sum = 0, 0
    for _, one in ipairs(estimate.parts) do
      if one.name == "matmul" then products = products + one.calls end
      sum = sum + one.ms
    end
    equal(products, 5)
    close(sum, estimate.device_ms)
    local text = tostring(estimate)
    is_true(text:find("^estimate for H200, by the peaks of its data sheet %(a real run takes " ..
      "longer%): [%d.]+ ms\nmeasured here, on ") ~= nil, text)
    is_true(text:find "bound by " ~= nil and text:find "\nmatmul +float32 +5 " ~= nil, text)
  end)

  it("is less for a faster card", function()
    local x = tide.rand(128, 128, {device = device})
    local function work() for _ = 1, 20 do x:matmul(x) end end
    local fast, slow = tide.estimate(work, {device = "H200"}), tide.estimate(work, {device = "T4"})
    is_true(fast.device_ms < slow.device_ms)
  end)
end)

describe("tide.estimate", function()
  it("runs fn on the accelerator", function()
    local given
    tide.estimate(function(device) given = device end, {device = "T4"})
    equal(given, tide.accelerator())
  end)

  it("is empty for a function without work", function()
    local estimate = tide.estimate(function() end, {device = "T4"})
    equal(estimate.total_ms, 0)
    equal(#estimate.parts, 0)
    is_nil(estimate.bound)
    equal(tostring(estimate), "estimate for T4: no device had any work")
  end)

  it("reports that the memory of the card is too small", function()
    local Estimate = getmetatable(tide.estimate(function() end, {device = "T4"}))
    local trace = trace_of {part = {part {}}, peak_bytes = 2e10}
    local text = tostring(Estimate(trace, cards.find("test", "T4")))
    is_true(text:find "it does not fit: 20.0 GB of memory, the card has 16 GB" ~= nil, text)
  end)

  it("also runs fn on the card, if there is one", function()
    local cuda = tide.cuda
    local count, name = cuda.device_count, cuda.get_device_name
    test.finally(function() cuda.device_count, cuda.get_device_name = count, name end)
    local names = {"NVIDIA H100 PCIe", "NVIDIA H100 80GB HBM3"}
    cuda.device_count = function() return #names end
    cuda.get_device_name = function(i) return names[i + 1] end
    local given = {}
    local function work(device)
      given[tostring(device)] = true
      return tide.ones(8):exp():sum():item()
    end
    local estimate = tide.estimate(work, {device = "H100 SXM", compare = true})
    is_true(given["cuda:1"] and given[tostring(tide.accelerator())])
    is_true(estimate.compared_ms > 0)
    is_true(tostring(estimate):find "\nmeasured on H100 SXM: [%d.]+ ms\n" ~= nil)
    raises("estimate: compare: there is no T4 on this machine, but NVIDIA H100 PCIe, NVIDIA H100",
      tide.estimate, work, {device = "T4", compare = true})
  end)

  it("reports invalid input", function()
    local on_t4 = {device = "T4"}
    raises("estimate: argument 1 (fn): expected function, got string", tide.estimate, "x", on_t4)
    raises("estimate: device: no card 'H20' is described; did you mean 'H200'?: known are A100",
      tide.estimate, print, {device = "H20"})
    raises("estimate: option 'device': expected string, got number",
      tide.estimate, print, {device = 3})
    raises("estimate: device", tide.estimate, print)
    raises("estimate: unknown option 'on'", tide.estimate, print, {on = "T4"})
    raises("no such file", tide.estimate, function() error "no such file" end, on_t4)
    tide.profile(function()
      raises("estimate: a profile is under way, and estimate makes one of its own",
        tide.estimate, print, on_t4)
    end)
    if not tide.cuda.is_available() then
      raises("estimate: compare: there is no T4 on this machine",
        tide.estimate, print, {device = "T4", compare = true})
    end
  end)
end)

describe("the cards", function()
  it("are described completely, and are consistent", function()
    is_true(#cards.names() >= 10)
    for _, name in ipairs(cards.names()) do
      local one = cards.find("test", name)
      equal(one.name, name)
      for _, key in ipairs {"memory", "bandwidth", "link", "launch", "latency"} do
        is_true(one[key] > 0, name .. key)
      end
      local peaks = one.peaks
      is_true(peaks.float64 < peaks.float32 and peaks.float32 < one.tensor.float16, name)
      is_true(one.bandwidth >= one.link and one.memory > 1e9 and one.launch < 1e-4, name)
    end
  end)
end)

describe("tide.sim.configure", function()
  it("uses the speed of a card, overridden by other options", function()
    test.finally(function()
      tide.sim.configure {
        memory_limit = 1 << 30, bytes_per_second = 12e9, copy_latency = 10e-6, launch_cost = 0,
      }
    end)
    tide.sim.configure {like = "T4", memory_limit = 1 << 20}
    raises("sim:0", function() return tide.rand(1 << 20, {device = "sim"}):tolist() end)
    local x = tide.ones(8, {device = "sim"})
    local begin = tide.time()
    tide.eager(function() for _ = 1, 100 do x = x + 1 end end)
    equal(x:sum():item(), 808.0)
    is_true(tide.time() - begin >= 100 * cards.find("test", "T4").launch)
    tide.sim.configure {like = "T4"}
    equal(#tide.rand(1 << 20, {device = "sim"}):tolist(), 1 << 20)
  end)

  it("reports an unknown card", function()
    raises("sim.configure: like: no card 'T5' is described", tide.sim.configure, {like = "T5"})
    raises("sim.configure: like: expected the name of a card, got number",
      tide.sim.configure, {like = 3})
  end)
end)

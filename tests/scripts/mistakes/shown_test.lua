-- Lists, records and objects of the library print their contents.
local tide = require "tide"
local test = require "tide.test"
local describe, it, equal = test.describe, test.it, test.equal
local nn, optim, data = tide.nn, tide.optim, tide.data

describe("a list of the library", function()
  local x = tide.ones(2, 3)
  it("prints its values", function()
    equal(tostring(x.shape), "{2, 3}")
    equal("shape: " .. x.shape .. "!", "shape: {2, 3}!")
    equal(tostring(x:size()), "{2, 3}")
    equal(tostring(x:stride()), "{3, 1}")
    equal(tostring(tide.tensor({{1, 2}, {3, 4}}):tolist()), "{{1, 2}, {3, 4}}")
    equal(tostring(tide.tensor(1).shape), "{}")
    equal(tostring(tide.ones(4):split(2)), "{tensor (2) float32 cpu, tensor (2) float32 cpu}")
    equal(tostring(tide.devices "cpu"), "{cpu}")
    equal(tostring(nn.Linear(3, 2):parameters()), "{tensor (2, 3) float32 cpu, tensor (2) float32 cpu}")
    equal(tostring(tide.iinfo "int8"), '{bits = 8, dtype = "int8", max = 127, min = -128}')
    equal(tostring(x:stats()):match "mean = [%d.]+", "mean = 1.0")
    equal(tostring(tide.memory_stats()):match "num_device_alloc = ", "num_device_alloc = ")
    equal(tostring(tide.statistics()):match "launches = ", "launches = ")
  end)
  it("equals a list of the same values", function()
    equal(x.shape == tide.zeros(2, 3).shape, true)
    equal(x.shape == {2, 3}, true)
    equal({2, 3} == x.shape, true)
    equal(x.shape == {2}, false)
    equal(x.shape == {2, 3, 4}, false)
    equal(x.shape == net, false)
    equal(tide.ones(2):tolist() ~= tide.zeros(2):tolist(), true)
  end)
  it("is otherwise a plain table", function()
    local sum = 0
    for _, size in ipairs(x.shape) do sum = sum + size end
    equal({sum, #x.shape, select("#", table.unpack(x.shape))}, {5, 2, 2})
    equal(getmetatable(x.shape), false)
    equal(tide.zeros(x.shape, {dtype = "int64"}).dtype, "int64")
    equal(tide.zeros(tide.tensor(1).shape):dim(), 0)
    equal(x:view(tide.ones(3, 2).shape).shape, {3, 2})
    equal(nn.Unflatten(2, x.shape)(tide.ones(1, 6)).shape, {1, 2, 3})
    equal(tide.func.vmap(function(row) return row:view(tide.ones(3, 1).shape) end)(x).shape, {2, 3, 1})
  end)
  it("is the same in another thread", function()
    local text = tide.thread(function(shape) return shape .. "" .. tostring(shape == {2, 3}) end, x.shape):join()
    equal(text, "{2, 3}true")
  end)
  it("does not change print for other tables", function() equal(tostring({1, 2}):match "^table: ", "table: ") end)
end)

describe("an object", function()
  local net = nn.Linear(3, 2)
  local optimizer = optim.Adam(net:parameters(), {lr = 0.1})
  it("prints its fields", function()
    local Point = tide.class "Point"
    function Point:init(x, y) self.x, self.y, self._own, self.call = x, y, 1, print end
    equal(tostring(Point(1, "a")), 'Point(x = 1, y = "a")')
    equal(tostring(optim.lr_scheduler.StepLR(optimizer, 2)),
      "StepLR(base_lrs = {0.1}, gamma = 0.1, last_epoch = 0, optimizer = Adam, step_size = 2)")
    local set = data.TensorDataset(tide.ones(8, 3))
    equal(tostring(set), "TensorDataset(tensors = {tensor (8, 3) float32 cpu})")
    local text = tostring(data.DataLoader(set, {batch_size = 2}))
    for _, line in ipairs {"batch_size = 2", "dataset = TensorDataset", "sampler = SequentialSampler"} do
      equal(text:match("\n  (" .. line .. "),\n"), line)
    end
    equal(text:find "0x", nil)
  end)
  it("prints its fields unless its class defines another text", function()
    local Own = tide.class "Own"
    function Own:__tostring() return "my own" end
    equal(tostring(tide.class("Derived", Own)()), "my own")
    equal(tostring(net), "Linear(3 -> 2)")
  end)
  it("prints a description for devices, random generators and modes", function()
    local generator = tide.Generator()
    generator:manual_seed(7)
    tide.rand(3, {generator = generator})
    equal(tostring(generator), "Generator(seed = 7, offset = 3)")
    equal(tostring(tide.Stream "sim"):match "^stream %d+ of sim:0$" ~= nil, true)
    local event = tide.Event {device = "cpu", timing = true}
    equal(tostring(event), "Event(device = cpu, timing = true, not recorded)")
    event:record()
    event:synchronize()
    equal(tostring(event), "Event(device = cpu, timing = true, reached)")
    local scope = tide.no_grad()
    equal(tostring(scope), "Scope(no_grad, open)")
    scope:close()
    equal(tostring(scope), "Scope(no_grad, closed)")
  end)
  it("prints the contents of a state and a parameter group", function()
    local plan = optim.lr_scheduler.StepLR(optim.SGD(net:parameters(), {lr = 0.1}), 2)
    equal(tostring(net:state_dict()), "{bias = tensor (2) float32 cpu, weight = tensor (2, 3) float32 cpu}")
    equal(tostring(plan:get_last_lr()), "{0.1}")
    equal(tostring(plan:state_dict()):match "step_size = 2", "step_size = 2")
    equal(tostring(plan.optimizer.param_groups[1]):match "lr = 0.1,", "lr = 0.1,")
    for _, value in ipairs {plan.optimizer.param_groups, plan.optimizer:state_dict(), nn.Sequential(net):children(),
      data.DataLoader({1}):state_dict()} do
      equal(tostring(value):find "0x", nil)
    end
  end)
  it("prints lists among its options", function()
    equal(tostring(optimizer):match "betas = {0.9, 0.999}", "betas = {0.9, 0.999}")
  end)
end)

describe("progress", function()
  it("draws nothing without a terminal", function()
    local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
    local run = dofile(here .. "/../support/program.lua")
    local output = run [[-e "for i in tide.progress(2) do tide.sleep(0.3) end print 'done'"]]
    equal(output, "done\n")
  end)
end)

-- Results do not depend on fusion, on the time of reads, or on the device: they are bitwise
-- identical.
local tide = require "tide"
local test = require "tide.test"

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local new_random = dofile(here .. "/../support/new_random.lua")
local run = dofile(here .. "/../support/random_program.lua")
local start = dofile(here .. "/../support/program.lua")
local describe, it, equal = test.describe, test.it, test.same_type
local nn = tide.nn

local kPrograms, kSteps = 60, 40

local function same(got, expected, seed)
  for i, tensor in ipairs(expected) do
    local ok, message = pcall(test.identical, got[i], tensor)
    if not ok then error(("program %d, tensor %d: %s"):format(seed, i, message), 2) end
  end
end

--- The parameters of a small network after a few steps.
local function train(device)
  tide.manual_seed(4)
  local net = nn.Sequential(nn.Conv2d(1, 4, 3, {padding = 1}), nn.ReLU(), nn.MaxPool2d(2),
    nn.Flatten(),
    nn.Dropout(0.3), nn.Linear(16, 3)):to(device)
  local optimizer = tide.optim.SGD(net:parameters(), {lr = 0.1, momentum = 0.9})
  for _ = 1, 5 do
    local x = tide.randn(8, 1, 4, 4, {device = device})
    local y = tide.randint(1, 3, {8}, {device = device})
    optimizer:zero_grad()
    nn.functional.cross_entropy(net(x), y):backward()
    optimizer:step()
  end
  local values = {}
  for i, parameter in ipairs(net:parameters()) do values[i] = parameter:detach() end
  return values
end

describe("fused results", function(device)
  it("of random programs equal those of eager mode", function()
    for seed = 1, kPrograms do
      local fused = run(seed, kSteps, device)
      local eager = tide.eager(function() return run(seed, kSteps, device) end)
      same(fused, eager, seed)
    end
  end)
  it("of reductions of operands that are broadcast equal those of eager mode", function()
    local random = new_random(7)
    local function choose(list) return list[random(1, #list)] end
    for seed = 1, 60 do
      -- Rows shorter and longer than a vector, with and without a length that vectors divide.
      local shape = {}
      for d = 1, random(2, 4) do shape[d] = choose {1, 2, 3, 7, 8, 33, 64, 100} end
      local function operand(dtype)
        local own = {}
        for d, size in ipairs(shape) do own[d] = random(1, 3) == 1 and 1 or size end
        local x = tide.randn(own, {device = device})
        return dtype and x:to(dtype) or x
      end
      tide.manual_seed(seed)
      local a, b = operand(), operand(choose {"float32", "float64", "int32", "bfloat16"})
      local c = tide.randn(shape, {device = device})
      local first = random(1, #shape)
      local dims = {}
      for d = first, #shape do dims[#dims + 1] = d end
      local function results()
        return {(a * c):sum(), (b + c):amax(dims), ((c - a) ^ 2):mean(dims), c:gt(a):logical_and(c:lt(b)):sum(),
          ((b * c):sum(dims, true) + c * a):amin(dims)}
      end
      same(results(), tide.eager(results), seed)
    end
  end)
  it("of elements at computed positions equal those of eager mode", function()
    local random = new_random(8)
    local function choose(list) return list[random(1, #list)] end
    for seed = 1, 60 do
      local shape = {}
      for d = 1, 4 do shape[d] = choose {3, 4, 7, 8, 33} end
      tide.manual_seed(seed)
      local x = tide.randn(shape, {device = device}):to(choose {"float32", "float64", "int32", "bfloat16"})
      if random(1, 3) == 1 then x = x:transpose(random(1, 4), random(1, 4)) end
      if random(1, 3) == 1 then x = x:flip(random(1, 4)) end
      local dim = random(1, 4)
      local positions = tide.randint(1, x:size(dim), {choose {1, 5, 64, 100}}, {device = device})
      local mode, wide = choose {"reflect", "replicate", "circular"}, random(0, 2)
      local function results()
        local picked = x:index_select(dim, positions)
        local padded = nn.functional.pad(x, {wide, 1, 2, wide}, mode)
        return {picked * 2 + 1, (picked + picked:amax(dim, true)):sum(4), (padded - 1):amax({3, 4}),
          (x * 2):index_select(dim, positions) - picked, padded:sum(), padded:sum(4)}
      end
      same(results(), tide.eager(results), seed)
    end
  end)
  it("do not depend on reads in between", function()
    for seed = 1, 10 do
      local quiet = run(seed, kSteps, device)
      local reads = 0
      local read = run(seed, kSteps, device, function(action)
        local made = action()
        if made then
          made:sum():item()
          reads = reads + 1
        end
        return made
      end)
      test.is_true(reads > kSteps / 3)
      same(quiet, read, seed)
    end
  end)
  it("of training equal those of eager mode", function()
    same(train(device), tide.eager(function() return train(device) end), 0)
  end)
end)

describe("a long chain", function(device)
  it("over few arrays is one kernel", function()
    local x, y = tide.ones(64, {device = device}), tide.ones(64, {device = device})
    tide.synchronize(device)
    local before = tide.statistics().launches
    local value = x
    for i = 1, 40 do value = i % 2 == 0 and value * y or value + x end
    tide.synchronize(device)
    test.equal(tide.statistics().launches - before, 1)
    test.equal(value:dim(), 1)
  end)
end)

describe("devices", function()
  it("compute the same bits as the cpu", function()
    for seed = 1, 20 do same(run(seed, kSteps, "sim:0"), run(seed, kSteps, "cpu"), seed) end
    same(train("sim:0"), train("cpu"), 0)
  end)
end)

describe("threads", function()
  it("do not change a bit", function()
    local count = tide.get_num_threads()
    local function compute()
      tide.manual_seed(9)
      local a, b = tide.randn(600, 500), tide.randn(500, 300)
      return {a:matmul(b), a:sum(), a:sum(1), a:softmax(2), (a * 2):tanh():mean(2)}
    end
    local many = compute()
    tide.set_num_threads(1)
    local one = compute()
    tide.set_num_threads(count)
    same(many, one, 0)
  end)
  it("do not change a bit of lesson 5's weights", function()
    local function weights(threads, device)
      local output, succeeded = start(("'%s/../support/lesson_weights.lua' '%s' --device %s"):format(here,
        here .. "/../../../scripts/lessons/05_training_loop.lua", device), "TIDE_NUM_THREADS=" .. threads)
      if not succeeded then error(output, 0) end
      return output
    end
    local one = weights(1, "cpu")
    equal((one:gsub("%x+\n$", "")), "2 networks, 306256 bytes, ")
    equal(weights(2, "cpu"), one)
    equal(weights(1, "sim"), one)
  end)
end)

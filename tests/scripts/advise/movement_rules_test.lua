-- Rules on waits, reads, transfers and loaders, each with a run that is at fault and one that is not.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, is_nil, is_true = test.equal, test.is_nil, test.is_true

local function finding(rule, fn)
  for _, found in ipairs(tide.advise(fn).findings) do
    if found.rule == rule then return found end
  end
end

local function line() return debug.getinfo(2, "l").currentline end

describe("advice on waits", function(device)
  local x = tide.rand(64, {device = device})

  it("counts those of a loop, not one behind it or those of a clock", function()
    local found = finding("wait in a loop", function() for _ = 1, 6 do x:exp():sum():item() end end)
    equal(found.text:match "^item waits 6 times, for sum %(", "item waits 6 times, for sum (")
    is_nil(finding("wait in a loop", function()
      local sum = 0
      for _ = 1, 6 do sum = sum + x:exp():sum() end
      return sum:item()
    end))
    is_nil(finding("wait in a loop", function() for _ = 1, 6 do x:exp():sum(); tide.synchronize() end end))
  end)

  it("sees single elements being read", function()
    local at
    local found = finding("element by element", function()
      at = line() + 1
      for i = 1, #x do assert(x[i]:item() <= 1) end
    end)
    equal(found.line, at)
    equal(found.text, "63 single elements are read, one after the other")
    is_nil(finding("element by element", function() for _, v in ipairs(x:tolist()) do assert(v <= 1) end end))
    is_nil(finding("element by element", function() for _ = 1, 40 do x:sum():item() end end))
  end)

  it("says one thing of a line", function()
    is_nil(finding("wait in a loop", function() for i = 1, #x do x[i]:item() end end))
  end)
end)

describe("advice on loaders", function(device)
  local function train(cost, options)
    local dataset = {length = 6, size = tide.ones(16, 16)}
    function dataset:get() -- a sample that takes its time to read
      local until_ = tide.time() + cost
      while tide.time() < until_ do end
      return self.size
    end
    function dataset:len() return self.length end
    local Dataset = tide.class("Slow", tide.data.Dataset)
    function Dataset:get() return dataset:get() end
    Dataset.__len = function() return dataset.length end
    local loader = tide.data.DataLoader(Dataset(), options)
    local sum = tide.zeros(1, {device = device})
    for batch in loader:iter() do sum = sum + batch:to(device):sum() end
    return sum:item()
  end

  it("sees a device that waits for data", function()
    local found = finding("slow data loader", function() train(0.004, {batch_size = 2}) end)
    is_true(found.text:find "^the loader takes [%d.]+ ms for 3 batches, in which the device is idle$" ~= nil, found.text)
    equal(found.mend, "num_workers = 2 reads batches while the device works")
  end)

  it("says nothing where the time goes elsewhere", function()
    is_nil(finding("slow data loader", function()
      train(0, {batch_size = 2})
      tide.sleep(0.1)
    end))
  end)
end)

describe("advice on transfers", function()
  local there = "sim" -- another device than the cpu

  it("sees what is moved again", function()
    local x, at = tide.rand(64, 64), nil
    local found = finding("moved again", function()
      at = line() + 1
      for _ = 1, 5 do x:to(there):sum() end
    end)
    equal(found.line, at)
    is_true(found.text:find "^4 of 5 transfers to sim:0 move what is there already$" ~= nil, found.text)
    is_nil(finding("moved again", function()
      local y = x:to(there)
      for _ = 1, 5 do y:sum() end
    end))
    is_nil(finding("moved again", function()
      for i = 1, 5 do -- a buffer that is filled anew
        x:fill_(i)
        x:to(there):sum()
      end
    end))
    is_nil(finding("moved again", function() for _ = 1, 5 do x:to("float32"):sum() end end))
  end)

  it("sees a :to whose result is not used", function()
    local x, at = tide.rand(8), nil
    local found = finding("unused to", function()
      at = line() + 1
      x:to(there)
      return x:sum():item()
    end)
    equal(found.line, at)
    equal(found.wins, "results")
    local net = tide.nn.Linear(8, 8)
    is_nil(finding("unused to", function()
      net:to(there) -- moves in place
      local y = x:to(there)
      return net(y):sum():item()
    end))
  end)

  it("sees tensors that are made on the host and moved", function()
    local at
    local found = finding("made on the host", function()
      for _ = 1, 5 do
        at = line() + 1
        local noise = tide.randn(8, 8)
        noise:to(there):sum()
      end
    end)
    equal(found.line, at)
    equal(found.text, "5 tensors are made on the cpu and moved to sim:0")
    equal(found.mend, 'make them there: {device = "sim:0"} as the last argument')
    is_nil(finding("made on the host", function()
      for _ = 1, 5 do tide.randn(8, 8, {device = there}):sum() end
    end))
    is_nil(finding("made on the host", function()
      for _ = 1, 5 do tide.randn(8, 8):sum() end
    end))
  end)
end)

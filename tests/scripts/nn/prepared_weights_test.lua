-- Weights that are prepared for convolutions without gradients: values stay those of the weight at the time of the call.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local F = tide.nn.functional

describe("a convolution without gradients", function(device)
  local function stored(...)
    local x = tide.randn(..., {device = device})
    x:tolist()
    return x
  end
  --- The result with a weight that was never used before.
  local function fresh(x, weight, options) return F.conv2d(x, (weight * 1):requires_grad_(), nil, options):detach() end

  it("gives the same bits at each call, in each layout", function()
    for _, n in ipairs {1, 5} do
      local x, weight = stored({n, 32, 9, 9}), stored({32, 32, 3, 3})
      for _, input in ipairs {x, x:contiguous("channels_last")} do
        local expected = fresh(input, weight, {padding = 1})
        for _ = 1, 3 do test.identical(F.conv2d(input, weight, nil, {padding = 1}), expected) end
      end
    end
  end)
  it("sees each write to the weight", function()
    local x, weight = stored({1, 16, 8, 8}), stored({16, 16, 1, 1})
    for k = 1, 3 do
      test.identical(F.conv2d(x, weight), fresh(x, weight))
      weight:mul_(k + 1)
      test.identical(F.conv2d(x, weight), fresh(x, weight))
      weight[{k, k}] = -1
    end
    weight[1] = 1 / 0
    test.identical(F.conv2d(x, weight), fresh(x, weight))
  end)
  it("works for more sizes than are kept", function()
    local weight = stored({16, 8, 3, 3})
    for _ = 1, 2 do
      for size = 4, 14 do
        local x = stored({1, 8, size, size})
        test.identical(F.conv2d(x, weight), fresh(x, weight))
      end
    end
  end)
  it("takes part of a weight", function()
    local x, weight = stored({1, 8, 8, 8}), stored({32, 8, 3, 3})
    test.identical(F.conv2d(x, weight[{{9, 16}}]), fresh(x, weight[{{9, 16}}]))
    test.identical(F.conv2d(x, weight[{{1, 16}}]), fresh(x, weight[{{1, 16}}]))
  end)
  it("frees what it prepared with the weight", function()
    local x = stored({1, 64, 8, 8})
    collectgarbage()
    tide.synchronize()
    local before = tide.memory_allocated(device)
    do
      local weight = stored({64, 64, 3, 3})
      F.conv2d(x, weight):tolist()
    end
    collectgarbage()
    collectgarbage()
    tide.synchronize()
    test.equal(tide.memory_allocated(device), before)
  end)
end)

describe("a weight that could not be prepared", function()
  it("is used as it is where memory is short", function()
    local x, weight = tide.randn({1, 256, 4, 4}), tide.randn({256, 256, 3, 3}) -- 2.4 MB
    local expected = F.conv2d(x, weight)
    test.finally(function() tide.sim.configure {index = 0, memory_limit = 0} end)
    tide.synchronize()
    tide.sim.configure {index = 0, memory_limit = 8 << 20}
    local there, weight_there = x:to("sim:0"), weight:to("sim:0")
    weight_there:tolist()
    local before = tide.memory_allocated "sim:0"
    for _ = 1, 2 do test.identical(F.conv2d(there, weight_there):cpu(), expected) end
    test.is_true(tide.memory_allocated "sim:0" - before < 1 << 20)
  end)
  it("is prepared by a later call", function()
    local x = tide.randn({1, 16, 8, 8}, {device = "sim:0"})
    local weight = tide.randn({16, 16, 1, 1}, {device = "sim:0"})
    x:tolist()
    weight:tolist()
    test.finally(function() tide.sim.configure {index = 0, fail_op = 0} end)
    tide.sim.configure {index = 0, fail_op = 1}
    test.raises("the device failed", function() F.conv2d(x, weight):tolist() end)
    tide.sim.configure {index = 0, fail_op = 0}
    test.close(F.conv2d(x, weight):cpu(), F.conv2d(x:cpu(), weight:cpu()))
  end)
end)

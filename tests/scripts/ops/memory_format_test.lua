-- Images whose elements are stored channels last: PyTorch's strides, and the same values as row-major images.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, raises = test.same_type, test.raises
local nn, F = tide.nn, tide.nn.functional

local kLast = {memory_format = "channels_last"}

describe("channels_last", function(device)
  local function planes(...) return tide.randn({...}, {device = device}) end
  local plain, last = {60, 20, 5, 1}, {60, 1, 15, 3} -- of (2, 3, 4, 5)

  it("is another order of the same elements", function()
    local x = planes(2, 3, 4, 5)
    local y = x:contiguous(kLast)
    equal(y:stride(), last)
    test.identical(y, x)
    equal({y:is_contiguous(), y:is_contiguous("channels_last")}, {false, true})
    equal({x:is_contiguous(), x:is_contiguous("channels_last")}, {true, false})
    test.is_true(y:contiguous(kLast) == y)
    equal(x:to(kLast):stride(), last)
    equal(x:clone(kLast):stride(), last)
    equal(y:contiguous():stride(), plain)
    equal(y:clone({memory_format = "contiguous_format"}):stride(), plain)
    equal(tide.empty(2, 3, 4, 5, {memory_format = "channels_last"}):stride(), last)
    equal(y:permute(1, 3, 4, 2):is_contiguous(), true)
  end)

  it("is preserved by elementwise ops, conversions and moves", function()
    local x = planes(2, 3, 4, 5)
    local y = x:to(kLast)
    local scale = planes(3, 1, 1)
    for _, result in ipairs {y * 2, y + x, scale * y, y:relu(), y:clone(), y:double(), tide.zeros_like(y),
      tide.rand_like(y), tide.where(y:gt(0), y, x), y:to("cpu"), -y:to("sim:0")} do
      equal(result:stride(), last)
    end
    equal((x + y):stride(), plain)
    test.identical((y * 2 + x):exp() / scale, (x * 2 + x):exp() / scale)
    test.identical(y:double():sum({1, 3}), x:double():sum({1, 3}))
    test.identical(y:softmax(2), x:softmax(2))
    equal(y:reshape(6, 20):tolist(), x:reshape(6, 20):tolist())
    equal(y:tolist(), x:tolist())
    raises("view", y.view, y, 6, 20)
  end)

  it("is preserved by convolutions, normalization and pools, with equal results and gradients", function()
    tide.manual_seed(1)
    local net = nn.Sequential(nn.Conv2d(3, 6, 3, {padding = 1}), nn.BatchNorm2d(6), nn.ReLU(), nn.MaxPool2d(2),
      nn.Conv2d(6, 4, 1), nn.AvgPool2d(2)):to(device)
    local x = planes(2, 3, 8, 8)
    local function run(input)
      input = input:detach():requires_grad_()
      for _, p in ipairs(net:parameters()) do p.grad = nil end
      local y = net(input)
      y:pow(2):sum():backward()
      local grads = {input.grad}
      for _, p in ipairs(net:parameters()) do grads[#grads + 1] = p.grad end
      return y, grads
    end
    local expected, wanted = run(x)
    local y, grads = run(x:to(kLast))
    equal(y:stride(), {16, 1, 8, 4})
    equal(expected:stride(), {16, 4, 2, 1})
    test.close(y, expected, {rtol = 1e-5, atol = 1e-6})
    for i, grad in ipairs(grads) do test.close(grad, wanted[i], {rtol = 1e-4, atol = 1e-5}) end
    equal(grads[1]:stride(), {192, 1, 24, 3})
    net:to(kLast) -- the layout of the weights is sufficient, too
    equal(net[1].weight:stride(), {27, 1, 9, 3})
    equal(net[1](x):stride(), {384, 1, 48, 6})
    equal(({run(x)})[2][2]:stride(), {27, 1, 9, 3})
    local plain = nn.Conv2d(3, 6, 3):to(device) -- and so is the input's
    equal(plain(x:to(kLast)):stride(), {216, 1, 36, 6})
    equal(plain(x):stride(), {216, 36, 6, 1})
  end)

  it("can be read and written across its rows, of any length", function()
    for _, shape in ipairs {{2, 70, 9, 15}, {1, 3, 130, 1}, {3, 65, 8, 16}, {2, 5, 8, 8}} do
      local x = tide.range(1, shape[1] * shape[2] * shape[3] * shape[4]):reshape(shape):to(device)
      local y = x:contiguous(kLast)
      test.identical(y:contiguous(), x)
      test.identical(y + x:flip(1), x + x:flip(1):contiguous(kLast))
    end
    local places = tide.arange(130):unsqueeze(2) + tide.arange(201) * 130 -- of the transposed matrix
    local matrix = tide.arange(201 * 130):reshape(201, 130):to(device)
    test.identical(matrix:t():contiguous(), places:to(device))
    local written = tide.zeros({130, 201}, {dtype = "int64", device = device})
    written:t():copy_(matrix)
    test.identical(written, places:to(device))
  end)

  it("supports writes, and steps of optimizers", function()
    local x = planes(2, 3, 4, 5)
    local y = x:to(kLast) * 1
    y:add_(1)
    y[{1, 2}] = 7
    local z = x + 1
    z[{1, 2}] = 7
    test.identical(y, z)
    equal(y:stride(), last)
    local function trained(weight)
      weight = weight:detach():clone():requires_grad_()
      local optimizer = tide.optim.Adam({weight}, {lr = 0.1})
      for _ = 1, 3 do
        optimizer:zero_grad()
        F.conv2d(x, weight):pow(2):sum():backward()
        optimizer:step()
      end
      return weight
    end
    local weight = planes(4, 3, 2, 2)
    equal(trained(weight:to(kLast)):stride(), {12, 1, 6, 3})
    test.close(trained(weight:to(kLast)), trained(weight), {rtol = 1e-5, atol = 1e-6})
  end)

  it("is overwritten in its own layout", function()
    local x = planes(2, 3, 4, 5)
    local function launches(memory_format, write)
      local y = x:clone({memory_format = memory_format})
      local seen = y[{{}, 2}]
      tide.synchronize(device)
      local before = tide.statistics().launches
      write(y)
      tide.synchronize(device)
      local count = tide.statistics().launches - before
      equal(y:stride(), memory_format == "channels_last" and last or plain)
      return count, y, seen
    end
    -- Whether the source has the same layout, or must be converted first.
    for _, case in ipairs {
      {true, function(y) y:relu_() end},
      {true, function(y) y:copy_(x) end},
      {false, function(y) y:mul_(x:sum(2, true)) end},
      {true, function(y) y:fill_(3) end},
      {true, function(y) y:copy_(tide.tensor({1, 2, 3}, {device = device}):reshape(3, 1, 1)) end},
      {true, function(y) y[{}] = x:to("float64") end},
    } do
      local is_same_order, write = table.unpack(case)
      local count, expected, seen = launches("contiguous_format", write)
      local own_count, y, own_seen = launches("channels_last", write)
      test.identical(y, expected)
      test.identical(own_seen, seen)
      equal(own_count, is_same_order and count or count + 1)
    end
    raises("do not broadcast", function() x:to(kLast):copy_(planes(4, 5, 3)) end)
  end)

  it("reports unsupported shapes", function()
    raises("channels_last is for planes (n, c, h, w), got (2)", tide.ones(2).to, tide.ones(2), kLast)
    raises("unknown memory_format 'nhwc': known are contiguous_format, channels_last, preserve_format",
      tide.ones(2).to, tide.ones(2), {memory_format = "nhwc"})
  end)
end)

-- tide.watch: statistics of activations, gradients and updates, without changing any bits.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local close, equal, raises = test.close, test.equal, test.raises
local nn = tide.nn
local F = nn.functional

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local own_folder = dofile(here .. "/../support/own_folder.lua")

--- The row of a kind and name; of several outputs, the one with a number.
local function find(rows, kind, name, number)
  for _, row in ipairs(rows) do
    if row.kind == kind and row.name == name and (row.number or 1) == (number or 1) then return row end
  end
end

--- Asserts that a row has the statistics of a list of numbers.
local function has_figures(row, values)
  local sum, squares, zeros = 0, 0, 0
  for _, value in ipairs(values) do
    sum, zeros = sum + value, zeros + (value == 0 and 1 or 0)
  end
  local mean = sum / #values
  for _, value in ipairs(values) do squares = squares + (value - mean) ^ 2 end
  equal(row.size, #values)
  close({row.mean, row.std, row.min, row.max, row.zeros},
    {mean, math.sqrt(squares / #values), math.min(table.unpack(values)), math.max(table.unpack(values)),
      zeros / #values}, {rtol = 1e-4, atol = 1e-6})
  equal({row.nan, row.inf}, {0, 0})
end

local function flat(x) return x:detach():reshape(-1):tolist() end

describe("watch", function(device)
  --- A network, its optimizer and a function that takes a step.
  local function training(build, inputs, classes)
    tide.manual_seed(3)
    local net = build():to(device)
    local optimizer = tide.optim.Adam(net:parameters(), {lr = 0.05})
    local x, y = tide.randn(inputs):to(device), tide.randint(1, classes, {inputs[1]}):to(device)
    local function step()
      optimizer:zero_grad()
      F.cross_entropy(net(x), y):backward()
      optimizer:step()
    end
    return net, optimizer, step, x
  end
  local function small()
    return training(function() return nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 3)) end, {5, 4}, 3)
  end
  local function line_here() return debug.getinfo(2, "l").currentline end

  it("has the statistics of inputs, outputs, parameters, gradients and updates", function()
    local net, optimizer, step, x = small()
    local w <close> = tide.watch(net, {optimizer = optimizer})
    local before = net[1].weight:detach():clone()
    local hidden = net[1](x)
    step()
    local rows = w:table()
    equal(#rows, 1 + 3 + 3 * 4)
    has_figures(find(rows, "input", "net"), flat(x))
    has_figures(find(rows, "activation", "0"), flat(hidden))
    has_figures(find(rows, "activation", "1"), flat(hidden:relu()))
    has_figures(find(rows, "parameter", "0.weight"), flat(before))
    has_figures(find(rows, "gradient", "0.weight"), flat(net[1].weight.grad))
    local change = net[1].weight:detach() - before
    local update = find(rows, "update", "0.weight")
    has_figures(update, flat(change))
    close(update.ratio, (change:norm() / before:norm()):item(), {rtol = 1e-4})
    equal({update.layer, update.class, update.parameter, update.step}, {"net[1]", "Linear 4 -> 6", "weight", 1})
  end)

  it("does not wait, and waits once for all values that are read", function()
    local net, optimizer, step = small()
    local w <close> = tide.watch(net, {optimizer = optimizer})
    local waits = tide.wait_count()
    for _ = 1, 4 do step() end
    equal(tide.wait_count() - waits, 0)
    equal(#w:rows(), 4 * 16)
    equal(tide.wait_count() - waits, 1)
    w:table()
    equal(tostring(w):sub(1, 7), "step 4\n")
    equal(tide.wait_count() - waits, 1)
  end)

  it("changes no bit of the training", function()
    local function weights(every)
      local net, optimizer, step = training(function()
        return nn.Sequential(nn.Conv2d(2, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Dropout(0.4), nn.Flatten(),
          nn.Linear(64, 3))
      end, {6, 2, 6, 6}, 3)
      local _ <close> = every and tide.watch(net, {optimizer = optimizer, every = every}) or nil
      for _ = 1, 5 do step() end
      return net:state_dict()
    end
    local expected = weights()
    for _, every in ipairs {1, 2} do
      for name, tensor in pairs(weights(every)) do test.identical(tensor, expected[name]) end
    end
  end)

  it("samples each n-th step, and has no hooks in the others", function()
    local net, optimizer, step = small()
    local w = tide.watch(net, {optimizer = optimizer, every = 3})
    local hooked = {}
    for i = 1, 7 do
      hooked[i] = rawget(net[1], "_hooks") ~= nil
      step()
    end
    equal(hooked, {true, false, false, true, false, false, true})
    local steps = {}
    for _, row in ipairs(w:rows()) do
      if row.kind == "input" then steps[#steps + 1] = row.step end
    end
    equal(steps, {1, 4, 7})
    for _ = 8, 9 do step() end
    w:close()
    equal(rawget(net[1], "_hooks"), nil)
    equal(rawget(optimizer, "_post_hooks"), nil)
    step()
    equal(w:table()[1].step, 7)
  end)

  it("follows manual steps, and calls hooks after sampled ones", function()
    local net, _, step = small()
    local w <close> = tide.watch(net, {every = 2})
    local seen = {}
    local remove = w:register_hook(function(watch) seen[#seen + 1] = #watch:rows() end)
    for _ = 1, 3 do
      step()
      w:step()
    end
    remove()
    step()
    w:step()
    equal(seen, {16, 32})
    test.is_true(find(w:table(), "update", "2.bias").std > 0)
  end)

  it("counts units that output only 0", function()
    local net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4, 5), nn.ReLU()):to(device)
    local function set(layer, values)
      tide.no_grad(function()
        layer.weight:zero_()
        layer.bias:copy_(tide.tensor(values))
      end)
    end
    set(net[1], {-1.0, 1, -1, 1})
    set(net[4], {1.0, 0, 2, 3, 4})
    local w <close> = tide.watch(net)
    net(tide.ones({2, 1, 3, 3}, {device = device}))
    local rows = w:table()
    equal({rows[3].units, rows[3].dead}, {4, 2})
    equal({rows[6].units, rows[6].dead}, {5, 1})
    test.is_true(tostring(w):find "net%[5%] %(ReLU%) .* 1 of 5 units dead\n?" ~= nil)
    -- A unit that is active again is no longer dead.
    set(net[4], {1.0, 1, 2, 3, 4})
    net(tide.ones({2, 1, 3, 3}, {device = device}))
    equal(w:table()[6].dead, 0)
  end)

  it("reports the first values that are nan or infinite, with step, layer and line", function()
    local function first(spoil, before_step)
      local net, optimizer, step, x = small()
      local w <close> = tide.watch(net, {optimizer = optimizer})
      step()
      equal(w:first_nonfinite(), nil)
      if spoil then tide.no_grad(spoil, net, x) end
      optimizer:zero_grad()
      local line = line_here() + 1
      local loss = F.cross_entropy(net(x), tide.ones({5}, {dtype = "int64", device = device}))
      if before_step then before_step(loss, net) else loss:backward() end
      optimizer:step()
      step()
      local found = w:first_nonfinite()
      equal(found.step, 2)
      test.is_true(tostring(w):find("nan or infinite since step 2: " .. found.text, 1, true) ~= nil)
      return found, found.line and tonumber(found.line:match "watch_test.lua:(%d+)$") - line
    end
    local found, off = first(function(_, x) x[2] = 0 / 0 end)
    equal({found.kind, found.text, off}, {"input", "the input of net (Sequential) has nan or infinite values", 0})
    found, off = first(function(net) net[3].bias[1] = math.huge end)
    equal({found.kind, found.layer, off}, {"parameter", "net[3]", 0})
    equal(found.text, "net[3] (Linear 6 -> 3) has nan or infinite values in its bias, from a step before")
    found, off = first(function(net) net[1].weight:fill_(3e38) end)
    equal(found.text, "it first appears in the output of net[1] (Linear 4 -> 6), whose parameters are finite")
    equal(off, 0)
    found, off = first(nil, function(loss, net)
      loss:backward()
      net[1].bias.grad:fill_(0 / 0)
    end)
    equal(found.text, "it first appears in the gradient of net[1] (Linear 4 -> 6)'s bias")
    equal({found.parameters, off}, {{"bias"}, 0})
  end)

  it("remembers the first nan when its sample is no longer kept", function()
    local net = nn.Linear(2, 2):to(device)
    local w <close> = tide.watch(net)
    for i = 1, 130 do
      net(tide.full({1, 2}, i >= 4 and 0 / 0 or 1.0, {device = device}))
      w:step()
    end
    equal(w:first_nonfinite().step, 4)
    equal(w:rows()[1].step, 31)
  end)

  it("has a row for each call of a module, and none for recomputation in backward", function()
    local Twice = tide.class("Twice", nn.Module)
    function Twice:init() self.layer = nn.Linear(2, 2) end
    function Twice:forward(x)
      return tide.checkpoint(function(h) return self.layer(self.layer(h)):tanh() end, x)
    end
    local net = Twice():to(device)
    local w <close> = tide.watch(net)
    local x = tide.ones({3, 2}, {device = device}):requires_grad_()
    net(x):sum():backward()
    w:step()
    local rows = w:table()
    test.is_true(find(rows, "activation", "layer", 2) ~= nil)
    equal(find(rows, "activation", "layer", 3), nil)
    has_figures(find(rows, "activation", "net"), flat(net(x)))
    test.is_true(tostring(w):find "net%.layer %(Linear 2 %-> 2%) +activation .-\n +activation 2 " ~= nil)
  end)

  it("converts half types to float32, and skips integers", function()
    local net = nn.Sequential(nn.Embedding(7, 4), nn.Linear(4, 4)):to(device):half()
    tide.no_grad(function() net[2].bias:fill_(60000) end)
    local w <close> = tide.watch(net)
    net(tide.ones({9, 9}, {dtype = "int64", device = device}))
    local rows = w:table()
    equal(#rows, 2)
    test.is_true(math.abs(rows[2].mean - 60000) < 100, rows[2].mean)
  end)

  it("checks its module, optimizer and count", function()
    raises("watch: argument 1 (net): expected module, got number", tide.watch, 3)
    raises("watch: option 'optimizer': expected optimizer, got number", tide.watch, nn.Identity(), {optimizer = 3})
    raises("watch: every must be positive, got 0", tide.watch, nn.Identity(), {every = 0})
    raises("watch: unknown option 'often': known are net, optimizer, every, live", tide.watch, nn.Identity(), {often = 1})
    local net, optimizer = small()
    local w = tide.watch(net, {optimizer = optimizer})
    raises("step: the optimizer's own steps are counted: leave the call away", w.step, w)
    equal(tostring(w), "watch of Sequential: no step yet")
    equal({w:table(), w:rows()}, {{}, {}})
    w:close()
  end)
end)

describe("watch in files", function()
  local folder = own_folder()
  it("logs a sample at its step, or at another", function()
    local net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    local w <close> = tide.watch(net)
    local logger = tide.loggers.TensorBoardLogger(folder())
    w:log(logger)
    net(tide.ones(1, 2)):sum():backward()
    w:step()
    w:log(logger)
    w:log(logger, 70)
    logger:close()
    local steps, of_step = {}, {}
    for _, event in ipairs(tide.loggers.read_events(logger.path)) do
      steps[event.step] = true
      if event.step == 70 then of_step[event.tag] = event.value end
    end
    equal(steps, {[1] = true, [70] = true})
    local row = find(w:table(), "gradient", "0.weight")
    close(of_step["gradient/0.weight/mean"], row.mean)
    test.is_true(of_step["activation/1/dead"] and of_step["update/0.weight/ratio"] and of_step["input/net/std"])
  end)
end)

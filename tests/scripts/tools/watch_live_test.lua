-- The live plot of tide.watch: its curves, and that the training does not wait for it.
local tide = require "tide"
local show = require "tide.plot.show"
local test = require "tide.test"
local describe, it = test.describe, test.it
local close, equal, raises = test.close, test.equal, test.raises
local nn = tide.nn

--- At the end of a test drawings are in a list of texts; there is a terminal or not.
local function at_terminal(has_terminal)
  local written, terminal, stdout, time = {}, show.terminal, io.stdout, tide.time
  test.finally(function() show.terminal, io.stdout, tide.time = terminal, stdout, time end)
  show.terminal = function()
    return has_terminal and {columns = 60, rows = 20, color = false, moves = true} or nil
  end
  io.stdout = {
    write = function(_, ...)
      for _, text in ipairs {...} do written[#written + 1] = text end
    end,
    flush = function() end,
  }
  return written
end

--- The curves of a figure: {name, x, y}, lists of numbers.
local function curves_of(figure)
  local curves = {}
  for i, series in ipairs(figure[1].series) do
    curves[i] = {
      name = series.label, x = series.data.x.numbers, y = series.data.y.numbers,
    }
  end
  return curves
end

describe("watch with a live plot", function(device)
  --- A network with a number of layers, and a function that takes a step with an optimizer.
  local function training(layers)
    tide.manual_seed(4)
    local net = nn.Sequential()
    for _ = 1, layers or 2 do
      net:append(nn.Linear(4, 4))
      net:append(nn.ReLU())
    end
    net:to(device)
    local optimizer = tide.optim.SGD(net:parameters(), {lr = 0.5})
    local x = tide.randn(8, 4, {device = device})
    return net, optimizer, function()
      optimizer:zero_grad()
      local loss = (net(x) + 0.5):square():mean()
      loss:backward()
      optimizer:step()
    end
  end

  --- The norm of all tensors of a list.
  local function norm(list)
    local sum = 0
    for _, x in ipairs(list) do sum = sum + x:square():sum():item() end
    return math.sqrt(sum)
  end

  it("draws the ratio of updates by layer", function()
    at_terminal(false)
    local net, optimizer, step = training()
    local w = tide.watch(net, {optimizer = optimizer, live = "ratio"})
    local expected = {{}, {}}
    for i = 1, 3 do
      local before = {}
      for k, layer in ipairs {net[1], net[3]} do
        before[k] = {layer.weight:detach():clone(), layer.bias:detach():clone()}
      end
      step()
      for k, layer in ipairs {net[1], net[3]} do
        local update = {layer.weight:detach() - before[k][1], layer.bias:detach() - before[k][2]}
        expected[k][i] = norm(update) / norm(before[k])
      end
    end
    local curves = curves_of(w:close())
    equal({curves[1].name, curves[2].name, #curves}, {"net[1]", "net[3]", 2})
    for k = 1, 2 do
      close(curves[k].x, {1, 2, 3})
      close(curves[k].y, expected[k], {rtol = 1e-3})
    end
  end)

  it("draws norms of gradients, of sampled steps only", function()
    at_terminal(false)
    local net, optimizer, step = training()
    local w = tide.watch(net, {optimizer = optimizer, every = 2, live = "gradient"})
    local expected = {}
    for i = 1, 5 do
      step()
      if i % 2 == 1 then expected[#expected + 1] = norm {net[3].weight.grad, net[3].bias.grad} end
    end
    local curves = curves_of(w:close())
    equal(curves[2].name, "net[3]")
    close(curves[2].x, {1, 3, 5})
    close(curves[2].y, expected, {rtol = 1e-3})
  end)

  it("draws fractions of dead units", function()
    at_terminal(false)
    local net = nn.Sequential(nn.Linear(2, 4), nn.ReLU()):to(device)
    tide.no_grad(function()
      net[1].weight:zero_()
      net[1].bias:copy_(tide.tensor {-1.0, 1, 1, 1})
    end)
    local w = tide.watch(net, {live = "dead"})
    for _ = 1, 2 do
      net(tide.ones(3, 2, {device = device}))
      w:step()
    end
    local figure = w:close()
    equal(tostring(figure), "figure 640 x 480: line (2 points)")
    close(curves_of(figure)[1].y, {0.25, 0.25})
  end)

  it("does not wait before it is closed, and does not change the training", function()
    local function weights(live)
      at_terminal(true)
      local net, optimizer, step = training()
      local _ <close> = tide.watch(net, {optimizer = optimizer, live = live})
      local now, waits = 0, tide.wait_count()
      tide.time = function() return now end
      for _ = 1, 20 do
        now = now + 0.3
        step()
      end
      equal(tide.wait_count() - waits, 0)
      return net:state_dict()
    end
    local expected = weights()
    for name, tensor in pairs(weights "ratio") do test.identical(tensor, expected[name]) end
  end)

  it("is drawn during training, at most four times a second", function()
    local written = at_terminal(true)
    local net, optimizer, step = training()
    local now = 0
    tide.time = function() return now end
    local w = tide.watch(net, {optimizer = optimizer, live = "gradient"})
    for _ = 1, 32 do -- in two seconds
      now = now + 1 / 16
      step()
      tide.synchronize()
    end
    local drawings = select(2, table.concat(written):gsub("norm of the gradient", ""))
    equal(drawings, 7) -- at the first of eight times no copy has been started
    local _ = w:close()
  end)

  it("draws eight layers of a deep network, from the first to the last", function()
    at_terminal(false)
    local net, optimizer, step = training(20)
    local w = tide.watch(net, {optimizer = optimizer, live = "ratio"})
    step()
    local names = {}
    for i, curve in ipairs(curves_of(w:close())) do names[i] = curve.name end
    table.sort(names, function(a, b) return tonumber(a:match "%d+") < tonumber(b:match "%d+") end)
    equal(#names, 8)
    equal({names[1], names[8]}, {"net[1]", "net[39]"})
  end)

  it("shows the curves when it is closed, unless there is an error", function()
    local written = at_terminal(false)
    local net, optimizer, step = training()
    do
      local _ <close> = tide.watch(net, {optimizer = optimizer, live = "ratio"})
      step()
    end
    test.is_true(table.concat(written):find("update / parameter", 1, true))
    raises("stop here", function()
      local w <close> = tide.watch(net, {optimizer = optimizer, live = "ratio"})
      step()
      w.live.plot.given = {size = "none"}
      error "stop here"
    end)
    local w = tide.watch(net, {optimizer = optimizer, live = "ratio"})
    step()
    test.is_true(w:close() == w:close())
    local without = tide.watch(net, {optimizer = optimizer})
    equal(without:close(), nil)
  end)

  it("reports which plots exist", function()
    local net = training()
    raises('watch: live must be "ratio", "gradient" or "dead", got "ratios"', tide.watch, net, {live = "ratios"})
    raises("watch: option 'live': expected \"ratio\", \"gradient\" or \"dead\", got boolean", tide.watch, net, {live = true})
  end)
end)

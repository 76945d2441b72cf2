-- Curves that are drawn during training: when they are drawn, and what waits.
local tide = require "tide"
local test = require "tide.test"
local notebook = require "tide.display.notebook"
local present = require "tide.internal.input_number"
local show = require "tide.plot.show"
local describe, it = test.describe, test.it
local equal, raises = test.same_type, test.raises

--- Replaces the clock with one that stands still, and the terminal with one or none, for a test. Returns
--- the function that advances the clock, and one that returns the output since its last call.
local function at_terminal(has_terminal)
  local now, written = 0, {}
  local time, terminal, stdout = tide.time, show.terminal, io.stdout
  test.finally(function() tide.time, show.terminal, io.stdout = time, terminal, stdout end)
  tide.time = function() return now end
  local place = {columns = 60, rows = 20, color = false, moves = true}
  show.terminal = function() return has_terminal and place or nil end
  io.stdout = {
    write = function(_, ...)
      for _, text in ipairs {...} do written[#written + 1] = text end
    end,
    flush = function() end,
  }
  return function(seconds) now = now + seconds end, function()
    local text = table.concat(written)
    written = {}
    return text
  end
end

describe("live plots", function(device)
  local function value(x) return tide.tensor(x, {device = device}) end

  it("are drawn at most four times a second, lagging by one drawing", function()
    local pass, shown = at_terminal(true)
    local live = tide.plot.live {title = "loss"}
    local drawings = 0
    for step = 1, 100 do
      pass(1 / 16)
      live:add(step, value(1 / step))
      tide.synchronize()
      if shown() ~= "" then drawings = drawings + 1 end
    end
    equal(drawings, 24) -- of 100 / 16 seconds; at the first of 25 times no copy has been started
    equal(tostring(live:close()), "figure 640 x 480: line (100 points)")
  end)
  it("use only values that have arrived, and do not wait", function()
    local pass, shown = at_terminal(true)
    local live = tide.plot.live()
    local x = value(1.0)
    tide.synchronize()
    local waits = tide.wait_count()
    for step = 1, 50 do
      pass(0.3)
      x:mul_(0.5)
      live:add(step, x)
    end
    equal(tide.wait_count() - waits, 0)
    shown()
    local figure = live:close()
    test.is_true(tide.wait_count() - waits <= 1)
    equal(tostring(figure), "figure 640 x 480: line (50 points)")
    local y = figure[1].series[1].data.y.numbers
    equal({y[1], y[2], y[50]}, {0.5, 0.25, 0.5 ^ 50})
  end)
  it("keep a value as it was when added", function()
    at_terminal(false)
    local live, x = tide.plot.live(), value(1.0)
    live:add(1, x)
    x:add_(1)
    live:add(2, x)
    equal(live:close()[1].series[1].data.y.numbers, {1.0, 2.0})
  end)
  it("draw over their previous drawing", function()
    local pass, shown = at_terminal(true)
    local live = tide.plot.live()
    local drawings = {}
    for step = 1, 6 do
      pass(0.3)
      live:add(step, {train = value(step + 0.5), val = step})
      tide.synchronize()
      drawings[#drawings + 1] = shown()
    end
    equal(drawings[1], "")
    local lines = select(2, drawings[2]:gsub("\n", ""))
    test.is_true(drawings[2]:find "^━━ train  ━━ val\27%[K\n")
    equal(drawings[3]:sub(1, 5), ("\27[%dA"):format(lines):sub(1, 5))
    test.is_true(drawings[3]:find("\27[J", 1, true))
  end)
  it("draw below later output of the script", function()
    local pass, shown = at_terminal(true)
    local live, before = tide.plot.live(), present.number
    test.finally(function() present.number = before end)
    local overwrites = {}
    for step = 1, 4 do
      present.number = step < 4 and 1 or 2
      pass(0.3)
      live:add(step, step)
      tide.synchronize()
      overwrites[step] = shown():find "^\27%[%d+A" ~= nil
    end
    equal(overwrites, {false, false, true, false})
  end)
  it("replace their previous drawing in a notebook", function()
    local pass, written = at_terminal(false)
    local shown = {}
    test.finally(function() notebook.show = nil end)
    notebook.show = function(forms, id, again) shown[#shown + 1] = {forms = forms, id = id, again = again} end
    local live = tide.plot.live()
    for step = 1, 3 do
      pass(0.3)
      live:add(step, value(1 / step))
      tide.synchronize()
    end
    live:close()
    equal(#shown, 3)
    equal({shown[1].again, shown[2].again, shown[3].again}, {false, true, true})
    test.is_true(shown[1].id == shown[3].id and #shown[1].id > 0)
    test.is_true(shown[3].forms["image/svg+xml"] or shown[3].forms["text/plain"]:find "┤")
    equal(written(), "")
  end)
  it("print only the final figure without a terminal", function()
    local pass, shown = at_terminal(false)
    do
      local live <close> = tide.plot.live {title = "loss", yscale = "log"}
      for step = 1, 20 do
        pass(0.3)
        live:add(step, value(10.0 ^ -step))
        tide.synchronize()
      end
      equal(shown(), "")
      equal(tostring(live), "live plot (open)")
    end
    local text = shown()
    test.is_true(text:find "loss" and text:find "1e%-%d+┤" and not text:find "\27")
  end)
end)

describe("arguments of live plots", function()
  it("are checked", function()
    at_terminal(false)
    local live = tide.plot.live()
    raises("live: unknown option 'titel'; did you mean 'title'?", tide.plot.live, {titel = "loss"})
    raises("live: argument 1 (size): expected table of 2 integers, got string", tide.plot.live, "loss")
    raises("add: argument 1 (step): expected number, got nothing", live.add, live)
    raises("add: argument 2 (value): expected number, tensor or table, got nothing", live.add, live, 1)
    raises("add: train: expected a single value, got shape (2)", live.add, live, 1, {train = tide.ones(2)})
    raises("add: expected values by name, got the key 1", live.add, live, 1, {0.5})
    equal(live:close(), live:close())
    raises("add: the plot is closed", live.add, live, 1, 0.5)
  end)
end)

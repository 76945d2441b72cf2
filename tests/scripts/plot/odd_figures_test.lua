-- Random figures of odd values: every accepted figure can be drawn, and stays within its columns.
local tide = require "tide"
local test = require "tide.test"
local gnuplot = require "tide.plot.gnuplot"
local ticks = require "tide.plot.ticks"
local describe, it = test.describe, test.it
local plot = tide.plot

local kOdd <const> = {
  0 / 0, 1 / 0, -1 / 0, 0.0, -0.0, 1.0, -1.0, 1e300, 1e-300, -1e308, 1e308, 5e-324, 3.0, 7.5, 1e15, 1e15 + 1,
}

local function number()
  local choice = math.random()
  if choice < 0.4 then return kOdd[math.random(#kOdd)] end
  if choice < 0.7 then return math.random(-5, 20) + 0.0 end
  return (math.random() - 0.3) * 10.0 ^ math.random(-8, 8)
end

local function numbers(count)
  local list = {}
  for i = 1, count do list[i] = number() end
  return list
end

local function matrix()
  local rows, columns = {}, math.random(5)
  for i = 1, math.random(5) do rows[i] = numbers(columns) end
  return rows
end

local function names(count)
  local list = {}
  for i = 1, count do list[i] = ("n"):rep(math.random(0, 30)) end
  return list
end

--- The value, or more often nothing.
local function maybe(value)
  if math.random() < 0.3 then return value end
end

local function limits()
  local low, high = number(), number()
  return ticks.is_range(low, high) and {low, high} or nil
end

--- Adds random options of the axes. Cells are only on linear ones.
local function with_axes(options, is_linear)
  options.title, options.xlabel = maybe(("title "):rep(math.random(20))), maybe "x"
  options.ylabel, options.grid = maybe "y", maybe(true)
  if not is_linear then options.xscale, options.yscale = maybe "log", maybe "log" end
  options.xlim, options.ylim = maybe(limits()), maybe(limits())
  options.xticks, options.yticks = maybe(math.random() < 0.5 and names(5) or numbers(4)), maybe(names(3))
  return options
end

local kSeries <const> = {
  function(panel, count)
    local options = with_axes {label = maybe "l", linestyle = maybe "--", marker = maybe "o"}
    panel:line(numbers(count), numbers(count), options)
  end,
  function(panel, count) panel:scatter(numbers(count), numbers(count), with_axes {label = maybe "s"}) end,
  function(panel, count)
    panel:errorbar(numbers(count), numbers(count), with_axes {yerr = numbers(count), xerr = maybe(numbers(count))})
  end,
  function(panel, count)
    panel:hist(numbers(count), with_axes {bins = math.random(20), density = maybe(true), range = maybe(limits())})
  end,
  function(panel, count) panel:bar(numbers(count), numbers(count), with_axes {label = maybe "b"}) end,
  function(panel) panel:contour(matrix(), with_axes {levels = maybe(numbers(2)), vmin = maybe(0)}) end,
  function(panel) panel:heatmap(matrix(), with_axes({annotate = maybe(true), vmax = maybe(5)}, true)) end,
  function(panel) panel:image(tide.tensor(matrix()), with_axes({}, true)) end,
}

local function random_figure()
  local figure = plot.subplots(math.random(2), math.random(2), {title = maybe "all"})
  for _, panel in ipairs(figure) do
    for _ = 1, math.random(0, 2) do
      -- A panel has one palette, and cells have no logarithmic axes.
      local was = #panel.series
      local added, message = pcall(kSeries[math.random(#kSeries)], panel, math.random(0, 6))
      if not added and not message:find("a panel has only one palette", 1, true) then error(message) end
      if was == 1 then panel:set {xscale = "linear", yscale = "linear"} end
    end
  end
  return figure
end

describe("random figures", function()
  it("are drawn as text", function()
    math.randomseed(1)
    for _ = 1, 1000 do
      local figure, columns, rows = random_figure(), math.random(20, 120), math.random(5, 40)
      local text = figure:text(columns, rows, math.random() < 0.5):gsub("\27%[[%d;]*m", "")
      local count = 0
      for line in (text .. "\n"):gmatch "(.-)\n" do
        count = count + 1
        test.is_true(utf8.len(line) <= columns)
      end
      test.is_true(count <= rows)
    end
  end)
  it("are drawn by gnuplot", function()
    if not gnuplot.is_available() then test.pending "gnuplot is not installed" end
    math.randomseed(2)
    for _ = 1, 40 do test.is_true(random_figure():svg():find("</svg>", 1, true)) end
  end)
end)

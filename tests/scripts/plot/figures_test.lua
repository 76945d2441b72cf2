-- Figures: arguments of calls, ranges and ticks, data that are read in one wait.
local tide = require "tide"
local test = require "tide.test"
local describe_figure = require "tide.plot.describe"
local ticks = require "tide.plot.ticks"
local describe, it = test.describe, test.it
local equal, raises = test.same_type, test.raises
local plot = tide.plot
local nan, inf = 0 / 0, math.huge

--- The description of a figure of one panel, for an image of 200 x 100.
local function panel_of(figure) return describe_figure(figure, 200, 100).panels[1] end

local function mark_of(figure) return panel_of(figure).marks[1] end

describe("figures", function(device)
  local function on(list) return tide.tensor(list, {device = device}) end

  it("accept tensors of any device and type, and lists", function()
    for _, y in ipairs {on {1, 4, 9}, on {1.0, 4, 9}, on({1, 4, 9}):to "float16", {1, 4, 9}, {on(1), 4, on {9.0}}} do
      local mark = mark_of(plot.line(y))
      equal({mark.x, mark.y}, {{1.0, 2.0, 3.0}, {1.0, 4.0, 9.0}})
    end
    equal(mark_of(plot.line(on {2, 3}, on {true, false})).y, {1.0, 0.0})
    equal(mark_of(plot.line {x = {2, 3}, y = on {5, 6}}).x, {2.0, 3.0})
    local leaf = on {1.0, 2}:requires_grad_()
    equal(mark_of(plot.line(leaf)).y, {1.0, 2.0})
    equal(mark_of(plot.line(leaf * 2, {})).y, {2.0, 4.0})
    equal(mark_of(plot.heatmap(on {{1, 2}, {3, 4}}.T)).values, {1.0, 3.0, 2.0, 4.0})
    equal(mark_of(plot.heatmap(on {{1, 2, 3}})).columns, 3)
  end)
  it("show data as they were at the call", function()
    local y, list = on {1.0, 2}, {1, 2}
    local figure = plot.line(y):line(list)
    y:add_(10)
    list[1] = 7
    equal(panel_of(figure).marks[1].y, {1.0, 2.0})
    equal(panel_of(figure).marks[2].y, {1.0, 2.0})
  end)
  it("read all data in one wait, once", function()
    local figure = plot.subplots(2, 2)
    local x = tide.rand(50, {device = device})
    tide.synchronize()
    local waits = tide.wait_count()
    figure[1]:line(x * 2, x + 1)
    figure[1]:line {x[1], 2, x[2]}
    figure[2]:hist(x * 3)
    figure[3]:image(x:reshape(5, 10) + 0)
    figure[4]:errorbar(x[{{1, 3}}] * 2, {yerr = x[{{1, 3}}] + 1})
    tostring(figure)
    equal(tide.wait_count() - waits, 0)
    figure:text()
    test.is_true(tide.wait_count() - waits <= 1)
    waits = tide.wait_count()
    figure:text()
    equal(tide.wait_count() - waits, 0)
  end)
  it("count finite values in bins", function()
    local boxes = mark_of(plot.hist(on {0.0, 1, 1, 4, nan, inf, -inf}, {bins = 4}))
    equal({boxes.left, boxes.right, boxes.top}, {{0.0, 1.0, 2.0, 3.0}, {1.0, 2.0, 3.0, 4.0}, {1.0, 2.0, 0.0, 1.0}})
    equal(mark_of(plot.hist(on {0.0, 1, 1, 4}, {bins = 2, density = true})).top, {0.375, 0.125})
    equal(mark_of(plot.hist(on {0.0, 1, 1, 4}, {bins = 2, cumulative = true})).top, {3.0, 4.0})
    equal(mark_of(plot.hist(on {0.0, 1, 1, 4}, {bins = 2, cumulative = true, density = true})).top, {0.75, 1.0})
    equal(mark_of(plot.hist(on {0, 1, 2, 9}, {bins = 2, range = {0, 4}})).top, {2.0, 1.0})
    equal(mark_of(plot.hist(on {5, 5}, {bins = 1})).left, {4.5})
    equal(mark_of(plot.hist(on {{{1.0, 2}, {3, 4}}}, {bins = 1})).top, {4.0})
    equal(mark_of(plot.hist({1e308, -1e308, 1, 2}, {bins = 1})).top, {2.0})
  end)
  it("draw errors in several forms", function()
    local function ends(errors)
      local bars = mark_of(plot.errorbar(on {1, 2}, on {5, 6}, {yerr = errors}))
      return {bars.y1, bars.y2}
    end
    equal(ends(1), {{4.0, 5.0}, {6.0, 7.0}})
    equal(ends(on {1, 2}), {{4.0, 4.0}, {6.0, 8.0}})
    equal(ends {{1, 1}, {2, 3}}, {{4.0, 5.0}, {7.0, 9.0}})
    equal(mark_of(plot.errorbar({1}, {2}, {xerr = 0.5})).x2, {1.5})
  end)
  it("average large grids", function()
    local mark = mark_of(plot.heatmap(tide.ones({4, 4096}, {device = device})))
    equal({mark.rows, mark.columns, mark.width, mark.values[1]}, {4, 1024, 4096, 1.0})
    equal(panel_of(plot.image(tide.full({3, 2048, 2}, 255, {device = device}):to "uint8")).y.high, 2048.5)
    equal(mark_of(plot.image(tide.full({3, 2048, 2}, 255, {device = device}):to "uint8")).values[1], 255)
  end)
  it("accept images of floats, integers and booleans", function()
    equal(mark_of(plot.image(on {{{0.0}}, {{0.5}}, {{2.0}}})).values, {0, 128, 255})
    equal(panel_of(plot.image(on({{0, 255}}):to "uint8")).color_bar.high, 255)
    equal(panel_of(plot.image(on {{true, false}})).color_bar.high, 1)
    equal(panel_of(plot.image(on {{0.25, 0.5}}, {cmap = "viridis"})).color_bar.low, 0.25)
  end)
  it("draw contour lines", function()
    local mark = mark_of(plot.contour(on {0, 10}, on {0, 1}, on {{0.0, 2}, {0, 2}}, {levels = {1}}))
    equal({mark.x1, mark.x2, mark.values}, {{5.0}, {5.0}, {1.0}})
    equal(#mark_of(plot.contour(on {{0.0, nan}, {0, 1}})).x1, 0)
    -- A ring around the center is closed: each end is also that of another piece.
    local grid = tide.linspace(-2, 2, 21, {device = device})
    local ring = mark_of(plot.contour(grid, grid, grid:unsqueeze(1) ^ 2 + grid:unsqueeze(2) ^ 2, {levels = {1.01}}))
    local ends = {}
    for _, pair in ipairs {{ring.x1, ring.y1}, {ring.x2, ring.y2}} do
      for i = 1, #pair[1] do
        local key = ("%.6f %.6f"):format(pair[1][i], pair[2][i])
        ends[key] = (ends[key] or 0) + 1
      end
    end
    for _, count in pairs(ends) do equal(count, 2) end
  end)
  it("of filters and confusion matrices take one call", function()
    equal(tostring(plot.filters(tide.rand(5, 3, 2, 2, {device = device}), {nrow = 2})),
      "figure 640 x 480: image (3 x 10 x 7)")
    equal(tostring(plot.filters(tide.rand(4, 2, 3, 3, {device = device}))), "figure 640 x 156: image (1 x 5 x 33)")
    local expected = {2.0, 0.0, 1.0, 1.0}
    for _, figure in ipairs {
      plot.confusion_matrix(on {{2, 0}, {1, 1}}), plot.confusion_matrix {{2, 0}, {1, 1}},
      plot.confusion_matrix(on {1, 1, 2, 1}, on {1, 1, 2, 2}),
      plot.confusion_matrix(on {{0.9, 0.1}, {0.8, 0.2}, {0.1, 0.9}, {0.7, 0.3}}, on {1, 1, 2, 2},
        {classes = {"a", "b"}}),
    } do
      equal(mark_of(figure).values, expected)
    end
    equal(mark_of(plot.confusion_matrix(on {{2, 0}, {1, 3}}, {normalize = true})).values, {1.0, 0.0, 0.25, 0.75})
  end)
end)

describe("axes", function()
  local function range(figure, name)
    local axis = panel_of(figure)[name or "y"]
    return {axis.low, axis.high}
  end

  it("contain all values, whatever they are", function()
    test.close(range(plot.line {0, 10}), {-0.5, 10.5})
    test.close(range(plot.line {5, 5}), {4.75, 5.25})
    equal(range(plot.line {0}), {-0.05, 0.05})
    equal(range(plot.line {}), {0.0, 1.0})
    equal(range(plot.line {nan, inf}), {0.0, 1.0})
    test.close(range(plot.line({1, 100, 0, -5}, {yscale = "log"})), {10 ^ -0.1, 10 ^ 2.1})
    equal(range(plot.line({0, -1}, {yscale = "log"})), {1.0, 10.0})
    equal(range(plot.line({1e308, 1}, {ylim = {0, 2}})), {0.0, 2.0})
    equal(range(plot.bar {3, 2})[1], 0.0)
    equal(range(plot.hist {}), {0.0, 1.0})
    equal(range(plot.heatmap {{1, 2, 3}}, "x"), {0.5, 3.5})
  end)
  it("omit values that cannot be drawn on them", function()
    local mark = mark_of(plot.line {1, nan, inf, 4, -inf})
    equal({mark.x[1], mark.x[3]}, {1.0, 4.0})
    test.is_true(mark.x[2] ~= mark.x[2])
    equal(mark_of(plot.scatter({1, 0, -1, 10}, {1, 2, 3, 4}, {xscale = "log"})).y, {1.0, 4.0})
  end)
  local function texts(low, high, most, log)
    local list = {}
    for i, tick in ipairs(ticks.of({low = low, high = high, log = log}, most)) do list[i] = tick.text end
    return table.concat(list, " ")
  end
  it("have ticks at round numbers", function()
    equal(texts(0, 10, 5), "0 2 4 6 8 10")
    equal(texts(-1.05, 1.05, 5), "-1.0 -0.5 0 0.5 1.0")
    equal(texts(1e6, 1e6 + 2, 4), "1000000 1000000.5 1000001 1000001.5 1000002")
    equal(texts(0, 3e7, 3), "0 1e7 2e7 3e7")
    equal(texts(0, 2e-6, 4), "0 5e-7 1e-6 1.5e-6 2e-6")
    equal(texts(0.05, 2000, 5, true), "0.1 1 10 100 1000")
    equal(texts(1e-9, 1e9, 4, true), "1e-9 1e-4 10 1e6")
    equal(texts(2, 8, 4, true), "2 4 6 8")
    equal(#texts(1 - 1e-15, 1 + 1e-15, 5) < 200, true)
  end)
  it("accept ticks and labels from scripts", function()
    local axis = panel_of(plot.bar({"a", "b"}, {1, 2})).x
    equal(ticks.of(axis, 9), {{at = 1, text = "a"}, {at = 2, text = "b"}})
    equal(ticks.of(panel_of(plot.line({1, 2}, {xticks = {1, 1.5, 9}})).x, 1)[2], {at = 1.5, text = "1.5"})
    equal(#ticks.of(panel_of(plot.line({1, 2}, {xticks = {}})).x, 1), 0)
  end)
end)

describe("many points", function()
  it("of a line keep the first, smallest, largest and last of a column", function()
    local count, y = 100000, {}
    for i = 1, count do y[i] = i % 1000 end
    y[50000], y[70001] = 5000, -3000
    local mark = mark_of(plot.line(y))
    test.is_true(#mark.x <= 4 * 200 and #mark.x > 200)
    equal({mark.x[1], mark.y[1], mark.x[#mark.x]}, {1.0, 1.0, count + 0.0})
    equal({math.max(table.unpack(mark.y)), math.min(table.unpack(mark.y))}, {5000.0, -3000.0})
    for i = 2, #mark.x do test.is_true(mark.x[i] > mark.x[i - 1]) end
  end)
  it("keep the gaps of a line", function()
    local y = {}
    for i = 1, 5000 do y[i] = i == 2500 and nan or i end
    local holes = 0
    for _, x in ipairs(mark_of(plot.line(y)).x) do holes = holes + (x ~= x and 1 or 0) end
    equal(holes, 1)
  end)
  it("that are scattered keep one in each pixel", function()
    local x, y = {}, {}
    for i = 1, 100000 do x[i], y[i] = i % 7, i % 5 end
    equal(#mark_of(plot.scatter(x, y)).x, 35)
    equal(#mark_of(plot.scatter(x, y, {xlim = {0, 3}})).x, 20)
  end)
end)

describe("arguments of figures", function()
  it("are checked", function()
    local x = tide.ones(2, 3)
    raises("line: y: expected 1 dimension, got shape (2, 3)", plot.line, x)
    raises("line: x and y differ in length: 3 and 2", plot.line, {1, 2, 3}, {1, 2})
    raises("line: y: expected numbers, got string at 2", plot.line, {1, "a"})
    raises("line: y: expected numbers, got nil at 2", plot.line, {1, nil, 3})
    raises("line: argument 2 (y): expected tensor or table, got string", plot.line, "data")
    raises("line: y: expected a list of numbers, got values by name ('first')", plot.line, {{first = 1}})
    raises("line: y: expected a single value at 2, got shape (2, 3)", plot.line, {1, x})
    raises("line: argument 2 (y): expected tensor or table, got nothing", plot.line)
    raises("heatmap: z: the inner lists differ in length: 2 and 1", plot.heatmap, {{1, 2}, {1}})
    raises("heatmap: z: numbers and lists are mixed", plot.heatmap, {{1, 2}, 3})
    raises("heatmap: z: expected at least one value, got shape (0, 3)", plot.heatmap, tide.ones(0, 3))
    raises("line: unknown option 'colour'; did you mean 'color'?: known are x, y, label", plot.line, {1},
      {colour = "red"})
    raises("line: color: expected a name such as 'red', or '#rrggbb', got 'gren'; did you mean 'green'?",
      plot.line, {1}, {color = "gren"})
    raises([[line: linestyle must be "-", "--" or ":", got "-."]], plot.line, {1}, {linestyle = "-."})
    raises([[line: yscale must be "linear" or "log", got "lag"]], plot.line, {1}, {yscale = "lag"})
    raises("line: option 'label': expected string, got number", plot.line, {1}, {label = 1})
    raises("line: xlim: the lower limit must be less than the upper, got {3, 1}", plot.line, {1}, {xlim = {3, 1}})
    raises("line: linewidth must be positive, got 0", plot.line, {1}, {linewidth = 0})
    raises("line: linewidth: expected a finite number, got inf", plot.line, {1}, {linewidth = math.huge})
    raises("line: xticks: element 2: expected string, got number", plot.line, {1}, {xticks = {"a", 2}})
    raises("hist: bins must be between 1 and 10000, got 0", plot.hist, {1}, {bins = 0})
    raises("errorbar: yerr or xerr is missing", plot.errorbar, {1}, {2})
    raises("errorbar: yerr: expected a number, shape (2) or (2, 2), got (3)", plot.errorbar, {1, 2}, {1, 2},
      {yerr = {1, 2, 3}})
    raises([[heatmap: cmap must be "viridis", "magma", "coolwarm", "blues" or "gray", got "virids"]],
      plot.heatmap, {{1}}, {cmap = "virids"})
    raises("image: x: expected shape (height, width), (1, height, width) or (3, height, width), got (4, 5, 3): "
      .. "x:permute(3, 1, 2) puts channels first", plot.image, tide.ones(4, 5, 3))
    raises("tide.vision.make_grid arranges them in a grid", plot.image, tide.ones(2, 3, 4, 5))
    raises("image: cmap, vmin and vmax are for images of one channel, got shape (3, 2, 2)", plot.image,
      tide.ones(3, 2, 2), {cmap = "gray"})
    raises("heatmap: vmin must be less than vmax, got 2 and 1", plot.heatmap, {{1}}, {vmin = 2, vmax = 1})
    local figure = plot.heatmap({{1}}, {xscale = "log"})
    raises("heatmap: xscale and yscale must be 'linear' in a panel with cells", figure.text, figure)
    raises("contour: x has 3 values, but z has shape (2, 2)", plot.contour, {1, 2, 3}, {1, 2}, {{1, 2}, {3, 4}})
    raises("contour: expected z, or x, y and z", plot.contour, {1}, {2})
    raises("filters: weight: expected shape (out, in, height, width), got (2, 3)", plot.filters, x)
    raises("confusion_matrix: expected a square matrix, or predictions and targets, got shape (2, 3)",
      plot.confusion_matrix, x)
    raises("confusion_matrix: 3 classes for a matrix of shape (2, 2)", plot.confusion_matrix, tide.ones(2, 2),
      {classes = {1, 2, 3}})
    raises("figure: size must be between 50 and 10000, got {1, 2}", plot.figure, {size = {1, 2}})
    raises("subplots: argument 2 (columns): expected integer, got nothing", plot.subplots, 2)
    raises("subplots: columns must be between 1 and 50, got 51", plot.subplots, 2, 51)
    raises("line: the figure has 2 panels: fig[1]:line(...) applies to the first",
      function() plot.subplots(1, 2):line {1} end)
    raises([[legend: place must be "upper right", "upper left", "lower right", "lower left" or false, got "top"]],
      function() plot.line({1}):legend "top" end)
    raises("heatmap: the panel has a heatmap with cmap 'viridis': a panel has only one palette",
      function() plot.heatmap({{1}}):heatmap({{1}}, {cmap = "magma"}) end)
    raises("text: columns must be between 20 and 1000, got 3", function() plot.line({1}):text(3) end)
  end)
  it("may have matplotlib's names", function()
    raises("tide.plot.imshow: there is no such name; did you mean 'image'?", function() return plot.imshow end)
    raises("tide.plot.plot: there is no such name; did you mean 'line'?", function() return plot.plot end)
    raises("tide.plot.scater: there is no such name; did you mean 'scatter'?", function() return plot.scater end)
  end)
  it("errors have the script's line", function()
    local _, message = pcall(load("tide.plot.line({1},\n{colr = 1})", "=script", "t", {tide = tide}))
    test.is_true(message:find "^script:%d: line: unknown option 'colr'; did you mean 'color'?")
  end)
  it("appear in the text of a figure", function()
    equal(tostring(plot.figure()), "figure 640 x 480: empty")
    equal(tostring(plot.line({1}, {label = "loss"}):scatter(tide.ones(3))),
      "figure 640 x 480: line 'loss' (1 point), scatter (3 points)")
  end)
end)

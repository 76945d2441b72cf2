-- The reference of figures.
local kPanel = "Options of the axes: see fig:set"
local kAxes = "title, xlabel, ylabel, xscale, yscale, xlim, ylim, xticks, yticks, grid"

-- A row for each kind of series: {name, arguments, what it draws, a call's arguments, the figure as text}.
local kinds = {
  {"line", "(x?, y, {label, color, linewidth, linestyle, marker, markersize, " .. kAxes .. "})",
    "A line through points; without x they are at 1, 2, ... A value that is no number is a hole. linestyle: "
      .. "'-', '--' or ':'; marker: 'o', '.', 'x', '+', 's' or '^'. " .. kPanel,
    "{1, 4, 9}, {label = \"squares\"}", "line 'squares' (3 points)"},
  {"scatter", "(x?, y, {label, color, marker, markersize, " .. kAxes .. "})",
    "Points; markersize: their width in pixels. " .. kPanel, "{1, 2, 3}, {2, 1, 3}", "scatter (3 points)"},
  {"errorbar", "(x?, y, {yerr, xerr, label, color, linewidth, linestyle, marker, markersize, " .. kAxes .. "})",
    "A line with the errors of its points: a number, one for each point, or shape (2, n) with those below "
      .. "and above. " .. kPanel, "{1, 2}, {3, 5}, {yerr = 0.5}", "errorbar (2 points)"},
  {"hist", "(x, {bins, range, density, label, color, " .. kAxes .. "})",
    "How many of the values lie in each of `bins` (10) equal parts of range; density: shares by width. "
      .. kPanel, "tide.range(1, 9), {bins = 3}", "hist (9 points)"},
  {"bar", "(x?, heights, {width, label, color, " .. kAxes .. "})",
    "Bars at positions, or of names. " .. kPanel, "{\"cpu\", \"gpu\"}, {1, 8}", "bar (2 points)"},
  {"image", "(x, {cmap, vmin, vmax, " .. kAxes .. "})",
    "A picture (channels, height, width) or (height, width): floats from 0 to 1, or integers from 0 to 255. "
      .. "With a cmap, one channel goes from its least value to its largest. " .. kPanel,
    "tide.rand(3, 8, 8)", "image (3 x 8 x 8)"},
  {"heatmap", "(z, {cmap, vmin, vmax, annotate, " .. kAxes .. "})",
    "A matrix as colors, row 1 above; cmap: viridis, magma, coolwarm, blues or gray; annotate: with the "
      .. "values. " .. kPanel, "{{1, 2}, {3, 4}}, {annotate = true}", "heatmap (2 x 2)"},
  {"contour", "(z | x, y, z, {levels, cmap, vmin, vmax, linewidth, " .. kAxes .. "})",
    "Lines of equal value of a matrix, whose rows are at y; levels: how many (8), or a list. " .. kPanel,
    "{{0, 1}, {1, 2}}, {levels = {1}}", "contour (2 x 2)"},
}

local kSize = "figure 640 x 480: "

local figures = {
  title = "Figures",
  prefix = "tide.plot.",
  {"figure", "({size, " .. kAxes .. "})", "An empty figure; size: {width, height} in pixels, {640, 480} by default",
    "tostring(tide.plot.figure{size = {300, 200}}) --> \"figure 300 x 200: empty\""},
  {"subplots", "(rows, columns, {size, " .. kAxes .. "})",
    "A figure of several panels, fig[1], fig[2], ... row after row, which have the methods of a figure. title "
      .. "stands above all; options of the axes are those of each panel",
    "local fig = tide.plot.subplots(1, 2); fig[2]:line{1, 2}; tostring(fig) --> "
      .. "\"figure 640 x 480: [1] empty; [2] line (2 points)\""},
}

local methods = {
  title = "Methods of figures",
  prefix = "fig:",
  {"set", "({" .. kAxes .. "})",
    "Sets options of the axes. xscale, yscale: 'linear' or 'log'; xlim, ylim: {lowest, highest}; xticks, "
      .. "yticks: positions, or names of 1, 2, ...",
    "local fig = tide.plot.line{1, 10, 100}; fig:set{yscale = \"log\", title = \"powers\"}; tostring(fig) --> "
      .. "\"" .. kSize .. "line (3 points)\""},
  {"legend", "(place?)",
    "Where the labels of series stand: 'upper right', where they are by default, 'upper left', 'lower right', "
      .. "'lower left', or false for nowhere",
    "tide.plot.line({1, 2}, {label = \"loss\"}):legend(\"lower left\")"},
  {"show", "()",
    "Shows the figure: as a picture in a notebook, or in a terminal that takes them (kitty, sixel), if gnuplot is "
      .. "there, else in letters", "tide.plot.figure{size = {640, 200}}:line{1, 4, 9}:show()"},
  {"text", "({columns, rows, color})",
    "The figure in letters, by default 80 columns and at most 24 rows without color",
    "tide.plot.heatmap({{1, 20}, {3, 4}}, {annotate = true}):text{columns = 20, rows = 5} --> "
      .. "\"1┤ 1   20\\\n2┤ 3   4\\\n └──┬──┬──\\\n    1  2\""},
}

local files = {
  title = "Figures in files",
  prefix = "fig:",
  {"save", "(path)",
    "Writes a picture by gnuplot (on Debian: gnuplot-nox); path ends in .svg, .png or .pdf. The file is "
      .. "replaced as a whole",
    [[local path = os.tmpname(); tide.plot.line{1, 4, 9}:save(path .. ".png"); ]]
      .. [[local x = #tide.vision.read_image(path .. ".png"); os.remove(path); os.remove(path .. ".png"); x --> 3]]},
  {"svg", "()", "The text of an SVG picture, made by gnuplot",
    [[tide.plot.line{1, 4, 9}:svg():match("<svg") --> "<svg"]]},
}

for _, row in ipairs(kinds) do
  local name, arguments, doc, call, shown = table.unpack(row)
  figures[#figures + 1] = {name, arguments, doc,
    ("tostring(tide.plot.%s(%s)) --> %q"):format(name, call, kSize .. shown)}
  methods[#methods + 1] = {name, arguments, "Adds to the figure what tide.plot." .. name .. " draws",
    ("local fig = tide.plot.figure(); fig:%s(%s); tostring(fig) --> %q"):format(name, call, kSize .. shown)}
end

for _, row in ipairs {
  {"filters", "(weight, {nrow, cmap, title})",
    "The filters of a convolution (out, in, height, width) side by side, each from its least value to its largest",
    "tostring(tide.plot.filters(nn.Conv2d(3, 4, 5).weight)) --> \"figure 640 x 239: image (3 x 7 x 25)\""},
  {"confusion_matrix", "(matrix | predictions, target, {classes, normalize, title, cmap})",
    "Counts of classes, rows true and columns predicted; of predictions (n) or scores (n, classes) they are counted",
    "tostring(tide.plot.confusion_matrix(tide.tensor{1, 2, 2}, tide.tensor{1, 2, 1})) --> \"" .. kSize
      .. "heatmap (2 x 2)\""},
  {"live", "({size, " .. kAxes .. "})",
    "Curves that a terminal or a notebook shows while they grow, drawn at most four times a second; elsewhere close "
      .. "shows them",
    "tostring(tide.plot.live{title = \"loss\"}) --> \"live plot (open)\""},
} do
  figures[#figures + 1] = row
end

return {
  figures,
  methods,
  files,
  {
    title = "Live plots",
    prefix = "live:",
    {"add", "(step, value | {name = value})",
      "Adds a point to the curve, or to several by name. Tensors stay unread until they have arrived at the host: "
        .. "nothing waits", "local live = tide.plot.live(); live:add(1, {train = tide.tensor(0.5), val = 0.75})"},
    {"close", "()", "Reads what is left, shows the curves and returns their figure; a local <close> does so by itself",
      "local live = tide.plot.live{size = {640, 200}}; live:add(1, 0.5); live:add(2, 0.25); tostring(live:close()) --> "
        .. "\"figure 640 x 200: line (2 points)\""},
  },
}

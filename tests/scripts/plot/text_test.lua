-- Figures as text: braille, half blocks, axes and labels.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal = test.same_type
local plot = tide.plot

--- Compares with lines that are indented like the test.
local function shows(figure, columns, rows, expected)
  equal("\n" .. figure:text(columns, rows), (expected:gsub("\n      ", "\n"):gsub("\n *$", "")))
end

describe("figures as text", function(device)
  it("show lines with their labels, ticks and titles", function()
    local x = tide.range(0, 4, {device = device})
    local figure = plot.line(x, x, {label = "up", title = "Lines", xlabel = "step", ylabel = "loss"})
    figure:line(x, 4 - x, {label = "down", linestyle = "--"})
    shows(figure, 30, 12, [[

                   Lines
      ━━ up  ━━ down
      loss
      4┤ ⠐⠤⣀                   ⢀⣀⠤⠂
       │      ⠒⠤⣀         ⢀⣀⠤⠒⠊⠁
       │           ⠒⠤⣀⣀⠤⠒⠊⠁
      2┤         ⢀⡠⠤⠒⠉⠁⠐⠤⢄⡀
       │    ⢀⡠⠤⠒⠉⠁          ⠐⠤⢄⡀
      0┤ ⠠⠒⠉⠁                    ⠐⠄
       └─┬────────────┬───────────┬─
         0            2           4
                    step
    ]])
  end)
  it("leave gaps where a line has no numbers", function()
    local figure = plot.line(tide.tensor({1, 2, 0 / 0, 4, 1 / 0, 2}, {device = device}))
    shows(figure, 30, 8, [[

      4┤                ⠐
       │
       │
      2┤      ⢀                   ⢀
       │   ⢀⠤⠊⠁
       │ ⠠⠒⠁
       └──────┬─────────┬─────────┬─
              2         4         6
    ]])
  end)
  it("show points, and logarithmic axes", function()
    local figure = plot.scatter(tide.tensor({1, 2, 3, 4}, {device = device}), {1, 10, 100, 1000}, {yscale = "log"})
    shows(figure, 30, 8, [[

         │                        ⠐
         │
      100┤                ⠈
         │         ⡀
         │
        1┤ ⠄
         └─────────┬──────────────┬─
                   2              4
    ]])
  end)
  it("show histograms", function()
    local figure = plot.hist(tide.tensor({1, 2, 2, 3, 3, 3}, {device = device}), {bins = 3})
    shows(figure, 30, 8, [[

       │                  ⣶⣶⣶⣶⣶⣶⣶⣶⡆
       │                  ⣿⣿⣿⣿⣿⣿⣿⣿⡇
      2┤          ⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⡇
       │          ⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⡇
       │ ⢸⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⡇
      0┤ ⢸⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⡇
       └─┬────────────┬───────────┬─
         1            2           3
    ]])
  end)
  it("show bars of names, also below 0", function()
    local figure = plot.bar({"cpu", "gpu"}, tide.tensor({-1, 2}, {device = device}))
    shows(figure, 30, 8, [[

      2┤               ⢰⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⡆
       │               ⢸⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⡇
       │               ⢸⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⡇
      0┤ ⢀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⡀  ⢸⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⡇
       │ ⢸⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⡇
       │ ⠸⠿⠿⠿⠿⠿⠿⠿⠿⠿⠿⠇
       └───────┬────────────┬───────
              cpu          gpu
    ]])
  end)
  it("show errors as bars", function()
    local figure = plot.errorbar(tide.tensor({1, 2, 3}, {device = device}), {1, 3, 2}, {yerr = 1})
    shows(figure, 30, 8, [[

      4┤              ⡆
       │             ⣀⡧⣀⣀         ⡄
       │        ⣀⠤⠔⠊⠉ ⡇  ⠉⠉⠑⠒⠢⠠⠤⢄⣀⡇
      2┤ ⡇⢀⣀⠠⠔⠒⠉      ⠁           ⡇
       │ ⡏⠁                       ⠃
      0┤ ⠇
       └─┬────────────┬───────────┬─
         1            2           3
    ]])
  end)
  it("show images in shades", function()
    local figure = plot.image(tide.tensor({{0, 0.25, 0.5}, {0.75, 1, 0}}, {device = device}))
    shows(figure, 30, 8, [[

              ░░░░░░░░▒▒▒▒▒▒▒▒
              ░░░░░░░░▒▒▒▒▒▒▒▒
              ░░░░░░░░▒▒▒▒▒▒▒▒
              ░░░░░░░░▒▒▒▒▒▒▒▒
      ▓▓▓▓▓▓▓▓████████
      ▓▓▓▓▓▓▓▓████████
      ▓▓▓▓▓▓▓▓████████
      ▓▓▓▓▓▓▓▓████████
    ]])
  end)
  it("show a matrix with its range, and blanks for missing numbers", function()
    local figure = plot.heatmap(tide.tensor({{0, 1, 2}, {3, 0 / 0, 5}}, {device = device}))
    shows(figure, 30, 8, [[

      0    ░░▒▒▓▓███ 5
       │     ░░░░░▒▒▒▒▒
      1┤     ░░░░░▒▒▒▒▒
       │░░░░░░░░░░▓▓▓▓▓
      2┤▓▓▓▓▓     █████
       │▓▓▓▓▓     █████
       └───────┬───────
               2
    ]])
  end)
  it("show contour lines", function()
    local figure = plot.contour(tide.tensor({{0.0, 1, 2}, {3, 4, 5}}, {device = device}), {levels = 2})
    shows(figure, 30, 8, [[

      1.667    ░░▒▒▓▓███ 3.333
      2.0┤    ⠈⠉⠒⠒⠤⠤⣀⣀
         │            ⠉⠑⠒⠢⠤⢄⣀⡀
      1.5┤⠑⠒⠢⠤⢄⣀⡀            ⠈⠉⠑⠒⠢⠤⢄
         │      ⠈⠉⠑⠒⠢⠤⢄⣀⡀
      1.0┤              ⠈⠉⠑⠒⠢⠤⢄⣀
         └┬────────────┬───────────┬
          1            2           3
    ]])
  end)
  it("show a confusion matrix as a table", function()
    local matrix = tide.tensor({{5, 1}, {0, 12}}, {device = device})
    local figure = plot.confusion_matrix(matrix, {classes = {"cat", "dog"}})
    shows(figure, 30, 8, [[

       confusion matrix
      true
      cat┤  5    1
      dog┤  0   12
         └──┬────┬──
           cat  dog
          predicted
    ]])
  end)
  it("show parts of a matrix, and points in it", function()
    local matrix = tide.tensor({{0.0, 1, 2}, {3, 4, 5}, {6, 7, 8}}, {device = device})
    local figure = plot.heatmap(matrix, {xlim = {1.5, 4.5}, ylim = {0.5, 2.5}, annotate = true})
    shows(figure:scatter({4}, {1}), 30, 8, [[

       │      ░░░░░░
      1┤      ░░░░░░  ⠠
       │      ░░░░░░
       │▒▒▒▒▒▒▓▓▓▓▓▓
      2┤▒▒▒▒▒▒▓▓▓▓▓▓
       │▒▒▒▒▒▒▓▓▓▓▓▓
       └───┬──────────┬───
           2          4
    ]])
  end)
  it("show several panels under one title", function()
    local figure = plot.subplots(1, 2, {title = "Both"})
    figure[1]:line(tide.tensor({1, 2}, {device = device}))
    figure[2]:image(tide.tensor({{1.0, 0}, {0, 1}}, {device = device}))
    shows(figure, 40, 7, [[

                        Both
      2┤             ⣀⠤⠔⠂ ██████
       │        ⢀⡠⠤⠒⠉     ██████
       │    ⣀⠤⠒⠊⠁         ██████
      1┤ ⠔⠒⠉                    ██████
       └─┬──────────────┬       ██████
         1              2       ██████
    ]])
  end)
  it("show one point, and no points", function()
    local figure = plot.subplots(1, 2)
    figure[1]:line {7}
    shows(figure, 40, 6, [[

         │                1.0┤
         │                   │
      7.0┤       ⠈        0.5┤
         │                  0┤
         └┬──────┬──────┬    └┬──────┬──────┬
        0.95   1.00  1.05     0     0.5   1.0
    ]])
  end)
end)

describe("text in color", function()
  it("equals that without, apart from color codes", function()
    for _, figure in ipairs {plot.line({1, 2, 4}, {label = "a"}), plot.hist {1, 2, 2}} do
      equal((figure:text({color = true}):gsub("\27%[[%d;]*m", ""):gsub(" +\n", "\n")), figure:text())
    end
    local colored = plot.line({1, 2}, {color = "#102030"}):text {color = true, columns = 20, rows = 5}
    test.is_true(colored:find("\27[0;38;2;16;32;48m", 1, true))
    for line in (colored .. "\n"):gmatch "(.-)\n" do
      test.is_true(not line:find "\27" or line:find "\27%[0m$" or line:find "\27%[0m[^\27]*$")
    end
  end)
  it("uses half blocks for images", function()
    local red_over_blue = plot.image {{{1.0, 0}, {0, 0}}, {{0, 0}, {0, 0}}, {{0, 0}, {1, 0}}}
    local text = red_over_blue:text {columns = 20, rows = 5, color = true}
    test.is_true(text:find("\27[0;38;2;255;0;0;48;2;0;0;255m▀", 1, true))
    equal(plot.image({{0.0 / 0}}):text {columns = 20, rows = 5, color = true}, "")
  end)
end)

describe("texts of scripts", function()
  it("reach the terminal without control characters and broken bytes", function()
    local text = plot.line({1, 2}, {title = "a\27[31mb\n\xff\xc2\x9bc", label = "x\7y", xlabel = "ü"}):text(40, 9)
    test.is_true(text:find("a [31mb ? c", 1, true))
    test.is_true(text:find("x y", 1, true))
    test.is_true(text:find("ü", 1, true))
    test.is_true(utf8.len(text) and not text:find "[\0-\9\11-\31\127]")
  end)
  it("are cut at the end of the figure", function()
    local words = {title = ("long "):rep(99), ylabel = ("y"):rep(99), label = ("l"):rep(99)}
    local text = plot.line({1, 2}, words):text(30, 9)
    for line in text:gmatch "[^\n]+" do test.is_true(utf8.len(line) <= 30) end
  end)
end)

describe("figures of any size", function()
  it("are drawn in few lines, and never in more than requested", function()
    local figures = {
      plot.line({1, 1e5}, {title = "t", label = "l", xlabel = "x", ylabel = "y"}), plot.heatmap(tide.rand(30, 3)),
      plot.image(tide.rand(3, 2, 50)), plot.confusion_matrix(tide.ones(30, 30)), plot.subplots(3, 3),
    }
    for _, figure in ipairs(figures) do
      for _, size in ipairs {{20, 5}, {21, 9}, {80, 24}, {200, 60}} do
        local lines = 0
        for line in (figure:text(table.unpack(size)) .. "\n"):gmatch "(.-)\n" do
          lines = lines + 1
          test.is_true(utf8.len(line) <= size[1])
        end
        test.is_true(lines <= size[2])
      end
    end
  end)
end)

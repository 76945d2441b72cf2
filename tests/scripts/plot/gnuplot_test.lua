-- Figures by gnuplot: the script, texts that try to run commands, files, and missing programs.
local tide = require "tide"
local test = require "tide.test"
local describe_figure = require "tide.plot.describe"
local gnuplot = require "tide.plot.gnuplot"
local describe, it = test.describe, test.it
local equal, raises = test.same_type, test.raises
local plot = tide.plot

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local run = dofile(here .. "/../support/program.lua")
local own_folder = dofile(here .. "/../support/own_folder.lua")

local function script_of(figure, format)
  return gnuplot.script(describe_figure(figure, 320, 240), format or "svg", figure.size)
end

local function needs_gnuplot()
  if not gnuplot.is_available() then test.pending "gnuplot is not installed" end
end

local function contents(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read "a"
end

local function exists(path) return os.rename(path, path) ~= nil end

describe("SVG images", function()
  it("have a text description", function()
    needs_gnuplot()
    local svg = plot.line({1, 2, 3}, {title = "loss < 100 %", label = "train"}):svg()
    test.is_true(svg:find('<svg role="img"', 1, true))
    test.is_true(svg:find("<title>loss &lt; 100 %: line &apos;train&apos; (3 points)</title>", 1, true),
      svg:sub(1, 400))
  end)
end)

describe("scripts of gnuplot", function(device)
  it("contain axes, data and styles", function()
    local figure = plot.line(tide.tensor({1, 2, 3}, {device = device}), {10, 1000, 100},
      {label = "loss", title = "Run", xlabel = "step", yscale = "log", color = "red", linestyle = ":", marker = "x"})
    local lines = "\n" .. script_of(figure)
    for _, line in ipairs {
      "set terminal svg size 640,480 noenhanced font 'sans,12' background rgb '#ffffff'", "set title \"Run\"",
      "set xlabel \"step\"", "set logscale y", "set xrange [0.9:3.1]",
      "set ytics (\"10\" 10, \"100\" 100, \"1000\" 1000)", "set key top right", "$d1 << END\n1 10\n2 1000\n3 100\nEND",
      "plot $d1 using 1:2 with linespoints pt 2 ps 0.75 lw 1.5 dt 3 lc rgb '#ff0000' title \"loss\"",
    } do
      test.is_true(lines:find("\n" .. line .. "\n", 1, true), line .. " in " .. lines)
    end
  end)
  it("place panels in rows and columns", function()
    local figure = plot.subplots(1, 2, {title = "Both"})
    figure[2]:bar({"a", "50%"}, tide.tensor({1, 2}, {device = device}))
    local text = script_of(figure, "png")
    test.is_true(text:find("set multiplot layout 1,2 title \"Both\"", 1, true))
    test.is_true(text:find("plot NaN notitle", 1, true))
    test.is_true(text:find("set xtics (\"a\" 1, \"50\\045\\045\" 2)", 1, true))
    test.is_true(text:find("set yrange [0:2.1]", 1, true))
    test.is_true(text:find("$d1 << END\n1 1 0.6 1.4 0 1\n2 2 1.6 2.4 0 2\nEND\n", 1, true))
  end)
  it("contain cells as bytes", function()
    local picture = tide.tensor({{{0.0, 1}}, {{0, 1}}, {{1, 1}}}, {device = device})
    local text = script_of(plot.image(picture), "png")
    test.is_true(text:find("plot '-' binary endian=little array=(2,2) dx=1 dy=0.5 origin=(1,0.75) " ..
      "format='%uint8%uint8%uint8' using 1:2:3 with rgbimage notitle\n", 1, true))
    test.is_true(text:find("\n\0\0\255\255\255\255\0\0\255\255\255\255\n", 1, true))
  end)
  it("contain texts as letters, digits and escaped bytes", function()
    test.is_true(script_of(plot.line({1}, {title = "it's `ü`\n\27x\\"})):find(
      [[set title "it\047s \140ü\140\012 x\134"]], 1, true))
  end)
  it("break lines at gaps", function()
    test.is_true(script_of(plot.line {1, 0 / 0, 3}):find("1 1\n\n3 3\n", 1, true))
  end)
end)

describe("texts for gnuplot", function()
  local folder = own_folder()

  --- A figure with the text in every possible position.
  local function figure_with(text)
    local figure = plot.subplots(2, 2, {title = text})
    figure[1]:line({1, 2}, {label = text, title = text, xlabel = text, ylabel = text})
    figure[2]:bar({text, text}, {1, 2}, {label = text})
    figure[3]:heatmap({{1, 2}, {3, 4}}, {annotate = true, xticks = {text, text}, title = text})
    figure[4]:line({1, 2}, {xticks = {text, text}, yticks = {text}})
    return figure
  end

  it("execute nothing, whatever they contain", function()
    needs_gnuplot()
    local mark = folder() .. "/ran"
    local attempts = {
      ("`touch %s`"):format(mark), ("'.system('touch %s').'"):format(mark), ("' ; system 'touch %s' ; '"):format(mark),
      ("'\nsystem 'touch %s'\n#"):format(mark), ("\n!touch %s\n"):format(mark), ("\\\n!touch %s"):format(mark),
      ("\"\nset output '%s'\n"):format(mark), ("END\nsystem 'touch %s'\n"):format(mark), ("$(touch %s)"):format(mark),
      ("'; touch %s; '"):format(mark), ("|touch %s"):format(mark), "%s%n%d %%", "@x", "{/Symbol a}_{b}^c",
      "\\", "\\'", "''", "\0'", "\xff'", "a\r\nb", ("'"):rep(99), "",
    }
    for _, text in ipairs(attempts) do
      local svg = figure_with(text):svg()
      test.is_true(svg:find("</svg>", 1, true))
      test.is_false(exists(mark), text)
    end
  end)
  it("appear unchanged in the image", function()
    needs_gnuplot()
    local numbers = plot.line({-1.5, 0, 1.25}, {title = "-1.5 (2) 3%4 #5 6"}):svg()
    for _, text in ipairs {"-1.5 (2) 3%4 #5 6", "-1", "2.5"} do
      test.is_true(numbers:find(">" .. text .. "<", 1, true), text)
    end
    local svg = figure_with("it's 100% <b>\"x\"</b> & _{y} `z` \\n"):svg()
    test.is_true(svg:find("it's 100% &lt;b>\"x\"&lt;/b> &amp; _{y} `z` \\n", 1, true))
    test.is_false(svg:find("<b>", 1, true) ~= nil)
    test.is_true(figure_with("<script>alert(1)</script>"):svg():find "<script" == nil)
    svg = plot.line({1}, {title = "first\nsecond"}):svg()
    test.is_true(svg:find "first%s*<" and svg:find "second%s*<")
  end)
  it("may be bytes of an image, too", function()
    needs_gnuplot()
    local mark = folder() .. "/ran"
    local command = ("\nsystem 'touch %s'\n"):format(mark)
    command = command .. ("#"):rep(-#command % 3)
    local bytes = {{{}}, {{}}, {{}}}
    for i = 1, #command do table.insert(bytes[(i - 1) % 3 + 1][1], command:byte(i)) end
    local picture = tide.tensor(bytes):to "uint8"
    test.is_true(script_of(plot.image(picture), "png"):find(command, 1, true))
    for _, format in ipairs {"png", "svg", "pdf"} do
      plot.image(picture):save(folder() .. "/picture." .. format)
      test.is_false(exists(mark))
    end
  end)
end)

describe("images of figures", function(device)
  local folder = own_folder()

  it("show their subject", function()
    needs_gnuplot()
    local path = folder() .. "/picture.png"
    plot.figure {size = {300, 300}}:image(tide.tensor({{{1.0}}, {{0}}, {{0}}}, {device = device})):save(path)
    equal(tide.vision.read_image(path)[{{}, 150, 150}]:tolist(), {255, 0, 0})
    local shades = tide.tensor({{0.0, 1}, {0, 1}}, {device = device})
    plot.figure {size = {300, 300}}:heatmap(shades, {cmap = "gray"}):save(path)
    local pixels = tide.vision.read_image(path)
    equal({pixels[{1, 150, 100}]:item(), pixels[{1, 150, 200}]:item()}, {0, 255})
  end)
end)

describe("files of figures", function()
  local folder = own_folder()

  it("are images of their format and size", function()
    needs_gnuplot()
    local figure = plot.figure {size = {300, 200}}:line(tide.rand(20))
    for ending, start in pairs {svg = "<?xml", png = "\x89PNG", pdf = "%PDF", PNG = "\x89PNG"} do
      local path = ("%s/it's `a` figure.%s"):format(folder(), ending)
      figure:save(path)
      equal(contents(path):sub(1, #start), start)
    end
    equal(tide.vision.read_image(folder() .. "/it's `a` figure.png").shape, {3, 200, 300})
    equal(figure:svg(), contents(folder() .. "/it's `a` figure.svg"))
  end)
  it("can be drawn of anything", function()
    needs_gnuplot()
    local nan = 0 / 0
    for _, figure in ipairs {
      plot.figure(), plot.line {}, plot.line {1}, plot.line {nan}, plot.scatter {1e308, -1e308}, plot.hist {nan},
      plot.line({-1, 0}, {yscale = "log", xscale = "log"}), plot.bar({}, {}), plot.heatmap {{nan, nan}},
      plot.heatmap {{1}},
      plot.contour {{1}}, plot.contour {{1, 2}, {3, nan}}, plot.errorbar({1}, {nan}, {yerr = 1}),
      plot.heatmap {{1e308, -1e308}, {1 / 0, 0}}, plot.hist {1e308, -1e308},
      plot.errorbar({1, 2}, {1, 2}, {yerr = 5, yscale = "log"}), plot.hist({1, 2, 2}, {yscale = "log"}),
      plot.line({1, 2, 3}, {ylim = {1.5, 1.6}}), plot.image(tide.rand(1, 1, 700)), plot.line {1 - 1e-15, 1 + 1e-15},
      plot.subplots(3, 4, {size = {50, 50}}),
    } do
      test.is_true(figure:svg():find("</svg>", 1, true), tostring(figure))
    end
  end)
  it("have a name with a known extension, in an existing folder", function()
    local figure = plot.line {1}
    raises("save: 'loss.gif': expected a name ending in .pdf, .png or .svg", figure.save, figure, "loss.gif")
    raises("save: argument 1 (path): expected string, got nothing", figure.save, figure)
    needs_gnuplot()
    raises("/none/loss.svg", figure.save, figure, folder() .. "/none/loss.svg")
  end)
  it("are not changed if gnuplot fails", function()
    local path = folder() .. "/loss.svg"
    local file <close> = assert(io.open(path, "w"))
    file:write "old"
    file:close()
    local fake = assert(io.open(folder() .. "/gnuplot", "w"))
    fake:write "#!/bin/sh\necho half a picture\necho 'no such terminal' >&2\nexit 3\n"
    fake:close()
    os.execute(("chmod +x '%s/gnuplot'"):format(folder()))
    local script = ([[-e 'local y = {}; for i = 1, 50000 do y[i] = i %% 100 end
      print(pcall(function() tide.plot.heatmap(tide.rand(1000, 1000)):save("%s") end))']]):format(path)
    local output = run(script, ("PATH='%s:/usr/bin:/bin'"):format(folder()))
    test.is_true(output:find("save: gnuplot failed with status 3: no such terminal", 1, true), output)
    equal(contents(path), "old")
  end)
  it("need gnuplot", function()
    local script = [[-e 'local figure = tide.plot.line{1, 2}
      print(pcall(figure.save, figure, "x.svg")); print(pcall(figure.svg, figure)); figure:show()']]
    local output = run(script, "PATH=")
    test.is_true(output:find("save: gnuplot is not installed (on Debian: apt-get install gnuplot-nox): " ..
      "use fig:text()", 1, true))
    test.is_true(output:find("svg: gnuplot is not installed", 1, true))
    test.is_true(output:find("⣀", 1, true))
  end)
  it("are not written in the sandbox, which starts no programs", function()
    local output = run [[--sandbox -e 'local figure = tide.plot.line{1, 2}
      print(pcall(figure.save, figure, tide.scratch() .. "/x.svg")); figure:show()']]
    test.is_true(output:find("save: gnuplot is not available: the sandbox cannot start programs: " ..
      "use fig:text()", 1, true))
    test.is_true(output:find("⣀", 1, true))
  end)
  it("leave no temporary files", function()
    needs_gnuplot()
    local output = run(([[-e 'tide.plot.line({1, 2}):save("%s/a.svg")']]):format(folder()))
    equal(output, "")
  end)
end)

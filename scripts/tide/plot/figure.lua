-- A figure: panels in rows and columns, and its outputs: files, SVG, the terminal.
local class = require "tide.internal.class"
local describe = require "tide.plot.describe"
local display = require "tide.display"
local draw_text = require "tide.plot.text"
local escape_markup = require "tide.internal.escape_markup"
local gnuplot = require "tide.plot.gnuplot"
local methods = require "tide.internal.declare.methods"
local native = require "tide.native"
local notebook = require "tide.display.notebook"
local options = require "tide.plot.options"
local Panel = require "tide.plot.panel"
local raise = require "tide.internal.raise"
local show = require "tide.plot.show"

-- Fields: the panels by position, row after row; rows, columns; size (pixels); title (above several
-- panels).
local Figure = class "Figure"

--- Makes a figure of empty panels. `axes` are checked options.
function Figure:init(rows, columns, size, axes)
  self.rows, self.columns, self.size = rows, columns, size
  for i = 1, rows * columns do self[i] = Panel() end
  if #self > 1 then self.title, axes.title = axes.title, nil end
  for _, panel in ipairs(self) do panel:apply(axes) end
end

--- An empty figure.
---@use plot: size = {640, 480}
---@use axes
---@example
--- tostring(tide.plot.figure{size = {300, 200}}) --> "figure 300 x 200: empty"
local read_figure = options.reader "plot.figure"

function Figure.new(...)
  local given, axes = read_figure(...)
  return Figure(1, 1, given.size, axes)
end

--- A figure of several panels, fig[1], fig[2], ... row by row, which have the methods of a figure. The title is shown
--- above all panels; options of the axes apply to each panel.
---@param rows integer in [1, 50]  rows of panels
---@param columns integer in [1, 50]  columns of panels
---@use plot: size = {640, 480}
---@use axes
---@example
--- local fig = tide.plot.subplots(1, 2)
--- fig[2]:line{1, 2}
--- tostring(fig) --> "figure 640 x 480: [1] empty; [2] line (2 points)"
local read_subplots = options.reader "plot.subplots"

function Figure.subplots(...)
  local given, axes = read_subplots(...)
  return Figure(given.rows, given.columns, given.size, axes)
end

-- Output ------------------------------------------------------------------------------------------

--- A description of the figure: "loss: line (100 points)".
local function described(self)
  local parts = {}
  for i, panel in ipairs(self) do
    local title = panel.options.title
    parts[i] = (title and title .. ": " or "") .. panel:summary()
  end
  return (self.title and self.title .. ": " or "") .. table.concat(parts, "; ")
end

--- The figure as the bytes of an image file.
local function rendered(self, caller, format, size)
  size = size or self.size
  -- Lines and points are at least two pixels wide.
  local description = describe(self, size[1] // 2, size[2] // 2)
  local picture = gnuplot.run(caller, gnuplot.script(description, format, size))
  if format ~= "svg" then return picture end
  local text = escape_markup(described(self)):gsub("%%", "%%%%")
  -- For screen readers: gnuplot's own title is "Gnuplot".
  return (picture:gsub("<svg", '<svg role="img"', 1):gsub("<title>.-</title>", "<title>" .. text .. "</title>", 1))
end

--- The figure as SVG text, drawn by gnuplot.
---@example
--- tide.plot.line{1, 4, 9}:svg():match("<svg") --> "<svg"
function Figure:svg() return rendered(self, "svg", "svg") end

local kFormats <const> = {svg = "svg", png = "png", pdf = "pdf"}

--- Saves the figure to an image file, drawn by gnuplot (on Debian: gnuplot-nox). The file is replaced atomically.
---@param path string  name of the file, ending in .svg, .png or .pdf
---@example
--- local path = os.tmpname()
--- tide.plot.line{1, 4, 9}:save(path .. ".png")
--- local x = #tide.vision.read_image(path .. ".png")
--- os.remove(path)
--- os.remove(path .. ".png")
--- x --> 3
function Figure:save(path)
  local format = kFormats[(path:match "%.(%w+)$" or ""):lower()]
  if not format then
    raise("save: '%s': expected a name ending in .pdf, .png or .svg", path)
  end
  native.write_file(path, rendered(self, "save", format))
end

--- The figure as text, as shown in a terminal.
---@param columns integer in [20, 1000] = 80  maximum number of characters per line
---@param rows integer in [5, 1000] = 24  maximum number of lines
---@param color boolean = false  use terminal colors
---@example
--- local fig = tide.plot.heatmap({{1, 20}, {3, 4}}, {annotate = true})
--- fig:text{columns = 20, rows = 5}:match "[^\n]*" --> "1┤ 1   20"
function Figure:text(columns, rows, color) return draw_text(self, columns, rows, color) end

--- The figure for a notebook: SVG if gnuplot is installed, else text.
function Figure:__mimebundle()
  if gnuplot.is_available() then return {["image/svg+xml"] = self:svg()} end
  return {["text/plain"] = self:text()}
end

--- Shows the figure: as an image in a notebook, or in a terminal that supports images (kitty, sixel), if gnuplot is
--- installed, else as text.
---@example
--- tide.plot.figure{size = {640, 200}}:line{1, 4, 9}:show()
function Figure:show()
  if notebook.show then return display(self) end
  local way, terminal = show.way()
  local shown
  if way ~= "text" and gnuplot.is_available() then
    local format = way == "kitty" and "png" or "sixel"
    shown = show.picture(way, rendered(self, "show", format, show.pixels(terminal, self.size)))
  else
    local columns, rows = show.cells(terminal, self.size)
    shown = draw_text(self, columns, rows, terminal ~= nil and terminal.color) .. "\n"
  end
  io.write(shown)
  io.stdout:flush()
end

function Figure:__tostring()
  local size = ("figure %d x %d: "):format(self.size[1], self.size[2])
  if #self == 1 then return size .. self[1]:summary() end
  local parts = {}
  for i, panel in ipairs(self) do parts[i] = ("[%d] %s"):format(i, panel:summary()) end
  return size .. table.concat(parts, "; ")
end

methods(Figure, "figure")

-- Figures of one panel -----------------------------------------------------------------------------

--- The only panel of a figure.
local function only_panel(self, name)
  if #self > 1 then
    raise("%s: the figure has %d panels: fig[1]:%s(...) applies to the first", name, #self, name)
  end
  return self[1]
end

--- Defines the declared method, "figure:line", as the method of the only panel.
local function delegate(declared)
  local name = declared:match "[%w_]+$"
  Figure[name] = function(self, ...)
    local panel = only_panel(self, name)
    panel[name](panel, ...)
    return self
  end
end

--- Adds a line to the figure: see tide.plot.line.
---@like plot.line in plot/kinds.lua
---@example
--- local fig = tide.plot.figure()
--- fig:line({1, 4, 9}, {label = "squares"})
--- tostring(fig) --> "figure 640 x 480: line 'squares' (3 points)"
delegate "figure:line"

--- Adds points to the figure: see tide.plot.scatter.
---@like plot.scatter in plot/kinds.lua
---@example
--- local fig = tide.plot.figure()
--- fig:scatter({1, 2, 3}, {2, 1, 3})
--- tostring(fig) --> "figure 640 x 480: scatter (3 points)"
delegate "figure:scatter"

--- Adds a line with error bars to the figure: see tide.plot.errorbar.
---@like plot.errorbar in plot/kinds.lua
---@example
--- local fig = tide.plot.figure()
--- fig:errorbar({1, 2}, {3, 5}, {yerr = 0.5})
--- tostring(fig) --> "figure 640 x 480: errorbar (2 points)"
delegate "figure:errorbar"

--- Adds a histogram to the figure: see tide.plot.hist.
---@like plot.hist in plot/kinds.lua
---@example
--- local fig = tide.plot.figure()
--- fig:hist(tide.range(1, 9), {bins = 3})
--- tostring(fig) --> "figure 640 x 480: hist (9 points)"
delegate "figure:hist"

--- Adds bars to the figure: see tide.plot.bar.
---@like plot.bar in plot/kinds.lua
---@example
--- local fig = tide.plot.figure()
--- fig:bar({"cpu", "gpu"}, {1, 8})
--- tostring(fig) --> "figure 640 x 480: bar (2 points)"
delegate "figure:bar"

--- Adds a heatmap to the figure: see tide.plot.heatmap.
---@like plot.heatmap in plot/kinds.lua
---@example
--- local fig = tide.plot.figure()
--- fig:heatmap({{1, 2}, {3, 4}}, {annotate = true})
--- tostring(fig) --> "figure 640 x 480: heatmap (2 x 2)"
delegate "figure:heatmap"

--- Adds an image to the figure: see tide.plot.image.
---@like plot.image in plot/kinds.lua
---@example
--- local fig = tide.plot.figure()
--- fig:image(tide.rand(3, 8, 8))
--- tostring(fig) --> "figure 640 x 480: image (3 x 8 x 8)"
delegate "figure:image"

--- Adds contour lines to the figure: see tide.plot.contour.
---@like plot.contour in plot/kinds.lua
---@example
--- local fig = tide.plot.figure()
--- fig:contour({{0, 1}, {1, 2}}, {levels = {1}})
--- tostring(fig) --> "figure 640 x 480: contour (2 x 2)"
delegate "figure:contour"

delegate "figure:set" -- declared in panel.lua
delegate "figure:legend"

return Figure

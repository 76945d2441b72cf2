-- A figure: panels in rows and columns, and where they go: files, SVG, the terminal.
local class = require "tide.internal.class"
local describe = require "tide.plot.describe"
local display = require "tide.display"
local draw_text = require "tide.plot.text"
local escape_markup = require "tide.internal.escape_markup"
local gnuplot = require "tide.plot.gnuplot"
local kind_of = require "tide.internal.kind_of"
local kinds = require "tide.plot.kinds"
local native = require "tide.native"
local notebook = require "tide.display.notebook"
local options = require "tide.plot.options"
local Panel = require "tide.plot.panel"
local raise = require "tide.internal.raise"
local show = require "tide.plot.show"

-- Fields: the panels by position, row after row; rows, columns; size (pixels); title (above several
-- panels).
local Figure = class "Figure"

local kSize <const> = {640, 480}

--- Makes a figure of empty panels; `given` are options that were read.
function Figure:init(rows, columns, given)
  self.rows, self.columns, self.size = rows, columns, given.size or kSize
  given.size = nil
  for i = 1, rows * columns do self[i] = Panel() end
  if #self == 1 then
    self[1]:apply(given)
  else
    self.title, given.title = given.title, nil
    for _, panel in ipairs(self) do panel:apply(given) end
  end
end

local read_figure = options.panel_reader("figure", {{"size"}})
local read_subplots = options.panel_reader("subplots", {{"size"}})

--- tide.plot.figure{size = {640, 480}, title =, xlabel =, ...}
function Figure.new(given) return Figure(1, 1, read_figure(given)) end

--- tide.plot.subplots(rows, columns, {size =, title =, ...})
function Figure.subplots(rows, columns, given)
  for name, count in pairs {rows = rows or false, columns = columns or false} do
    if math.type(count) ~= "integer" or count < 1 or count > 50 then
      raise("subplots: %s: expected a whole number from 1 to 50, got %s", name,
        count and tostring(count) or "nil")
    end
  end
  return Figure(rows, columns, read_subplots(given))
end

--- The only panel of a figure.
local function only_panel(self, name)
  if #self > 1 then
    raise("%s: the figure has %d panels: fig[1]:%s(...) is of the first", name, #self, name)
  end
  return self[1]
end

local function delegate(name)
  Figure[name] = function(self, ...)
    local panel = only_panel(self, name)
    panel[name](panel, ...)
    return self
  end
end

for name in pairs(kinds) do delegate(name) end
delegate "set"
delegate "legend"

-- What becomes of it ------------------------------------------------------------------------------

--- What the figure shows, in words: "loss: line (100 points)".
local function described(self)
  local parts = {}
  for i, panel in ipairs(self) do
    local title = panel.options.title
    parts[i] = (title and title .. ": " or "") .. panel:summary()
  end
  return (self.title and self.title .. ": " or "") .. table.concat(parts, "; ")
end

--- The figure as a picture file's bytes.
local function rendered(self, caller, format, size)
  size = size or self.size
  -- Lines and points are at least two pixels wide.
  local description = describe(self, size[1] // 2, size[2] // 2)
  local picture = gnuplot.run(caller, gnuplot.script(description, format, size))
  if format ~= "svg" then return picture end
  local text = escape_markup(described(self)):gsub("%%", "%%%%")
  -- For readers who hear pages: gnuplot's own title is its name.
  return (picture:gsub("<svg", '<svg role="img"', 1):gsub("<title>.-</title>", "<title>" .. text .. "</title>", 1))
end

--- The text of an SVG picture.
function Figure:svg() return rendered(self, "svg", "svg") end

local kFormats <const> = {svg = "svg", png = "png", pdf = "pdf"}

--- Writes an .svg, .png or .pdf file, as its name ends.
function Figure:save(path)
  if type(path) ~= "string" then raise("save: path: expected a string, got %s", kind_of(path)) end
  local format = kFormats[(path:match "%.(%w+)$" or ""):lower()]
  if not format then
    raise("save: '%s': expected a name that ends in .pdf, .png or .svg", path)
  end
  native.write_file(path, rendered(self, "save", format))
end

local kText <const> = {columns = "count", rows = "count", color = "boolean"}
local read_text = require "tide.internal.arguments"("text",
  {{"columns", 80}, {"rows", 24}, {"color", false}}, kText)

--- The figure in letters: `rows` lines of at most `columns` cells.
function Figure:text(...)
  local given = read_text(...)
  if given.columns < 20 or given.rows < 5 or given.columns > 1000 or given.rows > 1000 then
    raise("text: expected 20 to 1000 columns and 5 to 1000 rows, got %d and %d", given.columns,
      given.rows)
  end
  return draw_text(self, given.columns, given.rows, given.color)
end

--- Its forms in a notebook: a picture if gnuplot is there, else letters.
function Figure:__mimebundle()
  if gnuplot.is_available() then return {["image/svg+xml"] = self:svg()} end
  return {["text/plain"] = self:text()}
end

--- Shows the figure: in a notebook in its cell, else in the terminal: as a picture if it can and
--- gnuplot is there, else in letters.
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

return Figure

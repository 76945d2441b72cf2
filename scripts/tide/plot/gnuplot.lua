-- Draws descriptions of figures by gnuplot: SVG, PNG, PDF and sixel.
--
-- gnuplot reads its script from standard input, and exits at the first error. In user strings, every
-- character that could be special is escaped; numbers are in data blocks; cells of images follow the
-- command, which specifies their number, as bytes.
local clean = require "tide.plot.clean"
local colors = require "tide.plot.colors"
local raise = require "tide.internal.raise"
local ticks = require "tide.plot.ticks"
local with_decimal_point = require "tide.internal.with_decimal_point"

local gnuplot = {}

-- The script --------------------------------------------------------------------------------------

--- A text as a gnuplot string: special characters are written as \ooo, and so are the digits after
--- them, which gnuplot would read as part of the octal number.
local function quoted(text)
  local lines = {}
  for line in (text .. "\n"):gmatch "(.-)\r?\n" do lines[#lines + 1] = clean(line) end
  local escaped = table.concat(lines, "\n"):gsub("[^%w \x80-\xff]%d*", function(letters)
    return (letters:gsub(".", function(letter) return ("\\%03o"):format(letter:byte()) end))
  end)
  return '"' .. escaped .. '"'
end

--- Tick labels are formats, so percent signs are doubled.
local function tick_list(axis, most)
  local parts = {}
  for i, tick in ipairs(ticks.of(axis, most)) do
    parts[i] = ("%s %.15g"):format(quoted((tick.text:gsub("%%", "%%%%"))), tick.at)
  end
  return "(" .. table.concat(parts, ", ") .. ")"
end

-- Collects the lines of a script. Fields: blocks (number of data blocks); bytes (data after the next
-- command); vectors (whether the format is a vector format).
local Script = {}
Script.__index = Script

function Script:line(format, ...)
  self[#self + 1] = select("#", ...) > 0 and format:format(...) or format
end

--- Adds a block of `count` rows, row(i) each, and returns its name.
function Script:block(count, row)
  self.blocks = self.blocks + 1
  local name = "$d" .. self.blocks
  self:line("%s << END", name)
  for i = 1, count do self[#self + 1] = row(i) end
  self:line "END"
  return name
end

local function number(value)
  if value ~= value then return "NaN" end
  return ("%.9g"):format(value)
end

--- Numbers as a row of a block.
local function row_of(...)
  local texts = {...}
  for i, value in ipairs(texts) do texts[i] = number(value) end
  return table.concat(texts, " ")
end

local kDashes <const> = {solid = 1, dashed = 2, dotted = 3}
local kPoints <const> = {["o"] = 7, ["."] = 7, ["x"] = 2, ["+"] = 1, ["s"] = 5, ["^"] = 9}

local function point_style(mark)
  local size = mark.size / 8 * (mark.marker == "." and 0.5 or 1)
  return ("pt %d ps %.3g"):format(kPoints[mark.marker], size)
end

--- Each function returns the arguments of `plot`, several results for several parts.
local parts_of = {}

local function xy_block(script, mark)
  return script:block(#mark.x, function(i)
    return mark.x[i] == mark.x[i] and row_of(mark.x[i], mark.y[i]) or "" -- a gap
  end)
end

function parts_of.line(script, mark)
  local style = ("lw %.3g dt %d lc rgb '%s'"):format(mark.width, kDashes[mark.style], mark.color)
  local block = xy_block(script, mark)
  if #mark.x == 1 then mark.marker = mark.marker or "." end -- a line of one point would be invisible
  if not mark.marker then return ("%s using 1:2 with lines %s"):format(block, style) end
  return ("%s using 1:2 with linespoints %s %s"):format(block, point_style(mark), style)
end

function parts_of.points(script, mark)
  return ("%s using 1:2 with points %s lc rgb '%s'"):format(xy_block(script, mark),
    point_style(mark), mark.color)
end

function parts_of.segments(script, mark)
  local colored = mark.values ~= nil
  local block = script:block(#mark.x1, function(i)
    local value = colored and mark.values[i] or nil
    local from, to = row_of(mark.x1[i], mark.y1[i], value), row_of(mark.x2[i], mark.y2[i], value)
    return from .. "\n" .. to .. "\n"
  end)
  if colored then
    return ("%s using 1:2:3 with lines lw %.3g lc palette"):format(block, mark.width)
  end
  return ("%s using 1:2 with lines lw 1.5 lc rgb '%s'"):format(block, mark.color)
end

function parts_of.boxes(script, mark, panel)
  local base = panel.y.log and panel.y.low or 0
  local block = script:block(#mark.top, function(i)
    local left, right, top = mark.left[i], mark.right[i], mark.top[i]
    return row_of((left + right) / 2, top, left, right, math.min(base, top), math.max(base, top))
  end)
  return ("%s using 1:2:3:4:5:6 with boxxyerror lc rgb '%s' fs transparent solid 0.6 "
    .. "border rgb '%s'"):format(block, mark.color, mark.color)
end

local kSharp <const> = 256 -- cells along the longer side of an image in a vector format

--- The arguments of `plot` for an image; its cells, cell(i) each, are bytes after the command.
--- Vector viewers smooth images, so small ones repeat their cells to keep edges sharp. gnuplot needs at
--- least two rows and columns.
local function image(script, mark, format, style, cell)
  local factor = script.vectors and math.max(1, kSharp // math.max(mark.rows, mark.columns)) or 1
  local rows, columns = math.max(mark.rows * factor, 2), math.max(mark.columns * factor, 2)
  for row = 0, rows - 1 do
    local first, bytes = row * mark.rows // rows * mark.columns, {}
    for column = 0, columns - 1 do
      bytes[column + 1] = cell(first + column * mark.columns // columns + 1)
    end
    script.bytes[#script.bytes + 1] = table.concat(bytes)
  end
  local dx, dy = mark.width / columns, mark.height / rows
  local geometry = ("array=(%d,%d) dx=%.15g dy=%.15g origin=(%.15g,%.15g)"):format(columns, rows,
    dx, dy, 0.5 + dx / 2, 0.5 + dy / 2)
  return ("'-' binary endian=little %s format='%s' using %s"):format(geometry, format, style)
end

--- A text color 0xrrggbb that is readable on the color of a value.
local function text_color(bar, scale, value)
  local share = value == value and (value - bar.low) / (bar.high - bar.low) or 0
  return colors.is_bright(scale(share)) and 0 or 0xffffff
end

function parts_of.cells(script, mark, panel)
  local grid = image(script, mark, "%float64", "1 with image", function(i)
    return ("<d"):pack(mark.values[i])
  end)
  if not mark.texts then return grid end
  local bar, scale = panel.color_bar, colors.scale(panel.color_bar.points)
  local texts = script:block(#mark.texts, function(i)
    local x = ((i - 1) % mark.columns + 0.5) / mark.columns * mark.width + 0.5
    local y = ((i - 1) // mark.columns + 0.5) / mark.rows * mark.height + 0.5
    local color = text_color(bar, scale, mark.values[i])
    return ('%s "%s" %d'):format(row_of(x, y), mark.texts[i], color)
  end)
  return grid, ("%s using 1:2:3:4 with labels tc rgb variable"):format(texts)
end

function parts_of.pixels(script, mark)
  return image(script, mark, "%uint8%uint8%uint8", "1:2:3 with rgbimage", function(i)
    return string.char(table.unpack(mark.values, 3 * i - 2, 3 * i))
  end)
end

local function axis(script, name, of, bare)
  if of.label then script:line("set %slabel %s", name, quoted(of.label)) end
  local from, to = of.low, of.high
  if of.reversed then from, to = to, from end
  if of.log then script:line("set logscale %s", name) end
  script:line("set %srange [%.15g:%.15g]", name, from, to)
  if bare and not of.given then
    script:line("unset %stics", name)
  else
    script:line("set %stics %s", name, tick_list(of, of.given and 0 or name == "x" and 7 or 6))
  end
end

local function palette(script, bar)
  local parts = {}
  for i, point in ipairs(bar.points) do parts[i] = ("%d '%s'"):format(i, point) end
  script:line("set palette defined (%s)", table.concat(parts, ", "))
  script:line("set cbrange [%.15g:%.15g]", bar.low, bar.high)
  script:line("set cbtics %s", tick_list(bar, 6))
  if not bar.shown then script:line "unset colorbox" end
end

local function write_panel(script, panel)
  script:line "reset"
  if panel.title then script:line("set title %s", quoted(panel.title)) end
  axis(script, "x", panel.x, panel.bare)
  axis(script, "y", panel.y, panel.bare)
  if panel.square then script:line "set size ratio -1" end
  if panel.grid then script:line "set grid lc rgb '#dddddd'" end
  if panel.color_bar then palette(script, panel.color_bar) end
  if panel.legend then
    local vertical, horizontal = panel.legend:match "(%a+) (%a+)"
    script:line("set key %s %s", vertical == "upper" and "top" or "bottom", horizontal)
  end
  script:line "set clip two"
  local parts = {}
  for _, mark in ipairs(panel.marks) do
    local label = panel.legend and mark.label and "title " .. quoted(mark.label) or "notitle"
    local empty = #(mark.x or mark.x1 or mark.top or mark.values) == 0
    local drawn = empty and {("NaN with lines lc rgb '%s'"):format(mark.color or "#000000")}
      or {parts_of[mark.kind](script, mark, panel)}
    for i, part in ipairs(drawn) do
      parts[#parts + 1] = part .. " " .. (i == 1 and label or "notitle")
    end
  end
  script[#script + 1] = "plot " .. (#parts > 0 and table.concat(parts, ", ") or "NaN notitle")
  if #script.bytes > 0 then script[#script + 1] = table.concat(script.bytes) end
  script.bytes = {}
end

local kTerminals <const> = {
  svg = "svg size %d,%d noenhanced font 'sans,12' background rgb '#ffffff'",
  png = "pngcairo size %d,%d noenhanced font 'sans,10'",
  sixel = "sixelgd size %d,%d noenhanced truecolor",
}
local kPixelsPerInch <const> = 96

--- The script that draws a described figure in a format: svg, png, pdf or sixel.
gnuplot.script = with_decimal_point(function(figure, format, size)
  local vectors = format == "svg" or format == "pdf"
  local script = setmetatable({blocks = 0, bytes = {}, vectors = vectors}, Script)
  script:line "set encoding utf8"
  if format == "pdf" then
    script:line("set terminal pdfcairo size %.4gin,%.4gin noenhanced font 'sans,10'",
      size[1] / kPixelsPerInch, size[2] / kPixelsPerInch)
  else
    script:line("set terminal " .. kTerminals[format], size[1], size[2])
  end
  if #figure.panels > 1 then
    script:line("set multiplot layout %d,%d%s", figure.rows, figure.columns,
      figure.title and " title " .. quoted(figure.title) or "")
  end
  for _, panel in ipairs(figure.panels) do write_panel(script, panel) end
  if #figure.panels > 1 then script:line "unset multiplot" end
  return table.concat(script, "\n") .. "\n"
end)

-- The program -------------------------------------------------------------------------------------

-- The first two lines of the input are the names of the files. All input is always read, and only tide
-- receives interrupts: otherwise writing to the pipe could terminate tide.
local kCommand <const> = [[
trap '' INT
IFS= read -r output
IFS= read -r errors
gnuplot -d >"$output" 2>"$errors"
status=$?
while read -r line; do :; done
exit $status]]

local function contents(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read "a"
end

--- A temporary file's name; the file is removed when the value is closed.
local function temporary()
  return setmetatable({name = os.tmpname()}, {__close = function(self) os.remove(self.name) end})
end

--- Whether gnuplot is installed; nil where processes are not allowed.
function gnuplot.is_available()
  local started, pipe = pcall(io.popen, "command -v gnuplot")
  if not started or not pipe then return nil end
  pipe:read "a"
  return pipe:close() == true
end

--- Runs a script and returns gnuplot's output.
function gnuplot.run(caller, script)
  local available = gnuplot.is_available()
  if not available then
    raise("%s: gnuplot is %s: use fig:text()", caller, available == nil
      and "not available: the sandbox cannot start programs"
      or "not installed (on Debian: apt-get install gnuplot-nox)")
  end
  local output <close> = temporary()
  local errors <close> = temporary()
  local pipe <close> = assert(io.popen(kCommand, "w"))
  pipe:write(output.name, "\n", errors.name, "\n", script)
  local succeeded, _, status = pipe:close()
  local picture = contents(output.name)
  if not succeeded or picture == "" then
    local message = contents(errors.name):gsub("%s+", " "):sub(1, 300)
    raise("%s: gnuplot failed with status %s: %s", caller, tostring(status), message)
  end
  return picture
end

return gnuplot

-- The kinds of series: the arguments of each, and the marks that draw it.
--
-- A kind has `read`, which returns the options of a series and of its axes; `make(caller, given)`,
-- which checks the data and returns the series: {kind, label, color, data}, with everything `marks`
-- needs; and `marks(series, add)`, which calls add(mark) for each mark once the data have been read.
-- The back ends draw these marks:
--
--   line: x, y, color, width, style, marker, size    points joined by a line, nan is a gap
--   points: x, y, color, marker, size
--   segments: x1, y1, x2, y2, color or values        separate line segments
--   boxes: left, right, top, color                   boxes starting at 0
--   cells: rows, columns, values, optional texts     numbers as colors of a palette
--   pixels: rows, columns, values                    red, green and blue, 0 to 255, of each cell
--
-- Cell (row, column) of the last two is centered at y = row, x = column.
local contour = require "tide.plot.contour"
local data = require "tide.plot.data"
local kind_of = require "tide.internal.kind_of"
local options = require "tide.plot.options"
local raise = require "tide.internal.raise"
local ticks = require "tide.plot.ticks"
local tide = require "tide"

local kinds = {}

--- The positions 1, 2, ..., count.
local function positions(count)
  local list = {}
  for i = 1, count do list[i] = i + 0.0 end
  return {shape = {count}, numbers = list}
end

local function check_lengths(caller, x, y, name)
  if x.shape[1] ~= y.shape[1] then
    raise("%s: x and %s differ in length: %d and %d", caller, name, x.shape[1], y.shape[1])
  end
end

--- Whether the value after `first` is data, not a table of options. An empty table is data if both are
--- empty tables.
local function is_data(value, first)
  if tide.is_tensor(value) then return true end
  if type(value) ~= "table" or getmetatable(value) then return value ~= nil end
  return #value > 0 or next(value) == nil and type(first) == "table" and next(first) == nil
end

--- If only one data argument is passed, reads it as y, with x omitted.
local function with_x(read)
  return function(...)
    local first, second = ...
    if is_data(second, first) then return read(...) end
    return read(nil, ...)
  end
end

local function take_xy(caller, given)
  local y = data.take(caller, "y", given.y, {1})
  local x = given.x == nil and positions(y.shape[1]) or data.take(caller, "x", given.x, {1})
  check_lengths(caller, x, y, "y")
  return {x = x, y = y}
end

--- The mark of points or a line.
local function drawn(series, kind)
  return {
    kind = kind, x = series.data.x.numbers, y = series.data.y.numbers, color = series.color,
    width = series.linewidth, style = series.linestyle, marker = series.marker, size = series.markersize,
  }
end

--- Defines the kind declared as `name`, "plot.line".
local function define(name, kind)
  local read = options.reader(name)
  kind.read = kind.has_x and with_x(read) or read
  kinds[name:match "[%w_]+$"] = kind
end

-- Points and lines --------------------------------------------------------------------------------

--- Draws a line through points: line(y) or line(x, y). A nan leaves a gap.
---@use plot: x, y, label = nil, color = nil, linewidth = 1.5, linestyle = "-", marker = nil, markersize = 6
---@use axes
---@example
--- tostring(tide.plot.line({1, 4, 9}, {label = "squares"})) --> "figure 640 x 480: line 'squares' (3 points)"
define("plot.line", {
  colored = true,
  has_x = true,
  make = function(caller, given)
    given.data = take_xy(caller, given)
    return given
  end,
  marks = function(series, add) add(drawn(series, "line")) end,
})

--- Draws points: scatter(y) or scatter(x, y).
---@use plot: x, y, label = nil, color = nil, marker = "o", markersize = 6
---@use axes
---@example
--- tostring(tide.plot.scatter({1, 2, 3}, {2, 1, 3})) --> "figure 640 x 480: scatter (3 points)"
define("plot.scatter", {
  colored = true,
  has_x = true,
  make = function(caller, given)
    given.data = take_xy(caller, given)
    return given
  end,
  marks = function(series, add) add(drawn(series, "points")) end,
})

--- Reads the sizes of errors: a number, one for each point, or a row below and a row above.
local function take_error(caller, name, value, count)
  if value == nil then return nil end
  if type(value) == "number" then
    value = tide.full({count}, value, {dtype = "float64", device = "cpu"})
  end
  local taken = data.take(caller, name, value, {1, 2})
  local shape = taken.shape
  if shape[#shape] ~= count or #shape == 2 and shape[1] ~= 2 then
    raise("%s: %s: expected a number, shape (%d) or (2, %d), got (%s)", caller, name, count, count,
      table.concat(shape, ", "))
  end
  return taken
end

--- The lower and upper errors of point i.
local function reach(errors, i)
  local numbers = errors.numbers
  return numbers[i], numbers[#errors.shape == 2 and errors.shape[2] + i or i]
end

--- Draws a line with error bars: errorbar(y) or errorbar(x, y).
---@use plot: x, y
---@param yerr number | tensor | table = nil  errors of y: one, one for each point, or (2, n): lower and upper
---@param xerr number | tensor | table = nil  errors of x: one, one for each point, or (2, n): lower and upper
---@use plot: label = nil, color = nil, linewidth = 1.5, linestyle = "-", marker = nil, markersize = 6
---@use axes
---@example
--- tostring(tide.plot.errorbar({1, 2}, {3, 5}, {yerr = 0.5})) --> "figure 640 x 480: errorbar (2 points)"
define("plot.errorbar", {
  colored = true,
  has_x = true,
  make = function(caller, given)
    given.data = take_xy(caller, given)
    local count = given.data.y.shape[1]
    given.data.yerr = take_error(caller, "yerr", given.yerr, count)
    given.data.xerr = take_error(caller, "xerr", given.xerr, count)
    if not given.data.yerr and not given.data.xerr then
      raise("%s: yerr or xerr is missing", caller)
    end
    return given
  end,
  marks = function(series, add)
    local x, y = series.data.x.numbers, series.data.y.numbers
    local bars = {kind = "segments", x1 = {}, y1 = {}, x2 = {}, y2 = {}, color = series.color}
    local function bar(...)
      local index = #bars.x1 + 1
      bars.x1[index], bars.y1[index], bars.x2[index], bars.y2[index] = ...
    end
    for i = 1, #x do
      if series.data.yerr then
        local below, above = reach(series.data.yerr, i)
        bar(x[i], y[i] - below, x[i], y[i] + above)
      end
      if series.data.xerr then
        local below, above = reach(series.data.xerr, i)
        bar(x[i] - below, y[i], x[i] + above, y[i])
      end
    end
    add(bars)
    add(drawn(series, "line"))
  end,
})

-- Boxes -------------------------------------------------------------------------------------------

--- The number of finite values in each of `count` equal bins of low..high, and their total.
local function counts(values, count, low, high)
  local found, total = {}, 0
  for i = 1, count do found[i] = 0.0 end
  for _, value in ipairs(values) do
    if value >= low and value <= high then
      local bin = math.min((value - low) / (high - low) * count // 1 | 0, count - 1) + 1
      found[bin], total = found[bin] + 1, total + 1
    end
  end
  return found, total
end

--- The smallest and the largest finite value, widened if equal; 0 and 1 if there is none.
local function span(values)
  local low, high = math.huge, -math.huge
  for _, value in ipairs(values) do
    if ticks.is_drawable(value) then low, high = math.min(low, value), math.max(high, value) end
  end
  if low > high then return 0.0, 1.0 end
  if low == high then return low - 0.5, high + 0.5 end
  return low, high
end

--- Draws a histogram of values.
---@param x tensor | table  the values
---@param bins integer in [1, 10000] = 10  number of equal bins
---@param range number[2] = nil  lowest and highest edge; nil: the range of the values
---@param density boolean = false  show densities instead of counts
---@param cumulative boolean = false  show in each bin the count, or with density the fraction, of the values up to it
---@use plot: label = nil, color = nil
---@use axes
---@example
--- tostring(tide.plot.hist(tide.range(1, 9), {bins = 3})) --> "figure 640 x 480: hist (9 points)"
define("plot.hist", {
  colored = true,
  make = function(caller, given)
    local x = data.take(caller, "x", given.x)
    x.shape = {data.count(x)}
    given.data = {x = x}
    return given
  end,
  marks = function(series, add)
    local values = series.data.x.numbers
    local low, high = table.unpack(series.range or {span(values)})
    local found, total = counts(values, series.bins, low, high)
    local width = (high - low) / series.bins
    local boxes = {kind = "boxes", left = {}, right = {}, top = {}, color = series.color}
    local unit = math.max(total, 1) * (series.cumulative and 1 or width) -- of a density
    local sum = 0.0
    for i, count in ipairs(found) do
      sum = series.cumulative and sum + count or count
      boxes.left[i], boxes.right[i] = low + (i - 1) * width, low + i * width
      boxes.top[i] = series.density and sum / unit or sum
    end
    add(boxes)
  end,
})

--- Whether a value is a list of names, which bars accept instead of positions.
local function are_names(value) return type(value) == "table" and type(value[1]) == "string" end

--- Draws bars, at positions or with names: bar(y) or bar(x, y).
---@param x? tensor | table  positions of the bars, or their names; nil is 1, 2, ...
---@param y tensor | table  heights of the bars
---@param width number > 0 = 0.8  width of the bars, in units of x
---@use plot: label = nil, color = nil
---@use axes
---@example
--- tostring(tide.plot.bar({"cpu", "gpu"}, {1, 8})) --> "figure 640 x 480: bar (2 points)"
define("plot.bar", {
  colored = true,
  has_x = true,
  make = function(caller, given)
    if are_names(given.x) then
      given.names = table.move(given.x, 1, #given.x, 1, {})
      given.x = positions(#given.names).numbers
    end
    given.data = take_xy(caller, given)
    return given
  end,
  marks = function(series, add)
    local x, half = series.data.x.numbers, series.width / 2
    local boxes = {kind = "boxes", left = {}, right = {}, color = series.color}
    boxes.top = series.data.y.numbers
    for i, center in ipairs(x) do boxes.left[i], boxes.right[i] = center - half, center + half end
    add(boxes)
  end,
})

-- Grids of values ---------------------------------------------------------------------------------

local kMostCells <const> = 1024 -- along a side: larger grids are averaged, on their device

--- A grid (..., rows, columns), averaged down to at most kMostCells along each side.
local function fitting(grid)
  local rows, columns = grid:size(-2), grid:size(-1)
  if rows <= kMostCells and columns <= kMostCells then return grid end
  if not grid:is_floating_point() then grid = grid:to("float32") end
  local planes = grid:reshape(1, -1, rows, columns)
  local size = {math.min(rows, kMostCells), math.min(columns, kMostCells)}
  local shape = table.move(size, 1, 2, grid:dim() - 1, grid.shape)
  return tide.nn.functional.adaptive_avg_pool2d(planes, size):reshape(shape)
end

--- Raises an error unless vmin < vmax, if both are given.
local function check_colors(caller, given)
  if given.vmin and given.vmax and given.vmin >= given.vmax then
    raise("%s: vmin must be less than vmax, got %s and %s", caller, given.vmin, given.vmax)
  end
end

--- Takes a grid of values (rows, columns), with its original size.
local function take_grid(caller, name, value)
  local is_large = tide.is_tensor(value) and value:dim() == 2 and value:numel() > 0
  local taken = data.take(caller, name, is_large and fitting(value:detach()) or value, {2})
  taken.whole = is_large and value.shape or taken.shape
  if data.count(taken) == 0 then
    raise("%s: %s: expected at least one value, got shape (%s)", caller, name,
      table.concat(taken.shape, ", "))
  end
  return taken
end

local function number_text(value)
  if value ~= value then return "" end
  return (("%.3g"):format(value):gsub("e%+?(-?)0*", "e%1"))
end

local function cells(series)
  local z = series.data.z
  local mark = {
    kind = "cells", rows = z.shape[1], columns = z.shape[2], values = z.numbers,
    height = z.whole[1], width = z.whole[2],
  }
  if series.annotate then
    mark.texts = {}
    for i, value in ipairs(z.numbers) do mark.texts[i] = number_text(value) end
  end
  return mark
end

--- Draws a matrix as colors, row 1 at the top.
---@param z tensor | table  the matrix, row by row
---@use plot: cmap = "viridis", vmin = nil, vmax = nil
---@param annotate boolean = false  write the values into the cells
---@use axes
---@example
--- tostring(tide.plot.heatmap({{1, 2}, {3, 4}}, {annotate = true})) --> "figure 640 x 480: heatmap (2 x 2)"
define("plot.heatmap", {
  has_cells = true,
  color_bar = true,
  make = function(caller, given)
    check_colors(caller, given)
    given.data = {z = take_grid(caller, "z", given.z)}
    return given
  end,
  marks = function(series, add) add(cells(series)) end,
})

--- Whether a tensor has integers from 0 to 255.
local function is_bytes(x) return not x:is_floating_point() and x.dtype ~= "bool" end

--- An image as (channels, rows, columns), with 1 or 3 channels.
local function planes_of(caller, image)
  if not tide.is_tensor(image) then
    if type(image) ~= "table" or getmetatable(image) then
      raise("%s: x: expected a tensor or a list of rows, got %s", caller, kind_of(image))
    end
    image = tide.tensor(image, {device = "cpu"})
  end
  local shape, x = image.shape, image:detach()
  if #shape == 2 then x = x:unsqueeze(1) end
  if x:dim() ~= 3 or x:size(1) ~= 1 and x:size(1) ~= 3 or x:numel() == 0 then
    local hint = ""
    if #shape == 3 and (shape[3] == 3 or shape[3] == 1) then
      hint = ": x:permute(3, 1, 2) puts channels first"
    elseif #shape == 4 then
      hint = ": x[i] is one image of a batch, and tide.vision.make_grid arranges them in a grid"
    end
    raise("%s: x: expected shape (height, width), (1, height, width) or (3, height, width), "
      .. "got (%s)%s", caller, table.concat(shape, ", "), hint)
  end
  return x
end

--- Draws an image: floats from 0 to 1, or integers from 0 to 255. A cmap for a single channel spans from its smallest
--- to its largest value.
---@param x tensor | table  (channels, height, width) or (height, width)
---@use plot: cmap = nil, vmin = nil, vmax = nil
---@use axes
---@example
--- tostring(tide.plot.image(tide.rand(3, 8, 8))) --> "figure 640 x 480: image (3 x 8 x 8)"
define("plot.image", {
  has_cells = true,
  bare = true,
  make = function(caller, given)
    check_colors(caller, given)
    local x = planes_of(caller, given.x)
    given.whole = {x:size(2), x:size(3)}
    given.is_color, given.high = x:size(1) == 3, is_bytes(x) and 255 or 1
    if given.is_color and (given.cmap or given.vmin or given.vmax) then
      raise("%s: cmap, vmin and vmax are for images of one channel, got shape (%s)", caller,
        table.concat(x.shape, ", "))
    end
    if not given.is_color then
      -- Grays are not scaled; with a palette the values' full range is used.
      local shades = given.cmap == nil
      given.cmap = given.cmap or "gray"
      given.vmin = given.vmin or shades and 0 or nil
      given.vmax = given.vmax or shades and given.high or nil
    end
    given.data = {x = data.take(caller, "x", fitting(x), {3})}
    return given
  end,
  marks = function(series, add)
    local x = series.data.x
    local rows, columns = x.shape[2], x.shape[3]
    local mark = {
      kind = "cells", rows = rows, columns = columns, values = x.numbers,
      height = series.whole[1], width = series.whole[2],
    }
    if series.is_color then
      local pixels, count = {}, rows * columns
      for i = 1, count do
        for channel = 0, 2 do
          local value = x.numbers[channel * count + i] / series.high
          value = value == value and math.min(math.max(value, 0), 1) or 0
          pixels[3 * (i - 1) + channel + 1] = (value * 255 + 0.5) // 1 | 0
        end
      end
      mark.kind, mark.values = "pixels", pixels
    end
    add(mark)
  end,
})

--- Draws contour lines of a matrix: contour(z), or contour(x, y, z) with the positions of its columns and rows.
---@param x? tensor | table  positions of the columns; or the matrix, if it is the only data
---@param y? tensor | table  positions of the rows
---@param z? tensor | table  the matrix, row by row
---@param levels integer in [1, 1000] | tensor | table = 8  number of levels, or their values
---@use plot: cmap = "viridis", vmin = nil, vmax = nil, linewidth = 1.5
---@use axes
---@example
--- tostring(tide.plot.contour({{0, 1}, {1, 2}}, {levels = {1}})) --> "figure 640 x 480: contour (2 x 2)"
define("plot.contour", {
  color_bar = true,
  make = function(caller, given)
    if given.y == nil and given.z == nil then given.x, given.z = nil, given.x end
    if given.z == nil then raise("%s: expected z, or x, y and z", caller) end
    check_colors(caller, given)
    local z = data.take(caller, "z", given.z, {2})
    local function along(name, count)
      if given[name] == nil then return positions(count) end
      local taken = data.take(caller, name, given[name], {1})
      if taken.shape[1] ~= count then
        raise("%s: %s has %d values, but z has shape (%s)", caller, name, taken.shape[1],
          table.concat(z.shape, ", "))
      end
      return taken
    end
    given.data = {z = z, y = along("y", z.shape[1]), x = along("x", z.shape[2])}
    if type(given.levels) ~= "number" then
      given.data.levels = data.take(caller, "levels", given.levels, {1})
    end
    return given
  end,
  marks = function(series, add)
    local z = series.data.z.numbers
    local levels = series.data.levels and series.data.levels.numbers
    local low, high = span(z)
    if not levels then
      levels = {}
      for i = 1, series.levels do levels[i] = low + (high - low) * i / (series.levels + 1) end
    end
    local x, y = series.data.x.numbers, series.data.y.numbers
    local mark = {kind = "segments", x1 = {}, y1 = {}, x2 = {}, y2 = {}, values = {},
      width = series.linewidth, within = {x, y}}
    for _, level in ipairs(levels) do
      contour.visit(x, y, z, level, function(...)
        local index = #mark.x1 + 1
        mark.x1[index], mark.y1[index], mark.x2[index], mark.y2[index] = ...
        mark.values[index] = level
      end)
    end
    add(mark)
  end,
})

return kinds

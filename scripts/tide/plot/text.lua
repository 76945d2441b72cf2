-- Draws figures as text: lines, points and boxes in braille, grids of values in half blocks, with
-- axes, ticks and labels.
local Grid = require "tide.plot.grid"
local describe = require "tide.plot.describe"
local draw_cells = require "tide.plot.text_cells"
local draw_marks = require "tide.plot.text_marks"
local ticks = require "tide.plot.ticks"

local function widest(list)
  local width = 0
  for _, tick in ipairs(list) do width = math.max(width, Grid.width(tick.text)) end
  return width
end

local function color_of(mark) return mark.color and tonumber(mark.color:sub(2), 16) end

local kSigns <const> = {line = "━━", points = "••"}

--- Draws the legend in one line.
local function draw_legend(grid, panel, left, last, row)
  local column = left
  for _, mark in ipairs(panel.marks) do
    if mark.label and column + 3 < last then
      grid:write(column, row, kSigns[mark.kind] or "■■", color_of(mark))
      grid:write(column + 3, row, mark.label, nil, last)
      column = column + 3 + Grid.width(mark.label) + 2
    end
  end
end

--- Draws the color bar: "0.1 ▒▒▒▒ 0.9".
local function draw_color_bar(grid, panel, left, last, row)
  local low, high = ("%.4g"):format(panel.color_bar.low), ("%.4g"):format(panel.color_bar.high)
  if left + #low + #high + 14 > last then return end
  grid:write(left, row, low)
  draw_cells.strip(grid, panel.color_bar, left + #low + 1, row, 12)
  grid:write(left + #low + 14, row, high)
end

local function draw_y_axis(grid, list, area, axis, left)
  local column = area.left - 1
  for row = area.top, area.top + area.rows - 1 do grid:set(column, row, "│") end
  for _, tick in ipairs(list) do
    local row = area.top + area:row(axis, tick.at)
    grid:set(column, row, "┤")
    local first = math.max(left, column - Grid.width(tick.text))
    grid:write(first, row, tick.text, nil, column - 1)
  end
end

local function draw_x_axis(grid, list, area, axis, left, last)
  local row = area.top + area.rows
  for column = area.left, area.left + area.columns - 1 do grid:set(column, row, "─") end
  grid:set(area.left - 1, row, "└")
  local free = left
  for _, tick in ipairs(list) do
    local column = area.left + area:column(axis, tick.at)
    grid:set(column, row, "┬")
    local width = Grid.width(tick.text)
    local first = math.max(math.min(column - width // 2, last - width + 1), left)
    if first >= free then
      grid:write(first, row + 1, tick.text, nil, last)
      free = first + width + 1
    end
  end
end

-- The area where the marks of a panel are drawn: left, top (cells, from 1), columns, rows.
local Area = {}
Area.__index = Area

local kFarthest <const> = 1e9 -- times the axis: limit for coordinates outside of it

--- The position of a value in steps from 0 to `count` - 1, from the left or the top.
local function step(axis, value, count, downward)
  local share = math.max(-kFarthest, math.min(ticks.fraction(axis, value), kFarthest))
  if (axis.reversed or false) ~= downward then share = 1 - share end
  return share * (count - 1)
end

--- The dot of a value, unrounded.
function Area:x(axis, value) return step(axis, value, 2 * self.columns, false) end
function Area:y(axis, value) return step(axis, value, 4 * self.rows, true) end

--- The cell of a value within the axis.
function Area:column(axis, value) return (self:x(axis, value) + 0.5) // 2 | 0 end
function Area:row(axis, value) return (self:y(axis, value) + 0.5) // 4 | 0 end

local function draw_panel(grid, panel, left, top, columns, rows)
  local last, bottom, title_row = left + columns - 1, top + rows - 1, top
  local bare = panel.bare and not panel.x.given and not panel.y.given
  if panel.title then top = top + 1 end
  if panel.legend then
    draw_legend(grid, panel, left, last, top)
    top = top + 1
  end
  if panel.color_bar and panel.color_bar.shown then
    draw_color_bar(grid, panel, left, last, top)
    top = top + 1
  end
  if panel.y.label and not bare then
    grid:write(left, top, panel.y.label, nil, last)
    top = top + 1
  end
  if panel.x.label and not bare then bottom = bottom - 1 end
  if not bare then bottom = bottom - 2 end
  local height = bottom - top + 1
  if height < 1 then return end
  local y_ticks = bare and {} or ticks.of(panel.y, panel.y.given and 0 or math.max(2, height // 2))
  local margin = bare and 0 or math.min(widest(y_ticks), columns // 2) + 1
  local area = setmetatable({
    left = left + margin, top = top, columns = columns - margin, rows = height,
  }, Area)
  if area.columns < 2 then return end
  draw_cells.draw(grid, panel, area) -- shrinks the area to fit a grid of values
  draw_marks(grid, panel, area)
  --- Writes a text centered above or below the area.
  local function center(row, text)
    local first = area.left + (area.columns - Grid.width(text)) // 2
    grid:write(math.max(left, math.min(first, last - Grid.width(text) + 1)), row, text, nil, last)
  end
  if panel.title then center(title_row, panel.title) end
  if bare then return end
  draw_y_axis(grid, y_ticks, area, panel.y, left)
  draw_x_axis(grid, ticks.of(panel.x, math.max(2, area.columns // 8)), area, panel.x, left, last)
  if panel.x.label then center(area.top + area.rows + 2, panel.x.label) end
end

--- Draws the figure as at most `rows` lines of text.
return function(figure, columns, rows, colored)
  local description = describe(figure, 2 * columns, 4 * rows)
  local grid, top = Grid.new(columns, rows), 1
  if description.title then
    local first = (columns - Grid.width(description.title)) // 2 + 1
    grid:write(math.max(1, first), 1, description.title)
    top = 2
  end
  grid.colored = colored
  local width, height = columns // description.columns, (rows - top + 1) // description.rows
  for i, panel in ipairs(description.panels) do
    local row, column = (i - 1) // description.columns, (i - 1) % description.columns
    local gap_x, gap_y = description.columns > 1 and 1 or 0, description.rows > 1 and 1 or 0
    draw_panel(grid, panel, 1 + column * width, top + row * height, width - gap_x, height - gap_y)
  end
  return (grid:text(colored):gsub("\n+$", ""))
end

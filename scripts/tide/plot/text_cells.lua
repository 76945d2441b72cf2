-- Draws grids of values and images: half blocks in color, shades of gray without color, or the values as
-- text if requested and they fit.
local colors = require "tide.plot.colors"
local Grid = require "tide.plot.grid"
local ticks = require "tide.plot.ticks"

local cells = {}

local kShades <const> = {" ", "░", "▒", "▓", "█"}

local function shade(share)
  return kShades[math.min(math.min(math.max(share, 0), 1) * 5 // 1 | 0, 4) + 1]
end

--- The first and the last of `size` cells, from 0, in part `i`, from 0, of `count` equal parts of an
--- axis. The cells span from 0.5 to `extent` + 0.5.
local function cells_in(axis, size, extent, i, count)
  local function cell(part)
    return (axis.low - 0.5 + (axis.high - axis.low) * part / count) * size / extent
  end
  local first = math.floor(cell(i) + 1e-9)
  return math.max(first, 0), math.min(math.max(first, math.ceil(cell(i + 1) - 1e-9) - 1), size - 1)
end

--- Returns a function from a cell (row and column of `rows` x `columns`, from 0) to the mean of the
--- mark's values there, as a color 0xrrggbb and as brightness from 0 to 1; nil without finite values.
local function sampler(mark, panel, rows, columns)
  local bar = panel.color_bar
  local channels = mark.kind == "pixels" and 3 or 1
  local scale = channels == 1 and colors.scale(bar.points)
  local function mean(row, column, channel)
    local top, bottom = cells_in(panel.y, mark.rows, mark.height, row, rows)
    local left, right = cells_in(panel.x, mark.columns, mark.width, column, columns)
    local sum, count = 0, 0
    for y = top, bottom do
      for x = left, right do
        local value = mark.values[(y * mark.columns + x) * channels + channel]
        if ticks.is_drawable(value) then sum, count = sum + value, count + 1 end
      end
    end
    return count > 0 and sum / count or nil
  end
  return function(row, column)
    if row >= rows then return nil end
    local red, green, blue, share
    if channels == 1 then
      local value = mean(row, column, 1)
      if not value then return nil end
      share = (value - bar.low) / (bar.high - bar.low)
      red, green, blue = scale(share)
    else
      red, green, blue = mean(row, column, 1), mean(row, column, 2), mean(row, column, 3)
      if not red then return nil end
      red, green, blue = red // 1 | 0, green // 1 | 0, blue // 1 | 0
      share = (0.299 * red + 0.587 * green + 0.114 * blue) / 255
    end
    return red << 16 | green << 8 | blue, share
  end
end

--- count * scale rounded to an integer number of cells.
local function scaled(count, scale) return math.max(1, (count * scale + 0.5) // 1 | 0) end

--- Shrinks the area to fit square cells; returns its number of half-block rows.
local function fit(panel, area)
  local width, height = panel.x.high - panel.x.low, panel.y.high - panel.y.low
  -- A half block is about as wide as high.
  local scale = math.min(area.columns / width, 2 * area.rows / height)
  if scale > 1 then scale = scale // 1 end
  local halves = math.min(2 * area.rows, scaled(height, scale))
  area.columns, area.rows = math.min(area.columns, scaled(width, scale)), (halves + 1) // 2
  return halves
end

local function draw_blocks(grid, mark, panel, area)
  local halves = fit(panel, area)
  local columns = area.columns
  local sample = sampler(mark, panel, halves, columns)
  for row = 0, area.rows - 1 do
    for column = 0, columns - 1 do
      local upper, upper_share = sample(2 * row, column)
      local lower, lower_share = sample(2 * row + 1, column)
      local at, line = area.left + column, area.top + row
      if not grid.colored then
        local first, second = upper_share or lower_share, lower_share or upper_share
        if first then grid:set(at, line, shade((first + second) / 2)) end
      elseif upper then
        grid:set(at, line, "▀", upper, lower)
      elseif lower then
        grid:set(at, line, "▄", lower)
      end
    end
  end
end

local function draw_texts(grid, mark, bar, area, width)
  area.columns, area.rows = mark.columns * width, mark.rows
  local scale = colors.scale(bar.points)
  for i, text in ipairs(mark.texts) do
    local row, column = (i - 1) // mark.columns, (i - 1) % mark.columns
    local front, back
    if grid.colored and text ~= "" then
      local red, green, blue = scale((mark.values[i] - bar.low) / (bar.high - bar.low))
      back = red << 16 | green << 8 | blue
      front = colors.is_bright(red, green, blue) and 0 or 0xffffff
    end
    local left, blank = area.left + column * width, width - #text
    local centered = (" "):rep(blank // 2) .. text .. (" "):rep(blank - blank // 2)
    grid:write(left, area.top + row, centered, front, nil, back)
  end
end

--- The width of each cell if the values of a mark fit as text; else nil.
local function text_width(mark, panel, area)
  local is_whole = panel.x.low == 0.5 and panel.x.high == mark.width + 0.5
    and panel.y.low == 0.5 and panel.y.high == mark.height + 0.5
  if not mark.texts or not is_whole then return nil end
  local width = 0
  for _, text in ipairs(mark.texts) do width = math.max(width, #text + 2) end
  for _, name in ipairs(panel.x.given or {}) do
    width = math.max(width, Grid.width(tostring(name)) + 2)
  end
  return mark.columns * width <= area.columns and mark.rows <= area.rows and width or nil
end

--- Draws the grids of a panel and shrinks the area to fit them.
function cells.draw(grid, panel, area)
  for _, mark in ipairs(panel.marks) do
    if mark.rows then
      local width = text_width(mark, panel, area)
      if width then
        draw_texts(grid, mark, panel.color_bar, area, width)
      else
        draw_blocks(grid, mark, panel, area)
      end
    end
  end
end

--- Draws `count` cells of a palette, from its lowest to its highest color.
function cells.strip(grid, bar, column, row, count)
  local scale = colors.scale(bar.points)
  for i = 0, count - 1 do
    local share = i / (count - 1)
    local red, green, blue = scale(share)
    if grid.colored then
      grid:set(column + i, row, "█", red << 16 | green << 8 | blue)
    else
      grid:set(column + i, row, shade(share))
    end
  end
end

return cells

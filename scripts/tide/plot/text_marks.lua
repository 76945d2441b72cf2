-- Draws lines, points, line segments and boxes with braille dots.
local colors = require "tide.plot.colors"

local function number_of(color) return tonumber(color:sub(2), 16) end

--- Clips a line to 0..width, 0..height, as x1, y1, x2, y2; nil if it is outside (Liang and Barsky).
local function clipped(x1, y1, x2, y2, width, height)
  local from, to = 0, 1
  local sides = {{x1 - x2, x1}, {x2 - x1, width - x1}, {y1 - y2, y1}, {y2 - y1, height - y1}}
  for _, side in ipairs(sides) do
    local slope, distance = side[1], side[2]
    if slope == 0 then
      if distance < 0 then return nil end
    elseif slope < 0 then
      from = math.max(from, distance / slope)
    else
      to = math.min(to, distance / slope)
    end
  end
  if from > to then return nil end
  return x1 + from * (x2 - x1), y1 + from * (y2 - y1), x1 + to * (x2 - x1), y1 + to * (y2 - y1)
end

-- {dots drawn, period}.
local kDashes <const> = {solid = {1, 1}, dashed = {6, 10}, dotted = {1, 4}}

-- Draws dots of one color within an area.
local Pen = {}
Pen.__index = Pen

local function pen_of(grid, area, panel)
  return setmetatable({
    grid = grid, area = area, panel = panel, x0 = 2 * (area.left - 1), y0 = 4 * (area.top - 1),
    width = 2 * area.columns - 1, height = 4 * area.rows - 1, drawn = 0,
  }, Pen)
end

function Pen:dot(x, y, color)
  x, y = (x + 0.5) // 1, (y + 0.5) // 1
  if x >= 0 and x <= self.width and y >= 0 and y <= self.height then
    self.grid:dot(self.x0 + (x | 0), self.y0 + (y | 0), color)
  end
end

function Pen:line(x1, y1, x2, y2, color, dash)
  x1, y1, x2, y2 = clipped(x1, y1, x2, y2, self.width, self.height)
  if not x1 then return end
  local steps = math.max(1, math.ceil(math.max(math.abs(x2 - x1), math.abs(y2 - y1))))
  for i = 0, steps do
    if self.drawn % dash[2] < dash[1] then
      self:dot(x1 + (x2 - x1) * i / steps, y1 + (y2 - y1) * i / steps, color)
    end
    if i < steps then self.drawn = self.drawn + 1 end
  end
end

function Pen:to_dots(x, y) return self.area:x(self.panel.x, x), self.area:y(self.panel.y, y) end

local draw = {}

function draw.line(pen, mark)
  local color, dash = number_of(mark.color), kDashes[mark.style]
  local before_x, before_y
  pen.drawn = 0
  for i = 1, #mark.x do
    local x, y
    if mark.x[i] == mark.x[i] then
      x, y = pen:to_dots(mark.x[i], mark.y[i])
      if before_x then pen:line(before_x, before_y, x, y, color, dash) else pen:dot(x, y, color) end
    end
    before_x, before_y = x, y
  end
end

function draw.points(pen, mark)
  local color = number_of(mark.color)
  for i = 1, #mark.x do
    local x, y = pen:to_dots(mark.x[i], mark.y[i])
    pen:dot(x, y, color)
  end
end

function draw.segments(pen, mark)
  local own, bar = mark.color and number_of(mark.color), pen.panel.color_bar
  local scale = mark.values and colors.scale(bar.points)
  for i = 1, #mark.x1 do
    local color = own
    if scale then
      local red, green, blue = scale((mark.values[i] - bar.low) / (bar.high - bar.low))
      color = red << 16 | green << 8 | blue
    end
    local x1, y1 = pen:to_dots(mark.x1[i], mark.y1[i])
    local x2, y2 = pen:to_dots(mark.x2[i], mark.y2[i])
    pen.drawn = 0
    pen:line(x1, y1, x2, y2, color, kDashes.solid)
  end
end

function draw.boxes(pen, mark)
  local color, y_axis = number_of(mark.color), pen.panel.y
  local base = y_axis.log and y_axis.low or math.min(math.max(0, y_axis.low), y_axis.high)
  for i = 1, #mark.top do
    local left, foot = pen:to_dots(mark.left[i], base)
    local right, head = pen:to_dots(mark.right[i], mark.top[i])
    local first, last = math.max(0, math.ceil(left)), math.min(pen.width, math.floor(right))
    if last < first then last = first end
    local upper = math.max(0, math.floor(math.min(foot, head) + 0.5))
    local lower = math.min(pen.height, math.floor(math.max(foot, head) + 0.5))
    if mark.top[i] == base then lower = upper - 1 end -- nothing
    for x = first, last do
      for y = upper, lower do pen:dot(x, y, color) end
    end
  end
end

--- Draws the marks of a panel that consist of dots.
return function(grid, panel, area)
  local pen = pen_of(grid, area, panel)
  for _, mark in ipairs(panel.marks) do
    if draw[mark.kind] then draw[mark.kind](pen, mark) end
  end
end

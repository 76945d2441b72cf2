-- A grid of characters with colors, the canvas of figures in a terminal. Rows and columns count from 1;
-- everything outside is clipped.
local clean = require "tide.plot.clean"

local Grid = {}
Grid.__index = Grid

--- An empty grid.
function Grid.new(columns, rows)
  return setmetatable({columns = columns, rows = rows, letters = {}, front = {}, back = {}}, Grid)
end

local function index_of(self, column, row)
  if column < 1 or column > self.columns or row < 1 or row > self.rows then return nil end
  return (row - 1) * self.columns + column
end

--- Sets a character; colors are 0xrrggbb, or nil for the terminal's default.
function Grid:set(column, row, letter, front, back)
  local at = index_of(self, column, row)
  if at then self.letters[at], self.front[at], self.back[at] = letter, front, back end
end

--- Writes text starting at a column, clipped after column `last`, by default the grid's last.
function Grid:write(column, row, text, front, last, back)
  for _, code in utf8.codes(clean(text)) do
    if column > (last or self.columns) then return end
    self:set(column, row, utf8.char(code), front, back)
    column = column + 1
  end
end

--- The number of cells of a text.
function Grid.width(text) return utf8.len(clean(text)) end

-- Braille: cells of 2 x 4 dots --------------------------------------------------------------------

local kDots <const> = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}
local kBraille <const> = 0x2800

--- Sets a dot, with coordinates from 0 across the entire grid.
function Grid:dot(x, y, color)
  local at = index_of(self, x // 2 + 1, y // 4 + 1)
  if not at then return end
  local before = self.letters[at]
  local code = before and utf8.codepoint(before) or kBraille
  if code < kBraille or code > kBraille + 0xff then code = kBraille end
  self.letters[at] = utf8.char(code | kDots[y % 4 + 1][x % 2 + 1])
  self.front[at] = color
end

-- Text --------------------------------------------------------------------------------------------

--- The escape code of a foreground (38) or background (48) color.
local function set_color(which, color)
  if not color then return "" end
  return (";%d;2;%d;%d;%d"):format(which, color >> 16, color >> 8 & 255, color & 255)
end

local function color_text(front, back)
  return "\27[0" .. set_color(38, front) .. set_color(48, back) .. "m"
end

--- The grid as lines without trailing spaces.
function Grid:text(colored)
  local lines = {}
  for row = 1, self.rows do
    local first, last, parts, current = (row - 1) * self.columns, 0, {}, "\27[0m"
    for column = 1, self.columns do
      if self.letters[first + column] then last = column end
    end
    for column = 1, last do
      local at = first + column
      local wanted = colored and color_text(self.front[at], self.back[at]) or current
      if wanted ~= current then parts[#parts + 1], current = wanted, wanted end
      parts[#parts + 1] = self.letters[at] or " "
    end
    if current ~= "\27[0m" then parts[#parts + 1] = "\27[0m" end
    lines[row] = table.concat(parts)
    if not colored then lines[row] = lines[row]:gsub(" +$", "") end
  end
  return table.concat(lines, "\n")
end

return Grid

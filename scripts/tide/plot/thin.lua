-- Drops invisible points: a line keeps the first, smallest, largest and last of consecutive points in
-- one pixel column; of scattered points, one remains in each pixel.
local ticks = require "tide.plot.ticks"

local thin = {}

--- Lists of x and y of a line with at most four points for each run of points in a column.
function thin.line(x, y, x_axis, columns)
  if #x <= 4 * columns then return x, y end
  local new_x, new_y, count = {}, {}, 0
  local function keep(i)
    count = count + 1
    new_x[count], new_y[count] = x[i], y[i]
  end
  local column, first, least, most
  local function finish(last)
    if not first then return end
    local from, to = math.min(least, most), math.max(least, most)
    keep(first)
    if from > first then keep(from) end
    if to > from and to < last then keep(to) end
    if last > first and last > from then keep(last) end
    first = nil
  end
  for i = 1, #x do
    if x[i] ~= x[i] then -- a gap in the line
      finish(i - 1)
      keep(i)
    else
      local current = ticks.fraction(x_axis, x[i]) * columns // 1
      if first and current ~= column then finish(i - 1) end
      if not first then
        column, first, least, most = current, i, i, i
      elseif y[i] < y[least] then
        least = i
      elseif y[i] > y[most] then
        most = i
      end
    end
  end
  finish(#x)
  return new_x, new_y
end

--- Lists of x and y with one point for each of columns x rows pixels, if there are many.
function thin.points(x, y, x_axis, y_axis, columns, rows)
  if #x <= columns then return x, y end
  local new_x, new_y, taken, count = {}, {}, {}, 0
  for i = 1, #x do
    local across, down = ticks.fraction(x_axis, x[i]), ticks.fraction(y_axis, y[i])
    local pixel = (down * rows // 1) * (columns + 1) + across * columns // 1
    local is_inside = across >= 0 and across <= 1 and down >= 0 and down <= 1
    if is_inside and not taken[pixel] then
      taken[pixel], count = true, count + 1
      new_x[count], new_y[count] = x[i], y[i]
    end
  end
  return new_x, new_y
end

return thin

-- Contour lines in a grid, by marching squares.
local contour = {}

-- Which sides of a square a line crosses, by the corners above the level: bit 0 the upper left one,
-- then clockwise. Sides: 1 upper, 2 right, 3 lower, 4 left. Saddles are resolved by the center value.
local kSides <const> = {
  {4, 1}, {1, 2}, {4, 2}, {2, 3}, {4, 1, 2, 3}, {1, 3}, {4, 3},
  {3, 4}, {1, 3}, {1, 2, 3, 4}, {2, 3}, {4, 2}, {1, 2}, {4, 1},
}

--- Calls visit(x1, y1, x2, y2) for the segments of a level's line. `z` has the values in rows of
--- length #x, a row for each of `y`; squares with a nonfinite corner are skipped.
function contour.visit(x, y, z, level, visit)
  local columns = #x
  for row = 1, #y - 1 do
    local base = (row - 1) * columns
    for column = 1, columns - 1 do
      local a, b = z[base + column], z[base + column + 1]
      local d, c = z[base + columns + column], z[base + columns + column + 1]
      local sum = a + b + c + d
      local index = (a > level and 1 or 0) + (b > level and 2 or 0) + (c > level and 4 or 0)
        + (d > level and 8 or 0)
      if sum - sum == 0 and index ~= 0 and index ~= 15 then
        local sides = kSides[index]
        if #sides == 4 and (sum / 4 > level) then
          sides = index == 5 and {1, 2, 3, 4} or {4, 1, 2, 3}
        end
        local left, right, upper, lower = x[column], x[column + 1], y[row], y[row + 1]
        local function crossing(side)
          if side == 1 then return left + (right - left) * (level - a) / (b - a), upper end
          if side == 2 then return right, upper + (lower - upper) * (level - b) / (c - b) end
          if side == 3 then return left + (right - left) * (level - d) / (c - d), lower end
          return left, upper + (lower - upper) * (level - a) / (d - a)
        end
        for i = 1, #sides, 2 do
          local x1, y1 = crossing(sides[i])
          local x2, y2 = crossing(sides[i + 1])
          visit(x1, y1, x2, y2)
        end
      end
    end
  end
end

return contour

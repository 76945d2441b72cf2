-- Tables as text: numbers, and cells in columns.
local grid = {}

--- Three significant digits, "" for nil.
function grid.figure(value)
  if not value or value == 0 then return "" end
  if value >= 99.95 then return ("%.0f"):format(value) end
  if value >= 9.995 then return ("%.1f"):format(value) end
  return ("%.2f"):format(value)
end

--- Milliseconds, or a fraction, as text; "" for nil.
function grid.milliseconds(value) return value > 0 and ("%.3f"):format(value) or "" end
function grid.percent(value) return value > 0 and ("%.1f %%"):format(100 * value) or "" end

--- Rows of cells below a head, each column as wide as its widest cell. A column: its title, and a
--- function from a row to its text. A title that begins with "<" is aligned to the left.
function grid.text(columns, rows)
  local widths, lines, cells = {}, {}, {{}}
  for c, column in ipairs(columns) do cells[1][c] = (column[1]:gsub("^<", "")) end
  for r, row in ipairs(rows) do
    cells[r + 1] = {}
    for c, column in ipairs(columns) do cells[r + 1][c] = column[2](row) end
  end
  for _, line in ipairs(cells) do
    for c, text in ipairs(line) do widths[c] = math.max(widths[c] or 0, utf8.len(text) or #text) end
  end
  for r, line in ipairs(cells) do
    local parts = {}
    for c, text in ipairs(line) do
      local space = (" "):rep(widths[c] - (utf8.len(text) or #text))
      parts[c] = columns[c][1]:sub(1, 1) == "<" and text .. space or space .. text
    end
    lines[r] = (table.concat(parts, "  "):gsub("%s+$", ""))
  end
  return table.concat(lines, "\n")
end

return grid

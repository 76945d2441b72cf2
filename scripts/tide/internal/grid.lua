-- Rows as columns of text.

--- Rows of cells below a head, each column as wide as its widest cell. `columns` lists {title,
--- function(row)}, which gives a cell's text; a title that begins with "<" is aligned to the left.
local function grid(columns, rows)
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

-- Divides the source of a lesson into cells: an unindented comment, and the code below it. A comment with three dashes
-- describes a function, and belongs to the code.
local tokens = require "tide.internal.tokens"

--- The numbers of lines that begin inside a long string.
local function lines_in_strings(source)
  local inside, number, place = {}, 1, 1
  for _, token in ipairs(tokens(source)) do
    if token.kind == "string" and token.text:find("\n", 1, true) then
      number = number + select(2, source:sub(place, token.from - 1):gsub("\n", ""))
      place = token.to + 1
      for _ in token.text:gmatch "\n" do
        number = number + 1
        inside[number] = true
      end
    end
  end
  return inside
end

--- The text of a comment line, or nil for other lines. A rule of dashes after a heading is removed.
local function words_of(line)
  local words = not line:find "^%-%-%- " and line:match "^%-%- ?(.*)$"
  return words and (words:gsub("%s*%-%-%-%-%-+$", ""))
end

--- The cells of a lesson, in order. Each has `text`, the lines of its comment without the dashes (may be
--- empty), `code`, its lines, and `first`, the number of the first line of code; `heading`,
--- "2. A tensor", if its comment begins a section.
local function cells_of(source)
  local cells, cell, number, inside = {}, nil, 0, lines_in_strings(source)
  local blank = false -- whether the last line was blank
  for line in (source .. "\n"):gmatch "(.-)\r?\n" do
    number = number + 1
    local words = not inside[number] and words_of(line) or nil
    if words then
      if not cell or #cell.code > 0 then
        cell = {text = {}, code = {}}
        cells[#cells + 1] = cell
        if line:find "%-%-%-%-%-$" then cell.heading = words:match "^%d+%. .+" end
      end
      if blank and #cell.text > 0 then cell.text[#cell.text + 1] = "" end
      cell.text[#cell.text + 1] = words
      blank = false
    else
      if not cell then
        cell = {text = {}, code = {}}
        cells[1] = cell
      end
      -- Blank lines between a comment and its code belong to neither; between two comments they separate
      -- paragraphs.
      blank = line == ""
      if line ~= "" or #cell.code > 0 then
        if #cell.code == 0 then cell.first = number end
        cell.code[#cell.code + 1] = line
      end
    end
  end
  for _, each in ipairs(cells) do
    while each.code[#each.code] == "" do each.code[#each.code] = nil end
    if each.heading then table.remove(each.text, 1) end
    if each.text[1] == "" then table.remove(each.text, 1) end
  end
  return cells
end

return cells_of

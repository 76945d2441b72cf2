-- Divides the source of a lesson into cells: a comment at the left edge, and the code below it.

--- Whether a long string begins in a line of code and does not end in it: its closing bracket, or nil.
--- `closing`: of the string that the line begins in, if any.
local function open_bracket(line, closing)
  local place = 1
  while true do
    if closing then
      local _, last = line:find(closing, place, true)
      if not last then return closing end
      place, closing = last + 1, nil
    end
    local start = line:find("[\"'%[%-]", place)
    if not start then return nil end
    local level = line:match("^%[(=*)%[", start) or line:match("^%-%-%[(=*)%[", start)
    if level then
      place, closing = line:find("[", start, true) + #level + 2, "]" .. level .. "]"
    elseif line:find("^%-%-", start) then
      return nil
    elseif line:find("^[\"']", start) then
      local quote = line:sub(start, start)
      place = start + 1
      while place <= #line and line:sub(place, place) ~= quote do
        place = place + (line:sub(place, place) == "\\" and 2 or 1)
      end
      place = place + 1
    else
      place = start + 1
    end
  end
end

--- The words of a comment line, or nil if the line is none. A rule of dashes behind a heading goes.
local function words_of(line)
  local words = line:match "^%-%-%-? ?(.*)$"
  return words and (words:gsub("%s*%-%-%-%-%-+$", ""))
end

--- The cells of a lesson, in order. Each has `text`, lines of its comment without the dashes (none:
--- an empty list), `code`, its lines, and `first`, the number of the first line of code; `heading`,
--- "2. A tensor", where its comment begins a section.
local function cells_of(source)
  local cells, cell, closing, number = {}, nil, nil, 0
  for line in (source .. "\n"):gmatch "(.-)\r?\n" do
    number = number + 1
    local words = not closing and words_of(line) or nil
    if words then
      if not cell or #cell.code > 0 then
        cell = {text = {}, code = {}}
        cells[#cells + 1] = cell
        if line:find "%-%-%-%-%-$" then cell.heading = words:match "^%d+%. .+" end
      end
      cell.text[#cell.text + 1] = words
    else
      if not cell then
        cell = {text = {}, code = {}}
        cells[1] = cell
      end
      -- Blank lines between a comment and its code belong to neither.
      if line ~= "" or #cell.code > 0 then
        if #cell.code == 0 then cell.first = number end
        cell.code[#cell.code + 1] = line
        closing = open_bracket(line, closing)
      end
    end
  end
  for _, each in ipairs(cells) do
    while each.code[#each.code] == "" do each.code[#each.code] = nil end
    if each.heading then table.remove(each.text, 1) end
  end
  return cells
end

return cells_of

-- A tensor of one or two dimensions as an HTML table, with the numbers as `print` shows them.

local kOpen <const> = [[<div style="max-height: 30em; overflow: auto">]] ..
  [[<table style="text-align: right; font-family: monospace">]]
local kLeftOut <const> = "&ctdot;" -- replaces values that are not shown

--- The rows of a printed tensor: lists of words, or false where rows were omitted.
local function rows_of(text, dimensions)
  local rows = {}
  if dimensions == 2 then text = text:match "^%[(.*)%]$" end
  for between, row in text:gmatch "([^%[%]]*)%[([^%[%]]*)%]" do
    if between:find("...", 1, true) then rows[#rows + 1] = false end
    local words = {}
    for word in row:gmatch "[^%s,]+" do words[#words + 1] = word end
    rows[#rows + 1] = words
  end
  return rows
end

--- The indices shown in `count` columns or rows of a dimension; the one at `gap`, if any, stands for
--- those omitted.
local function positions(count, gap, size)
  local list = {}
  for i = 1, count do
    list[i] = i == gap and "" or gap and i > gap and size - count + i or i
  end
  return list
end

local function index_of(list, value)
  for i, entry in ipairs(list) do
    if entry == value then return i end
  end
end

local function cells(tag, list)
  return ("<%s>%s</%s>"):format(tag, table.concat(list, ("</%s><%s>"):format(tag, tag)), tag)
end

--- The table of a tensor, given its printed text; nil if it has neither one nor two dimensions, or no
--- elements.
return function(x, text)
  local dimensions = x:dim()
  local values, kind = text:match "^tensor%((.*)%) (%(.*)$"
  if not values or dimensions < 1 or dimensions > 2 or x:numel() == 0 then return nil end
  local rows = rows_of(values, dimensions)
  local width = #rows[1]
  local columns = positions(width, index_of(rows[1], "..."), x:size(-1))
  local numbers = positions(#rows, index_of(rows, false), x:size(1))
  local lines = {kOpen, ("<thead><tr>%s%s</tr></thead><tbody>")
    :format(dimensions == 2 and "<th></th>" or "", cells("th", columns))}
  for i, row in ipairs(rows) do
    local shown = {}
    for k = 1, width do shown[k] = row and row[k] ~= "..." and row[k] or kLeftOut end
    lines[#lines + 1] = ("<tr>%s%s</tr>")
      :format(dimensions == 2 and cells("th", {numbers[i]}) or "", cells("td", shown))
  end
  lines[#lines + 1] = ("</tbody></table></div><p>%s</p>"):format(kind)
  return table.concat(lines, "\n")
end

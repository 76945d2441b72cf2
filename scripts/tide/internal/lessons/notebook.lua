-- A lesson as a Jupyter notebook.
local cells_of = require "tide.internal.lessons.cells"
local json = require "tide.internal.json"

--- Lines as a notebook has them, a list of JSON strings: each but the last ends in a line feed.
local function source_of(lines)
  local source = {}
  for i, line in ipairs(lines) do
    source[i] = json.quoted(i < #lines and line .. "\n" or line)
  end
  return table.concat(source, ",\n    ")
end

--- Comment lines as Markdown: what is indented, a drawing or a table, is shown as it stands.
local function markdown_of(cell)
  local lines, in_drawing = {}, false
  local function draw(on)
    if on == in_drawing then return end
    in_drawing = on
    lines[#lines + 1] = "```"
  end
  if cell.heading then lines = {"## " .. cell.heading, ""} end
  for i, line in ipairs(cell.text) do
    local next_line = cell.text[i + 1] or ""
    if line:find "^   +" then draw(true) elseif line ~= "" or not next_line:find "^   +" then draw(false) end
    lines[#lines + 1] = line
  end
  draw(false)
  return lines
end

local kCell <const> = [[
  {
   "cell_type": "%s",
   "id": "cell-%d",
   "metadata": {},%s
   "source": [
    %s
   ]
  }]]

local kNotebook <const> = [[
{
 "cells": [
%s
 ],
 "metadata": {
  "kernelspec": {"display_name": "tide", "language": "lua", "name": "tide"},
  "language_info": {"name": "lua", "file_extension": ".lua", "mimetype": "text/x-lua"}
 },
 "nbformat": 4,
 "nbformat_minor": 5
}
]]

--- The text of a notebook (format 4.5) with the comments and the code of a lesson.
local function notebook_of(source)
  local cells = {}
  local function add(kind, lines, fields)
    if #lines == 0 then return end
    cells[#cells + 1] = kCell:format(kind, #cells + 1, fields, source_of(lines))
  end
  for _, cell in ipairs(cells_of(source)) do
    add("markdown", markdown_of(cell), "")
    add("code", cell.code, '\n   "execution_count": null,\n   "outputs": [],')
  end
  return kNotebook:format(table.concat(cells, ",\n"))
end

return notebook_of

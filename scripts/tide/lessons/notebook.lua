-- A lesson as a Jupyter notebook.
local cells_of = require "tide.lessons.cells"
local json = require "tide.internal.json"
local prose = require "tide.lessons.prose"
local take_exercises = require "tide.lessons.exercises"
local take_heading = require "tide.lessons.take_heading"

--- Lines in the form of a notebook, a list of JSON strings: each except the last ends in a line feed.
local function source_of(lines)
  local source = {}
  for i, line in ipairs(lines) do
    source[i] = json.quoted(i < #lines and line .. "\n" or line)
  end
  return table.concat(source, ",\n    ")
end

--- The Markdown of a cell's comment, below its heading if it begins a section.
local function markdown_of(cell)
  local lines, words = cell.heading and {"## " .. cell.heading, ""} or {}, prose(cell.text)
  return table.move(words, 1, #words, #lines + 1, lines)
end

--- The Markdown of a lesson's exercises: a numbered list.
local function markdown_of_exercises(exercises)
  local lines = {"## Exercises", ""}
  for _, line in ipairs(exercises.intro) do
    if line:find "%S" then lines[#lines + 1] = line end
  end
  for i, text in ipairs(exercises) do
    local mark = ("%d. "):format(i)
    for line in (text .. "\n"):gmatch "(.-)\n" do
      lines[#lines + 1] = mark .. line
      mark = (" "):rep(#mark)
    end
  end
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
  local lesson = cells_of(source)
  local exercises = take_exercises(lesson)
  for _, cell in ipairs(lesson) do
    take_heading(cell)
    while cell.code[1] == "" do table.remove(cell.code, 1) end
    add("markdown", markdown_of(cell), "")
    while cell.code[#cell.code] == "" do table.remove(cell.code) end
    add("code", cell.code, '\n   "execution_count": null,\n   "outputs": [],')
  end
  if exercises[1] then add("markdown", markdown_of_exercises(exercises), "") end
  return kNotebook:format(table.concat(cells, ",\n"))
end

return notebook_of

-- The cells of a lesson as HTML: text, code and output.
local html = require "tide.manual.site.html"
local lines_to_show = require "tide.lessons.lines_to_show"
local markdown = require "tide.manual.site.markdown"
local output_html = require "tide.manual.site.output_html"
local prose = require "tide.lessons.prose"

local lesson_cells = {}

--- The HTML of a comment's lines.
function lesson_cells.words(lines) return (markdown(table.concat(prose(lines), "\n"), {})) end

--- The code without the lines that print headings, which the page shows itself.
local function code_html(cell)
  local code = {}
  for i, line in ipairs(cell.code) do
    local is_heading = line:find "^heading[ (]" or line:find "^local function heading%("
    code[i] = is_heading and "" or line
  end
  local lines = lines_to_show(code)
  return lines[1] and html.block(table.concat(lines, "\n"))
end

--- Removes the printed heading from a cell's outputs: "\n1. Data\n-------\n".
local function take_title(outputs)
  local first = outputs[1]
  local title, rule, rest = (first and first.data or ""):match "^\n?([^\n]+)\n(%-%-%-+)\n(.*)$"
  if not title or #title ~= #rule then return nil end
  first.data = rest
  return title
end

--- Adds a cell to the pieces of a page: {pictures = number of images, ...}. `outputs` are those of the
--- cell, if it was reached.
function lesson_cells.add(page, cell, outputs)
  outputs = outputs or {}
  local title = take_title(outputs)
  if cell.heading then
    local shown = html.escape(title or cell.heading)
    page[#page + 1] = ('<h2 id="%s">%s</h2>'):format(html.id(cell.heading), shown)
  end
  page[#page + 1] = lesson_cells.words(cell.text)
  page[#page + 1] = code_html(cell)
  for _, output in ipairs(outputs) do page[#page + 1] = output_html[output.kind](output.data, page) end
end

return lesson_cells

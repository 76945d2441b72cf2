-- The cells of a lesson as HTML: words, code, and what the code printed and showed.
local base64 = require "tide.internal.base64"
local html = require "tide.reference.site.html"
local lines_to_show = require "tide.internal.lessons.lines_to_show"
local markdown = require "tide.reference.site.markdown"
local prose = require "tide.internal.lessons.prose"

local lesson_cells = {}

--- A comment's lines.
function lesson_cells.words(lines) return (markdown(table.concat(prose(lines), "\n"), {})) end

--- The code without what prints headings: the page has them.
local function code_html(cell)
  local code = {}
  for i, line in ipairs(cell.code) do
    local is_heading = line:find "^heading[ (]" or line:find "^local function heading%("
    code[i] = is_heading and "" or line
  end
  local lines = lines_to_show(code)
  return lines[1] and html.block(table.concat(lines, "\n"))
end

--- Takes the heading that a cell prints off its outputs: "\n1. Data\n-------\n".
local function take_title(outputs)
  local first = outputs[1]
  local title, rule, rest = (first and first.data or ""):match "^\n?([^\n]+)\n(%-%-%-+)\n(.*)$"
  if not title or #title ~= #rule then return nil end
  first.data = rest
  return title
end

local forms = {} -- by MIME type: functions (data, page)

forms["text/plain"] = function(text)
  text = text:gsub("^\n+", ""):gsub("%s+$", "")
  return text ~= "" and '<pre class="output">' .. html.escape(text) .. "</pre>" or nil
end

forms["text/html"] = function(text) return '<div class="output wide">' .. text .. "</div>" end

forms["image/png"] = function(bytes)
  return ('<p class="output"><img src="data:image/png;base64,%s" alt=""></p>'):format(base64(bytes))
end

--- The ids in a picture are told apart from those of others on the page.
forms["image/svg+xml"] = function(svg, page)
  page.pictures = page.pictures + 1
  local mark = ("picture%d-"):format(page.pictures)
  svg = svg:match "<svg.*</svg>":gsub("<title>.-</title>", ""):gsub("<desc>.-</desc>", "")
  svg = svg:gsub("( id=['\"])", "%1" .. mark):gsub("(href=['\"]#)", "%1" .. mark):gsub("url%(#", "%0" .. mark)
  return '<figure class="output">' .. svg .. "</figure>"
end

--- Adds a cell to the pieces of a page: {pictures = how many it has, ...}. `outputs` are those of the
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
  for _, output in ipairs(outputs) do page[#page + 1] = forms[output.kind](output.data, page) end
end

return lesson_cells

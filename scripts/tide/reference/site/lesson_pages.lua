-- Pages of lessons: what stands in comments is text, the rest is code.
local cells_of = require "tide.internal.lessons.cells"
local html = require "tide.reference.site.html"
local native = require "tide.native"

local lesson_pages = {}

--- The lessons in order: {path, file, title}.
function lesson_pages.list()
  local list = {}
  for _, path in ipairs(native.list_embedded "lessons/") do
    local name = path:match "^lessons/(%d+_[%w_]+)%.lua$"
    if name then
      local first = native.read_embedded(path):match "^%-%- ([^\n]*)"
      list[#list + 1] = {
        path = path, file = "lesson-" .. name .. ".html",
        title = first:match "^(Lesson %d+: [^.?]*%??)" or first,
      }
    end
  end
  return list
end

--- Text of comments as paragraphs; what is indented is code.
local function text_html(lines)
  local out, paragraph, code = {}, {}, {}
  local function finish()
    if paragraph[1] then
      local text = html.escape(table.concat(paragraph, "\n")):gsub("`([^`]+)`", "<code>%1</code>")
      out[#out + 1] = "<p>" .. text .. "</p>"
    end
    if code[1] then out[#out + 1] = html.block(table.concat(code, "\n")) end
    paragraph, code = {}, {}
  end
  for _, line in ipairs(lines) do
    local indented = line:match "^  +(.*)$" or line:match "^%u[^:]*:  +%S.*$" -- commands in columns
    if not line:find "%S" then
      finish()
    elseif indented and not paragraph[1] then
      code[#code + 1] = indented
    else
      if code[1] then finish() end
      paragraph[#paragraph + 1] = line
    end
  end
  finish()
  return table.concat(out, "\n")
end

--- The body of a lesson, and what the search finds in it: {title, anchor, text}.
function lesson_pages.body(lesson)
  local out = {"<h1>" .. html.escape(lesson.title) .. "</h1>"}
  local headings = {{title = lesson.title, anchor = "", text = ""}}
  for i, cell in ipairs(cells_of(native.read_embedded(lesson.path))) do
    if i == 1 then cell.text[1] = cell.text[1]:sub(#lesson.title + 1):gsub("^%. ?", "") end
    if cell.heading then
      local anchor = html.id(cell.heading)
      headings[#headings + 1] = {
        title = lesson.title .. ": " .. cell.heading, anchor = anchor, text = "",
      }
      out[#out + 1] = ('<h2 id="%s">%s</h2>'):format(anchor, html.escape(cell.heading))
    end
    out[#out + 1] = text_html(cell.text)
    if cell.code[1] then out[#out + 1] = html.block(table.concat(cell.code, "\n")) end
    local heading = headings[#headings]
    heading.text = heading.text .. " " .. table.concat(cell.text, " ")
  end
  return table.concat(out, "\n"), headings
end

return lesson_pages

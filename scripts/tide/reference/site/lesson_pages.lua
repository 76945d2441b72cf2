-- Pages of lessons: comments of their own are text, the rest is code.
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

--- The parts of a script: {kind = "text" or "code" or "heading", lines}. Text is what stands in
--- comments in front of the lines of a chunk.
local function parts_of(text)
  local parts = {}
  local function add(kind, line)
    local last = parts[#parts]
    if not last or last.kind ~= kind or kind == "heading" then
      last = {kind = kind, lines = {}}
      parts[#parts + 1] = last
    end
    table.insert(last.lines, line)
  end
  for line in (text .. "\n"):gmatch "(.-)\n" do
    local explains_code = line:find "^%-%-%-[^-]"
    local comment = not explains_code and line:match "^%-%-%s?(.*)$"
    local heading = comment and comment:match "^(.-)%s*%-%-%-%-+$"
    if heading then add("heading", heading)
    elseif comment then add("text", comment)
    else add("code", line) end
  end
  return parts
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
  local text = native.read_embedded(lesson.path):sub(#"-- " + #lesson.title + 1):gsub("^%. ?", "")
  local out = {"<h1>" .. html.escape(lesson.title) .. "</h1>"}
  local headings = {{title = lesson.title, anchor = "", text = ""}}
  for _, part in ipairs(parts_of("-- " .. text)) do
    if part.kind == "heading" then
      local title = part.lines[1]
      local anchor = html.id(title)
      headings[#headings + 1] = {title = lesson.title .. ": " .. title, anchor = anchor, text = ""}
      out[#out + 1] = ('<h2 id="%s">%s</h2>'):format(anchor, html.escape(title))
    elseif part.kind == "text" then
      out[#out + 1] = text_html(part.lines)
      local heading = headings[#headings]
      heading.text = heading.text .. " " .. table.concat(part.lines, " ")
    else
      local code = table.concat(part.lines, "\n"):match "^\n*(.-)%s*$"
      if code ~= "" then out[#out + 1] = html.block(code) end
    end
  end
  return table.concat(out, "\n"), headings
end

return lesson_pages

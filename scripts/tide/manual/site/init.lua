-- The site: the reference, the lessons and the documents as HTML pages that need no server.
local html = require "tide.manual.site.html"
local json = require "tide.internal.json"
local lesson_pages = require "tide.manual.site.lesson_pages"
local markdown = require "tide.manual.site.markdown"
local name_pages = require "tide.manual.site.name_pages"
local native = require "tide.native"
local pages = require "tide.reference.pages"
local tide = require "tide"

local site = {}

local kIntroduction <const> = [[
<h1>tide</h1>
<p>Lua 5.4 with tensors, gradients, models, data and timing, over a lazy runtime for CPUs and NVIDIA
GPUs. <code>tide manual FOLDER --html</code> generates these pages from the program's own reference:
<code>tide help NAME</code> shows the same in a terminal.</p>
<ul>
<li>Dimensions and positions count from 1, negative ones from the end. Classes count from 1.</li>
<li>Arguments with <code>?</code> or in braces are optional. They can be passed by position, or by name in
a table at the end: <code>x:sum(1, true)</code> is <code>x:sum(1, {keepdim = true})</code>.</li>
<li>Calls do not wait for the device unless noted.</li>
<li>Each example is run as a test. <code>--&gt;</code> shows its result, numbers with four digits.
<code>nn</code>, <code>F</code>, <code>optim</code> and <code>autograd</code> stand for
<code>tide.nn</code>, <code>tide.nn.functional</code>, <code>tide.optim</code> and
<code>tide.autograd</code>.</li>
</ul>
]]

local kPicture <const> = "%.[sp][vn]g$"

--- The documents: {path, file, title, text}, and the names of files of docs/ on the site.
local function documents()
  local list, files = {}, {}
  for _, path in ipairs(native.list_embedded "docs/") do
    local name = path:match "^docs/([%w_]+)%.md$"
    if name then
      local text = native.read_embedded(path)
      local file = "doc-" .. name .. ".html"
      local title = text:match "^# ([^\n]*)" or name
      list[#list + 1] = {path = path, file = file, title = title, text = text}
      files[name .. ".md"] = file
    elseif path:find(kPicture) then
      files[path:match "[^/]*$"] = path:match "[^/]*$"
    end
  end
  return list, files
end

local function links_of(list)
  local links = {}
  for i, page in ipairs(list) do links[i] = {page.file or page.name .. ".html", page.title} end
  return links
end

-- Arguments for lessons that would otherwise take longer than some seconds.
local kWords <const> = {
  ["04_async_queue"] = "--size 256", ["17_resnet18"] = "--size 64 --batch 4",
  ["18_mixed_precision"] = "--size 32",
}
local kLessonSeconds <const> = 60

--- The arguments with which a lesson is run.
local function words_of(lesson)
  local words = {"--device", "cpu"}
  for word in (kWords[lesson.name] or ""):gmatch "%S+" do words[#words + 1] = word end
  return words
end

--- A text as a JavaScript string, which cannot end the script element and has no line breaks.
local function script_text(text)
  return (json.quoted((text:gsub("[\n\r]", " "))):gsub("<", "\\u003c"))
end

--- The search index: rows {name, address, text}.
local function index_script(rows)
  local lines = {}
  for i, row in ipairs(rows) do
    lines[i] = ("[%s,%s,%s]"):format(script_text(row[1]), script_text(row[2]), script_text(row[3]))
  end
  return "window.tideIndex = [\n" .. table.concat(lines, ",\n") .. "\n];\n"
end

local function add_headings(rows, file, headings)
  for _, heading in ipairs(headings) do
    local anchor = heading.anchor ~= "" and "#" .. heading.anchor or ""
    rows[#rows + 1] = {heading.title, file .. anchor, heading.text}
  end
end

--- The body of the index page: lists of links to all pages.
local function index_body(navigation)
  local out = {kIntroduction}
  for _, part in ipairs(navigation) do
    out[#out + 1] = "<h2>" .. html.escape(part.title) .. '</h2>\n<ul class="pages">'
    for _, link in ipairs(part.links) do
      out[#out + 1] = ('<li><a href="%s">%s</a></li>'):format(link[1], html.escape(link[2]))
    end
    out[#out + 1] = "</ul>"
  end
  return table.concat(out, "\n")
end

--- Writes the site to an existing folder; returns a line about it.
function site.write(folder)
  local docs, files = documents()
  local lessons = lesson_pages.list()
  local navigation = {
    {title = "Reference", links = links_of(pages)}, {title = "Lessons", links = links_of(lessons)},
    {title = "Documents", links = links_of(docs)},
  }
  local rows, count = {}, 0
  local function write(file, title, body)
    count = count + 1
    native.write_file(folder .. "/" .. file, html.page(file, title, body, navigation))
  end
  write("index.html", "tide", index_body(navigation))
  for _, page in ipairs(pages) do
    write(page.name .. ".html", page.title .. " - tide", name_pages.body(page))
    for _, row in ipairs(name_pages.index(page)) do rows[#rows + 1] = row end
  end
  for _, lesson in tide.progress(lessons, {label = "lessons "}) do
    local body, headings = lesson_pages.body(lesson, words_of(lesson), kLessonSeconds)
    write(lesson.file, lesson.title .. " - tide", body)
    add_headings(rows, lesson.file, headings)
  end
  for _, document in ipairs(docs) do
    local body, headings = markdown(document.text, files)
    write(document.file, document.title .. " - tide", body)
    add_headings(rows, document.file, headings)
  end
  for _, path in ipairs(native.list_embedded "docs/") do
    if path:find(kPicture) then
      local picture = path:match "[^/]*$"
      native.write_file(folder .. "/" .. picture, native.read_embedded(path))
    end
  end
  for _, name in ipairs {"style.css", "search.js"} do
    native.write_file(folder .. "/" .. name, native.read_embedded("tide/manual/site/" .. name))
  end
  native.write_file(folder .. "/index.js", index_script(rows))
  return ("%d pages in %s: open %s/index.html"):format(count, folder, folder)
end

return site

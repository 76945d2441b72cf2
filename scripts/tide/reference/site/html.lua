-- Pieces of HTML: escaped text, Lua with its parts in colours, and the frame of a page.
local html = {}

local kEscapes <const> = {
  ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;", ["'"] = "&#39;",
}

--- A text in which nothing is taken for HTML.
function html.escape(text) return (text:gsub("[&<>\"']", kEscapes)) end

--- A name as the id of an element, and behind "#" in a link.
function html.id(name)
  return (name:gsub("[^%w_.:-]", function(c) return ("-%02x"):format(c:byte()) end))
end

local kKeywords <const> = {}
for word in ("and break do else elseif end false for function goto if in local nil not or repeat "
  .. "return then true until while"):gmatch "%a+" do
  kKeywords[word] = true
end

local function span(class, text)
  return ('<span class="%s">%s</span>'):format(class, html.escape(text))
end

--- The end of the string that begins at `place`; nil if none does.
local function string_end(code, place)
  local quote = code:sub(place, place)
  if quote == '"' or quote == "'" then
    local i = place + 1
    while i <= #code and code:sub(i, i) ~= quote and code:sub(i, i) ~= "\n" do
      i = i + (code:sub(i, i) == "\\" and 2 or 1)
    end
    return math.min(i, #code)
  end
  local level = code:match("^%[(=*)%[", place)
  if not level then return nil end
  local _, last = code:find("]" .. level .. "]", place, true)
  return last or #code
end

--- Lua with comments, strings, numbers and keywords in spans.
function html.lua(code)
  local parts, place = {}, 1
  while place <= #code do
    local last, class
    if code:find("^%-%-", place) then
      local long = code:match("^%-%-()%[=*%[", place)
      local line_end = (code:find("\n", place, true) or #code + 1) - 1
      last, class = long and string_end(code, long) or line_end, "c"
    elseif code:find("^[\"'%[]", place) and string_end(code, place) then
      last, class = string_end(code, place), "s"
    elseif code:find("^%d", place) then
      _, last = code:find("^[%w.]+", place)
      class = "n"
    elseif code:find("^[%a_]", place) then
      _, last = code:find("^[%w_]+", place)
      class = kKeywords[code:sub(place, last)] and "k"
    else
      _, last = code:find("^[^%w_\"'%[%-]+", place)
      last = last or place
    end
    local text = code:sub(place, last)
    parts[#parts + 1] = class and span(class, text) or html.escape(text)
    place = last + 1
  end
  return table.concat(parts)
end

--- Code in a block of its own.
function html.block(code) return '<pre><code>' .. html.lua(code) .. "</code></pre>" end

local kFrame <const> = [[
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>$title</title>
<link rel="stylesheet" href="style.css">
<script src="index.js" defer></script>
<script src="search.js" defer></script>
</head>
<body>
<header>
<a class="home" href="index.html">tide</a>
<div class="search" role="search">
<input id="search" type="search" placeholder="Search (press /)" aria-label="Search"
  autocomplete="off">
<ol id="results" hidden></ol>
</div>
</header>
<div class="columns">
<nav aria-label="Pages"><details><summary>Contents</summary>
$navigation
</details></nav>
<main>
$body
</main>
</div>
</body>
</html>
]]

--- A whole page. `navigation` is a list of {title, links = {{file, title}}}.
function html.page(file, title, body, navigation)
  local list = {}
  for _, part in ipairs(navigation) do
    list[#list + 1] = "<h2>" .. html.escape(part.title) .. "</h2>\n<ul>"
    for _, link in ipairs(part.links) do
      local here = link[1] == file and ' aria-current="page"' or ""
      local title = html.escape(link[2])
      list[#list + 1] = ('<li><a href="%s"%s>%s</a></li>'):format(link[1], here, title)
    end
    list[#list + 1] = "</ul>"
  end
  local values = {title = html.escape(title), body = body, navigation = table.concat(list, "\n")}
  return (kFrame:gsub("%$(%l+)", values))
end

return html

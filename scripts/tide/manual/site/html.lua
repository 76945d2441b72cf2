-- Pieces of HTML: escaped text, highlighted Lua code, page templates.
local escape_markup = require "tide.internal.escape_markup"
local native = require "tide.native"
local tokens = require "tide.internal.tokens"

local html = {escape = escape_markup}

--- A name as the id of an element, also for links after "#".
function html.id(name)
  return (name:gsub("[^%w_.:-]", function(c) return ("-%02x"):format(c:byte()) end))
end

local function span(class, text)
  return ('<span class="%s">%s</span>'):format(class, html.escape(text))
end

local kClasses <const> = {comment = "c", string = "s", number = "n", keyword = "k"}

--- Lua with comments, strings, numbers and keywords in spans.
function html.lua(code)
  local parts, place = {}, 1
  for _, token in ipairs(tokens(code)) do
    local class = kClasses[token.kind]
    if class then
      parts[#parts + 1] = html.escape(code:sub(place, token.from - 1)) .. span(class, token.text)
      place = token.to + 1
    end
  end
  return table.concat(parts) .. html.escape(code:sub(place))
end

--- A block of code.
function html.block(code) return '<pre><code>' .. html.lua(code) .. "</code></pre>" end

local kFrame <const> = [[
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>$title</title>
$head
</head>
<body>
$body
</body>
</html>
]]

local kSiteHead <const> = [[
<link rel="stylesheet" href="style.css">
<script src="index.js" defer></script>
<script src="search.js" defer></script>]]

local kSiteBody <const> = [[
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
</div>]]

local function filled(frame, values) return (frame:gsub("%$(%l+)", values)) end

--- A standalone page.
function html.lone_page(title, body)
  local head = "<style>\n" .. native.read_embedded "tide/manual/site/style.css" .. "</style>"
  return filled(kFrame, {
    title = html.escape(title), head = head, body = '<main class="lone">\n' .. body .. "\n</main>",
  })
end

--- A page of the site. `navigation` is a list of {title, links = {{file, title}}}.
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
  local columns = filled(kSiteBody, {body = body, navigation = table.concat(list, "\n")})
  return filled(kFrame, {title = html.escape(title), head = kSiteHead, body = columns})
end

return html

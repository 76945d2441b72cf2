-- Converts the subset of Markdown that the documents use to HTML: headings, paragraphs, lists, tables, blocks
-- of code; in lines code, links, images and strong text.
local html = require "tide.manual.site.html"

--- The target of a link: pages of the site have another extension there; files that are not part of the site are
--- not linked.
local function target_of(address, files)
  if address:find "^#" then return address end
  local name, anchor = address:match "^([%w_.-]+)(#?.*)$"
  return name and files[name] and files[name] .. anchor
end

--- The text of a line as HTML. `files` maps names of files to their names on the site.
local function inline(text, files)
  local kept = {}
  local function keep(piece)
    kept[#kept + 1] = piece
    return "\0" .. #kept .. "\0"
  end
  text = text:gsub("`([^`]+)`", function(code)
    return keep("<code>" .. html.escape(code) .. "</code>")
  end)
  text = text:gsub("!%[([^%]]*)%]%(([^)]*)%)", function(about, address)
    local file = files[address:match "[^/]*$"]
    if not file then return about end
    return keep(('<img src="%s" alt="%s">'):format(html.escape(file), html.escape(about)))
  end)
  text = text:gsub("%[([^%]]*)%]%(([^)]*)%)", function(about, address)
    local target = target_of(address, files)
    if not target then return about end
    return keep('<a href="' .. html.escape(target) .. '">') .. about .. keep "</a>"
  end)
  text = html.escape(text):gsub("%*%*(.-)%*%*", "<strong>%1</strong>")
  for _ = 1, 2 do -- a link may contain code
    text = text:gsub("%z(%d+)%z", function(number) return kept[tonumber(number)] end)
  end
  return text
end

--- The anchor of a heading: "saved-values" for "Saved values".
local function anchor_of(title)
  return (title:gsub("`", ""):lower():gsub("[^%w_ -]", ""):gsub(" ", "-"))
end

local function cells_of(line)
  local cells = {}
  for cell in line:gsub("\\|", "\1"):gsub("^%s*|", ""):gmatch "([^|]*)|" do
    cells[#cells + 1] = cell:match "^%s*(.-)%s*$":gsub("\1", "|")
  end
  return cells
end

local function is_rule(line) return line ~= nil and line:find "^%s*|[%s:|-]+|%s*$" ~= nil end

-- Blocks: functions (lines, i, files) that return the HTML of the block that begins in line i, and the line
-- after it.

local function table_block(lines, i, files)
  local out = {'<div class="wide"><table>'}
  local head, rule = cells_of(lines[i]), cells_of(lines[i + 1])
  local has_head = table.concat(head) ~= ""
  local function row(cells, tag)
    local parts = {}
    for k, cell in ipairs(cells) do
      local right = rule[k] and rule[k]:find ":$" and ' class="right"' or ""
      parts[k] = ("<%s%s>%s</%s>"):format(tag, right, inline(cell, files), tag)
    end
    out[#out + 1] = "<tr>" .. table.concat(parts) .. "</tr>"
  end
  if has_head then row(head, "th") end
  i = i + 2
  while lines[i] and lines[i]:find "^%s*|" do
    row(cells_of(lines[i]), "td")
    i = i + 1
  end
  out[#out + 1] = "</table></div>"
  return table.concat(out, "\n"), i
end

local function code_block(lines, i)
  local code, language = {}, lines[i]:match "^```(%w*)"
  i = i + 1
  while lines[i] and not lines[i]:find "^```" do
    code[#code + 1] = lines[i]
    i = i + 1
  end
  local text = table.concat(code, "\n")
  if language == "lua" then return html.block(text), i + 1 end
  return "<pre><code>" .. html.escape(text) .. "</code></pre>", i + 1
end

local function item_of(line)
  local indent, mark, text = line:match "^(%s*)([-*])%s+(.*)$"
  if not mark then indent, mark, text = line:match "^(%s*)(%d+%.)%s+(.*)$" end
  return mark, text, indent and #indent
end

local function list_block(lines, i, files)
  local mark, _, depth = item_of(lines[i])
  local tag, items = mark:find "%d" and "ol" or "ul", {}
  while lines[i] do
    local own, text, indent = item_of(lines[i])
    if own and indent > depth then
      local inner
      inner, i = list_block(lines, i, files)
      items[#items] = items[#items] .. "\n" .. inner
    elseif own and indent == depth then
      items[#items + 1] = text
      i = i + 1
      while lines[i] and lines[i]:find "^%s+%S" and not item_of(lines[i]) do
        items[#items] = items[#items] .. " " .. lines[i]:match "^%s*(.*)$"
        i = i + 1
      end
      items[#items] = inline(items[#items], files)
    else
      break
    end
  end
  return ("<%s>\n<li>%s</li>\n</%s>"):format(tag, table.concat(items, "</li>\n<li>"), tag), i
end

local function paragraph_block(lines, i, files)
  local text = {}
  while lines[i] and lines[i]:find "%S" and not lines[i]:find "^#" and not lines[i]:find "^```"
    and not item_of(lines[i]) and not (lines[i]:find "^%s*|" and is_rule(lines[i + 1])) do
    text[#text + 1] = lines[i]
    i = i + 1
  end
  return "<p>" .. inline(table.concat(text, "\n"), files) .. "</p>", i
end

local function heading_block(line, files)
  local marks, title = line:match "^(#+)%s+(.*)$"
  local anchor, shown = html.escape(anchor_of(title)), inline(title, files)
  return ('<h%d id="%s">%s</h%d>'):format(#marks, anchor, shown, #marks)
end

--- The HTML of a document, and its headings: a list of {title, anchor, text}, with the text below the heading.
--- `files` maps names of files in the tree to their names on the site.
local function markdown(text, files)
  local lines, out, headings = {}, {}, {}
  local shown = (text .. "\n"):gsub("<!%-%-.-%-%->", "")
  for line in shown:gmatch "(.-)\n" do lines[#lines + 1] = line end
  local i = 1
  while i <= #lines do
    local line, block, first = lines[i], nil, i
    if not line:find "%S" then
      i = i + 1
    elseif line:find "^#+%s" then
      block = heading_block(line, files)
      local title = line:match "^#+%s+(.*)$"
      headings[#headings + 1] = {title = title:gsub("`", ""), anchor = anchor_of(title), text = ""}
      i = i + 1
    elseif line:find "^```" then
      block, i = code_block(lines, i)
    elseif line:find "^%s*|" and is_rule(lines[i + 1]) then
      block, i = table_block(lines, i, files)
    elseif item_of(line) then
      block, i = list_block(lines, i, files)
    else
      block, i = paragraph_block(lines, i, files)
    end
    out[#out + 1] = block
    local heading = headings[#headings]
    if heading and first < i and not line:find "^#" then
      heading.text = heading.text .. " " .. table.concat(lines, " ", first, i - 1)
    end
  end
  return table.concat(out, "\n"), headings
end

return markdown

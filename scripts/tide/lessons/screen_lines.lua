-- Divides text and code of a lesson into lines that fit the terminal.
local native = require "tide.native"
local prose = require "tide.lessons.prose"

local screen_lines = {}

local function move(lines, list) table.move(lines, 1, #lines, #list + 1, list) end

--- The lines of a text.
function screen_lines.split(text)
  local lines = {}
  for line in (text .. "\n"):gmatch "(.-)\n" do lines[#lines + 1] = line end
  return lines
end

local function longest(lines)
  local length = 0
  for _, line in ipairs(lines) do length = math.max(length, utf8.len(line) or #line) end
  return length
end

--- The lines of a comment. Paragraphs wider than the terminal are wrapped again; drawings are not changed.
function screen_lines.of_text(lines)
  local columns = native.terminal_size()
  if not columns or longest(lines) <= columns then return lines end
  local list, paragraph, in_drawing = {}, {}, false
  local function end_paragraph()
    if #paragraph > 0 then move(screen_lines.split(native.break_lines(table.concat(paragraph, " "))), list) end
    paragraph = {}
  end
  for _, line in ipairs(prose(lines)) do
    if line == "```" then
      end_paragraph()
      in_drawing = not in_drawing
    elseif in_drawing or not line:find "%S" then
      end_paragraph()
      list[#list + 1] = line
    else
      if line:find "^%- " or line:find "^%d+%. " then end_paragraph() end
      paragraph[#paragraph + 1] = line
    end
  end
  end_paragraph()
  return list
end

--- Lines of code, each after a mark. The rest of a line that is too long is indented; the rest of a comment is a
--- comment, too.
function screen_lines.of_code(lines, mark)
  local columns = native.terminal_size() or math.maxinteger
  local list = {}
  for _, line in ipairs(lines) do
    local rest, indentation = line, line:match "^ *%-%-%-? " or line:match "^ *" .. "    "
    while #mark + #rest > columns do
      local cut = rest:sub(1, columns - #mark + 1):match "^.*() "
      if not cut or cut <= #indentation + 1 then break end
      list[#list + 1] = mark .. rest:sub(1, cut - 1)
      rest = indentation .. rest:sub(cut + 1):match "^ *(.*)$"
    end
    list[#list + 1] = mark .. rest
  end
  return list
end

return screen_lines

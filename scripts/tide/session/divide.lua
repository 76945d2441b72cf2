-- Divides an input into commands and the Lua between them.

--- Whether a line is a command, where a statement may begin: unindented, or on the first line.
local function is_command(line, is_first)
  return line:find(is_first and "^%s*[%%!?]" or "^[!?]") ~= nil or line:find "^%%%a" ~= nil
end

--- The parts of a text in order: `text`, and the number of its first `line`. `is_unfinished(lua)`
--- returns whether more lines may complete a text. A command is one line; a %NAME command continues
--- as long as the text after the name is incomplete.
local function divide(text, is_unfinished)
  local parts, lines, first = {}, {}, 1
  local function add(from)
    local part = table.concat(lines, "\n")
    if part:find "%S" then parts[#parts + 1] = {text = part, line = first} end
    lines, first = {}, from
  end
  local number, in_command = 0, false
  for line in (text .. "\n"):gmatch "(.-)\n" do
    number = number + 1
    local so_far = table.concat(lines, "\n")
    local argument = in_command and so_far:match "^%s*%%%a[%w_]*%s+(.+)$"
    if in_command and not (argument and is_unfinished(argument)) then
      add(number)
      in_command = false
    end
    if not in_command and is_command(line, #parts == 0 and not so_far:find "%S")
      and not is_unfinished(so_far) then
      add(number)
      in_command = true
    end
    lines[#lines + 1] = line
  end
  add(number)
  return parts
end

return divide

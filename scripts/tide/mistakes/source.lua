-- Source lines of the running code: of scripts in files, and of texts passed to the program.
local tokens = require "tide.internal.tokens"

local source = {}

local kept = {} -- by chunk name, the lines of texts that are not files

--- Keeps the text of a chunk name; `first` is the number of its first line. Texts that were kept under
--- this name before remain, such as the earlier lines of a session at the prompt.
function source.keep(name, text, first)
  local lines = kept[name] or {}
  kept[name], lines.first = lines, first
  for line in (text .. "\n"):gmatch "(.-)\r?\n" do
    lines[first] = line
    first = first + 1
  end
end

--- The lines of a file; {} if it cannot be read.
local function lines_of_file(path)
  local file, lines = io.open(path), {}
  if not file then return lines end
  for line in file:lines() do lines[#lines + 1] = line end
  file:close()
  return lines
end

--- The lines of a chunk by its name (debug.getinfo's `source`): {} if unknown. Their field
--- `first` is the number at which the last text begins, if there were several.
function source.lines(name)
  if kept[name] then return kept[name] end
  if name:sub(1, 1) == "@" then return lines_of_file(name:sub(2)) end
  return {}
end

local kFilled <const> = {string = '"', comment = " "}

--- A line with the contents of strings and comments blanked; of the same length.
function source.code(line)
  local parts, at = {}, 1
  for _, token in ipairs(tokens(line)) do
    local filled = kFilled[token.kind]
    if filled then
      parts[#parts + 1] = line:sub(at, token.from - 1) .. filled:rep(#token.text)
      at = token.to + 1
    end
  end
  return table.concat(parts) .. line:sub(at)
end

return source

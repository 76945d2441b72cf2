-- The text of a line of a script, for tables and pages.
local kLongestFile <const> = 1 << 24

local files = {} -- by name: the lines; false if it cannot be read

local function read_lines(name)
  local file = io and io.open(name, "r")
  if not file then return false end
  local text = file:read(kLongestFile) or ""
  file:close()
  local lines = {}
  for line in (text .. "\n"):gmatch "(.-)\r?\n" do lines[#lines + 1] = line end
  return lines
end

--- The line without its indentation; "" if it is not known.
return function(name, number)
  if files[name] == nil then
    local read, lines = pcall(read_lines, name)
    files[name] = read and lines
  end
  local line = files[name] and files[name][number]
  return line and line:match "^%s*(.-)%s*$" or ""
end

-- tide.args: reads a script's own arguments by a table of names and defaults.
local checked = require "tide.internal.declare.checked"
local raise = require "tide.internal.raise"

--- The value of option `name` from its text, of the type of `default`.
local function convert(name, text, default)
  if type(default) == "boolean" then
    if text == nil or text == "true" then return true end
    if text == "false" then return false end
    raise("--%s: expected true or false, got %s", name, text)
  end
  if text == nil then raise("--%s: a value is missing", name) end
  if type(default) ~= "number" then return text end
  local number = tonumber(text)
  if not number then raise("--%s: expected a number, got %s", name, text) end
  if math.type(default) == "integer" then
    return math.tointeger(number) or raise("--%s: expected an integer, got %s", name, text)
  end
  return number
end

local function known_options(declared)
  local names = {}
  for name, default in pairs(declared) do
    names[#names + 1] = ("--%s (%s)"):format(name, tostring(default))
  end
  table.sort(names)
  return table.concat(names, ", ")
end

--- The script's arguments by name, "--epochs 5" or "--epochs=5", and the others as elements 1, 2, ... An undeclared
--- name is an error.
---@param defaults table  the default of each name, which determines the type of its value
---@param given? string[]  arguments to read; nil is those of the script
---@example
--- tide.args({epochs = 10}, {"--epochs", "5"}).epochs --> 5
local args = checked("args", function(declared, given)
  given = given or _G.arg or {}
  local values = {}
  for name, default in pairs(declared) do values[name] = default end
  local i = 1
  while i <= #given do
    local word = given[i]
    local name, text = word:match("^%-%-([%w_-]+)=?(.*)$")
    if not name then
      values[#values + 1] = word
    else
      name = name:gsub("-", "_")
      local default = declared[name]
      if default == nil then
        raise("unknown option --%s: known are %s", name, known_options(declared))
      end
      if not word:find("=", 1, true) then
        text = nil
        -- A boolean needs no value; other options consume the next argument.
        if type(default) ~= "boolean" then i, text = i + 1, given[i + 1] end
      end
      values[name] = convert(name, text, default)
    end
    i = i + 1
  end
  return values
end)

return args

-- Help on a name, `?text` at the prompt, its source, `??text`, and help on the name at the cursor.
local native = require "tide.native"
local source = require "tide.mistakes.source"

local explain = {}

--- The source of a Lua function or class, below its file and line; nil for others.
local function source_of(value)
  local fn = type(value) == "table" and (rawget(value, "init") or rawget(value, "forward")) or value
  if type(fn) ~= "function" then return nil end
  local info = debug.getinfo(fn, "S")
  if info.what == "C" then return nil end
  local own = info.source:match "^=%[tide%] (.*)$"
  local text = own and native.read_embedded("tide/" .. own)
  local lines, shown = {}, {("-- %s:%d"):format(info.short_src, info.linedefined)}
  if text then
    for line in (text .. "\n"):gmatch "(.-)\n" do lines[#lines + 1] = line end
  else
    lines = source.lines(info.source)
  end
  local first = info.linedefined
  while first > 1 and (lines[first - 1] or ""):find "^%s*%-%-" do first = first - 1 end
  for i = first, info.lastlinedefined do shown[#shown + 1] = lines[i] end
  return #shown > 1 and table.concat(shown, "\n") or nil
end

--- The source of the function that a text evaluates to, `??name`; otherwise the help on it.
function explain.source(session, text)
  local name = text:match "^[%s?]*(.-)%s*$"
  session:provide(name)
  local variables = setmetatable({}, {__index = function(_, key) return session:value_of(key) end})
  local read = load("return " .. name, "=", "t", variables)
  local known, value = pcall(read or error)
  return known and source_of(value) or explain.text(session, text)
end

--- The help on the value of a text; if it has none, on the text as a name.
function explain.text(session, text)
  text = text:match "^[%s?]*(.-)%s*$"
  if text == "" then return (require("tide").help()) end
  session:provide(text)
  return (require "tide.reference.asked"(text, session.environment))
end

--- The help on the name that contains the byte `position` of the text, or ends there; else on
--- the function whose arguments are there; nil if there is none.
function explain.at(session, text, position)
  local before = text:sub(1, position)
  local name = before:match "[%a_][%w_.:]*$"
  if name then
    name = name .. text:match("^[%w_]*", position + 1)
  else
    name = before:match "([%a_][%w_.:]*)%s*%([^()]*$" or text:match("^[%a_][%w_]*", position + 1)
  end
  if not name then return nil end
  session:provide(name)
  local found, is_known = require "tide.reference.asked"(name, session.environment)
  if is_known ~= false then return found end
end

return explain

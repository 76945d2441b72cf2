-- Adds hints on common mistakes to errors, especially those of Python users.
local calls = require "tide.mistakes.calls"
local in_lua = require "tide.mistakes.syntax"
local is_script = require "tide.internal.is_script"
local hint = require "tide.mistakes.values"
local named = require "tide.mistakes.named"
local source = require "tide.mistakes.source"
local suggest = require "tide.mistakes.suggest"

local kLongest <const> = 2000 -- characters of messages that are read: patterns take quadratic time

local mistakes = {}

--- The innermost line of a script on the stack: "file:line", and a function that gives its text.
local function script_place()
  local level = 2
  while true do
    local info = debug.getinfo(level, "Sl")
    if not info then return nil end
    if is_script(info) and info.currentline > 0 then
      local function text() return source.lines(info.source)[info.currentline] end
      return ("%s:%d"):format(info.short_src, info.currentline), text
    end
    level = level + 1
  end
end

--- Puts the script's line before a message of Lua about a line of the library.
local function in_the_name_of(place, message)
  local own, what = message:match "^(%[tide%] [^:]+:%d+): (.*)$"
  if not own or not place then return message end
  return ("%s: %s (%s)"):format(place, what, own)
end

--- A syntax error, followed by a line with the Lua equivalent. `chunk` is the chunk name of the file,
--- if it is not the name that the message begins with.
function mistakes.in_syntax(message, chunk)
  if #message > kLongest then return message end
  local file = message:match "([^\n\t]+):%d+: [^\n]+ near [^\n]+$"
  local text = file and in_lua(message, source.lines(chunk or "@" .. file))
  return text and message .. "\nin Lua: " .. text or message
end

local added -- hint added to the last message: an error may pass here several times

--- The message of an error with its hint; called by a message handler, on the stack of the error.
function mistakes.describe(message)
  if #message > kLongest then return message end
  if added and message:sub(-#added) == added then return message end
  local place, line = script_place()
  local call, at, name = calls.forgotten_colon(message)
  local text
  if call then
    if message:find("[tide]", 1, true) == 1 then message = ("%s: %s: self is missing"):format(at, name) end
    text = ("use ':'%s, as in %s"):format(message:find(at .. ":", 1, true) and "" or " at " .. at, call)
  else
    message = in_the_name_of(place, message)
    local dot = calls.needless_colon()
    text = dot and "use '.', as in " .. dot or hint(message, line) or suggest(message)
    message = named(message, place)
  end
  if not text then return mistakes.in_syntax(message) end
  if message:find(": there is no such name", 1, true) then -- known names are better than similar ones
    message = message:gsub("; did you mean '[^']*'%?", ""):gsub("; if it may be absent: [^;\n]*", "")
  end
  added = (message:find("\n", 1, true) and "\n" or "; ") .. text
  return message .. added
end

return mistakes

-- What `?TEXT` answers at the prompt: help on the value that a path of names leads to, on the field
-- or method of a tensor, else on the name. The path is walked without running an op: nothing is
-- read of a tensor.
local class = require "tide.internal.class"
local entry_text = require "tide.reference.entry_text"
local help = require "tide.reference.help"
local lookup = require "tide.reference.lookup"
local receivers = require "tide.reference.receivers"
local tide = require "tide"

--- The names in "net[1].weight:sum(...)": a list {"net", 1, "weight", "sum"}; nil if it is not a path.
local function path_of(text)
  local path = {text:match "^[%a_][%w_]*"}
  if not path[1] then return nil end
  local place = #path[1] + 1
  while true do
    local _, last, name = text:find("^%s*[.:]%s*([%a_][%w_]*)", place)
    if not last then _, last, name = text:find("^%s*%[%s*(%d+)%s*%]", place) end
    if not last then break end
    path[#path + 1] = math.tointeger(name) or name
    place = last + 1
  end
  -- Arguments may follow the path: the help is on the called function.
  local rest = text:sub(place)
  return (rest:find "^%s*$" or rest:find "^%s*[({\"'%[]") and path or nil
end

--- Whether a function is the library's: it reads files, but runs no op.
local function is_of_library(fn)
  local about = debug.getinfo(fn, "S")
  return about.what == "C" or about.source:find "^=%[tide%]" ~= nil
end

local function index(value, key) return value[key] end

--- What a value has under a key, without computing anything: some fields are computed when they are
--- read. Nothing is read of a tensor.
local function member_of(value, key)
  local meta = debug.getmetatable(value)
  local own = type(value) == "table" and rawget(value, key) or nil
  if own ~= nil or not meta then return own end
  if type(value) == "table" and (rawget(meta, "__name") or rawget(value, "__name")) then
    return class.member(rawget(meta, "__name") and meta or value, key)
  end
  local by = rawget(meta, "__index")
  if type(by) == "table" then return member_of(by, key) end
  if type(by) ~= "function" or not is_of_library(by) then return nil end
  local found, member = pcall(index, value, key)
  return found and member or nil
end

--- The entries on a field or a method of an object; nil if the reference has none.
local function entries_of_member(receiver, name)
  return lookup.exact(receiver .. "." .. name) or lookup.exact(receiver .. ":" .. name)
end

--- The value that a path leads to, and the object that it is a member of. Of a tensor nothing is
--- read: there is no value then.
local function walk(path, variables)
  local value, owner = member_of(variables, path[1]), nil
  for i = 2, #path do
    if value == nil then return nil end
    if tide.is_tensor(value) then return nil, value end
    owner = value
    value = member_of(value, path[i])
  end
  return value, owner
end

--- The text of the reference for a question; if there is none, a text that says so, and false.
--- `variables` are those that a path may begin with, the globals by default.
local function asked(text, variables)
  text = text:match "^%s*(.-)%s*$"
  local path = path_of(text)
  if not path then return help(text) end
  local value, owner = walk(path, variables or _G)
  local receiver = tide.is_tensor(owner) and "x" or receivers.of(owner)
  local found = receiver and entries_of_member(receiver, path[#path])
  if found then return entry_text(found) end
  if value ~= nil then return help(value) end
  return help((text:gsub("%s*[({\"'%[].*$", "")))
end

return asked

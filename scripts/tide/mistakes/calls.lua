-- Finds calls written with '.' instead of ':', net.parameters(), and vice versa: tide:ones(3).
local is_script = require "tide.internal.is_script"
local source = require "tide.mistakes.source"

local kLongest <const> = 40 -- characters of arguments that are shown
local kDeepest <const> = 50 -- levels of the stack that are searched

--- The value of a name in the function at stack level `level`: a local, an upvalue or a global.
local function variable(level, name)
  local found, i = nil, 1
  while true do
    local known, value = debug.getlocal(level + 1, i)
    if not known then break end
    if known == name then found = value end -- the last one is the innermost
    i = i + 1
  end
  if found ~= nil then return found end
  local fn = debug.getinfo(level + 1, "f").func
  for k = 1, 255 do
    local known, value = debug.getupvalue(fn, k)
    if not known then break end
    if known == name then return value end
  end
  return rawget(_G, name)
end

--- The value of "net", "self.net" or "nets[1]" at a stack level; nil for anything else.
local function resolve(level, text)
  local name, rest = text:match "^([%a_][%w_]*)(.*)$"
  if not name then return nil end
  local value = variable(level + 1, name)
  while rest ~= "" do
    local key, after = rest:match "^%.([%a_][%w_]*)(.*)$"
    if not key then
      key, after = rest:match "^%[(%d+)%](.*)$"
      key = math.tointeger(tonumber(key))
    end
    if key == nil or value == nil then return nil end
    local ok, field = pcall(function() return value[key] end)
    value, rest = ok and field or nil, after
  end
  return value
end

--- Whether a value is an object whose methods are called with ':'.
local function is_object(value)
  if type(value) == "userdata" or type(value) == "string" then return true end
  local meta = type(value) == "table" and debug.getmetatable(value)
  return type(meta) == "table" and rawget(meta, "__name") ~= nil
end

--- The function that `object:name()` calls, unless it is a field of the object itself; else nil.
local function method_of(object, name)
  if type(object) == "table" and rawget(object, name) ~= nil then return nil end
  local ok, method = pcall(function() return object[name] end)
  return ok and type(method) == "function" and method or nil
end

--- The calls `.NAME(...)` in a line: their arguments as text, and the receiver if it is a
--- name with fields; "" for arguments that do not end in this line.
local function calls_in(line, name)
  local code = source.code(line)
  return coroutine.wrap(function()
    for dot, open in code:gmatch("()%." .. name .. "%s*()[%({\"]") do
      local before = code:sub(1, dot - 1)
      local arguments = code:match("^%b()", open) or code:match("^%b{}", open) or code:match("^\"+", open)
      arguments = arguments and line:sub(open, open + #arguments - 1) or ""
      coroutine.yield(arguments, before:match "[%a_][%w_%.%[%]]*$")
    end
  end)
end

--- Whether the function called at stack level `level` is a method of its `self`.
local function has_self(level, method)
  local _, first = debug.getlocal(level + 1, 1)
  return is_object(first) and method_of(first, debug.getinfo(level + 1, "n").name) == method
end

local function spelt(receiver, name, arguments)
  if arguments == "" or #arguments > kLongest then arguments = "(...)" end
  return ("%s:%s%s"):format(receiver or "", name, arguments)
end

--- The correct call of a library function that was called as a method of its table: tide:ones(3).
local function hint_colon(level, callee, caller)
  local line = source.lines(caller.source)[caller.currentline] or ""
  local code = source.code(line)
  for before, open in code:gmatch("()%f[%w_][%w_%.]*():" .. callee.name .. "%s*[%({\"]") do
    local receiver = code:sub(before, open - 1)
    local place = resolve(level + 1, receiver)
    local meta = type(place) == "table" and debug.getmetatable(place)
    if type(meta) == "table" and rawget(meta, "__name") == nil and rawget(place, callee.name) ~= nil then
      return ("%s.%s(...)"):format(receiver, callee.name)
    end
  end
  return nil
end

--- The call of the function at stack level `level` with ':', if that was forgotten.
local function hint(level, callee, caller, message)
  local name = callee.name
  local in_lua = callee.what ~= "C"
  if in_lua and debug.getlocal(callee.func, 1) ~= "self" then return nil end
  if not in_lua and not message:find("expected", 1, true) then return nil end
  if in_lua and has_self(level + 1, callee.func) then return nil end
  local line = source.lines(caller.source)[caller.currentline]
  for arguments, receiver in calls_in(line or "", name) do
    local object = receiver and resolve(level + 2, receiver)
    if object == nil then
      if in_lua or not receiver and message:find("argument 1", 1, true) then
        return spelt(nil, name, arguments)
      end
    elseif is_object(object) and method_of(object, name) == callee.func then
      local passed = not in_lua and arguments:match "^%(%s*(.-)%s*[,%)]" == receiver
      if not passed then return spelt(receiver, name, arguments) end
    end
  end
  return nil
end

local calls = {}

--- For the error `message`, whose handler calls this: the correct call of a library function that the innermost line of
--- the script called with ':'; else nil.
function calls.needless_colon()
  for level = 2, kDeepest do
    local callee, caller = debug.getinfo(level, "Snf"), debug.getinfo(level + 1, "Sl")
    if not caller then return nil end
    if is_script(caller) then
      return callee.namewhat == "method" and hint_colon(level + 1, callee, caller) or nil
    end
  end
  return nil
end

--- For the error `message`, whose handler calls this: the corrected form of the failed call, its file
--- and line, and the method's name; nil if no ':' was forgotten.
function calls.forgotten_colon(message)
  for level = 2, kDeepest do
    local callee, caller = debug.getinfo(level, "Snf"), debug.getinfo(level + 1, "Sl")
    if not caller then return nil end
    if is_script(caller) and (callee.namewhat == "field" or callee.namewhat == "method") then
      local text = hint(level, callee, caller, message)
      if text then return text, ("%s:%d"):format(caller.short_src, caller.currentline), callee.name end
    end
  end
  return nil
end

return calls

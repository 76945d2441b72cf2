-- Adds the function that the script called to errors that name only an inner function of the library.
local is_script = require "tide.internal.is_script"
local source = require "tide.mistakes.source"

local kByName <const> = {field = true, method = true, global = true} -- calls whose name is that of the function
local kOfLua <const> = {"_G", "string", "table", "math", "io", "os", "coroutine", "debug", "utf8", "package"}

--- Whether a function is one of Lua's own.
local function is_of_lua(name, fn)
  for _, library in ipairs(kOfLua) do
    if rawget(package.loaded[library], name) == fn then return true end
  end
  return false
end

--- Whether the function `callee` at stack level `level` runs as the call of an object, net(x), whose name is a
--- variable's; or as a method of an object whose class the message names.
local function needs_no_name(level, callee, message)
  local _, first = debug.getlocal(level + 1, 1)
  local meta = debug.getmetatable(first)
  local class = type(meta) == "table" and rawget(meta, "__name")
  if not class then return false end
  return rawget(meta, "__call") == callee.func
    or callee.namewhat == "method" and message:find(class .. ":", 1, true) ~= nil
end

--- The name of the field or method that a line of a script calls; nil if it makes several calls.
local function only_call(caller)
  local line, found = source.lines(caller.source)[caller.currentline], nil
  for before, name in source.code(line or ""):gmatch "([%.:]?)([%w_%]%)]+)%s*[%({\"]" do
    if found or before == "" then return nil end
    found = name
  end
  return found
end

--- The name by which the innermost line of a script called a function of the library; nil if it called none.
local function called_name(message)
  local level = 2
  while true do
    local callee, caller = debug.getinfo(level, "Snft"), debug.getinfo(level + 1, "Sl")
    if not caller then return nil end
    if is_script(callee) then return nil end
    if is_script(caller) then
      if callee.istailcall then return only_call(caller) end -- another function was called, which called this one last
      if not kByName[callee.namewhat] or is_of_lua(callee.name, callee.func) then return nil end
      return not needs_no_name(level, callee, message) and callee.name or nil
    end
    level = level + 1
  end
end

--- The error `message`, which begins with `place`, with the name of the called function if it lacks it; called by a
--- message handler, on the stack of the error. Errors from a device, and out-of-memory errors, already name the op.
local function named(message, place)
  if message:find("; queued at ", 1, true) or message:find(": out of memory on ", 1, true) then return message end
  local name = place and message:sub(1, #place + 2) == place .. ": " and called_name(message)
  if not name or message:match("^[^\n]*", #place + 1):find(name:match "^(.-)_?$", 1, true) then return message end
  local own = message:match("^([%w_]+): ", #place + 3)
  if own and name == "is_" .. own then return message end -- "nil: got 1"
  return ("%s: %s: %s"):format(place, name, message:sub(#place + 3))
end

return named

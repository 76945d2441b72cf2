-- Adds to an error raised inside modules the path of the module: net[4] (Linear 10 -> 2).
local place = require "tide.nn.internal.place"

local describe_error = {}

local call  -- implements `module(...)`: its stack frames are the running modules

--- Sets the function that calls modules.
function describe_error.watch(fn) call = fn end

--- The name of the local or upvalue with this value in the function at stack level `level`.
local function name_in_function(level, info, value)
  for i = 1, 200 do
    local name, content = debug.getlocal(level + 1, i)
    if not name then break end
    -- Names in parentheses are internal to Lua.
    if rawequal(content, value) and name:sub(1, 1) ~= "(" then return name end
  end
  for i = 1, 255 do
    local name, content = debug.getupvalue(info.func, i)
    if not name then break end
    if rawequal(content, value) then return name end
  end
end

--- The name of the variable that holds `value`: in the innermost function from stack level `level` up, or a global
--- except results of the prompt (_, _12).
local function name_from(level, value)
  while true do
    local info = debug.getinfo(level, "f")
    if not info then break end
    local name = name_in_function(level, info, value)
    if name then return name end
    level = level + 1
  end
  for name, content in pairs(_G) do
    local is_result = type(name) ~= "string" or name:find "^_%d*$"
    if rawequal(content, value) and not is_result then return name end
  end
end

--- "net[4] (Linear 10 -> 2)": the path from the outermost running module to the innermost.
local function path(modules, root)
  local text = root
  for i = #modules - 1, 1, -1 do text = text .. place.step(modules[i + 1], modules[i]) end
  return ("%s (%s)"):format(text, place.kind(modules[1]))
end

local described  -- the last message made here, which outer modules pass on unchanged

--- A message handler for xpcall: inserts the module's path after the file and line.
function describe_error.handler(message)
  if type(message) ~= "string" or message == described then return message end
  local modules, root = {}, nil
  local level = 2
  while true do
    local info = debug.getinfo(level, "f")
    if not info then break end
    if info.func == call then
      local _, module = debug.getlocal(level, 1)
      modules[#modules + 1] = module
      root = level
    end
    level = level + 1
  end
  if #modules == 0 then return message end
  message = require "tide.mistakes.errors".describe(message) -- while the stack frames still exist
  local outermost = modules[#modules]
  local name = name_from(root + 2, outermost) or getmetatable(outermost).name:lower()
  local where, what = message:match("^(.-:%d+: )(.*)$")
  described = ("%s%s: %s"):format(where or "", path(modules, name), what or message)
  return described
end

return describe_error

-- Runs Lua that is typed when a lesson pauses, with the lesson's variables.
local compile = require "tide.session.compile"
local native = require "tide.native"

local typed = {} -- variables defined by typed lines

--- The stack level, as seen by the caller, and the index of a local of the lesson's main chunk; nil if it has none with
--- this name.
local function find_local(main, name)
  local level = 2
  while true do
    local info = debug.getinfo(level, "f")
    if not info then return nil end
    if info.func == main then break end
    level = level + 1
  end
  local found
  for i = 1, math.maxinteger do
    local other = debug.getlocal(level, i)
    if not other then break end
    if other == name then found = i end
  end
  return found and level - 1, found
end

local function environment_of(main)
  return setmetatable({}, {
    __index = function(_, name)
      local level, index = find_local(main, name)
      if level then return (select(2, debug.getlocal(level, index))) end
      if typed[name] ~= nil then return typed[name] end
      return _G[name]
    end,
    __newindex = function(_, name, value)
      local level, index = find_local(main, name)
      if level then
        debug.setlocal(level, index, value)
      else
        typed[name] = value
      end
    end,
  })
end

--- Runs a line, and prints its results or its error. `main` is the running function of the lesson.
return function(line, main)
  local kind, value = compile(line, "=typed", environment_of(main), function() end)
  local results
  if kind == "run" then
    results = table.pack(pcall(value))
    if results[1] then
      if results.n > 1 then print(table.unpack(results, 2, results.n)) end
      return
    end
    value = results[2]
  elseif kind == "unfinished" then
    value = "the line is unfinished"
  end
  io.stdout:write(native.break_lines(tostring(value)), "\n")
end

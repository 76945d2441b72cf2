-- Runs this very program again: run("lesson 1 --device cpu") gives what it printed, and whether it
-- succeeded.

--- Where the program that runs this script lies.
local function program()
  local pipe = assert(io.popen("readlink /proc/$PPID/exe"))
  local path = pipe:read("l")
  pipe:close()
  return path
end

local path = program()

--- All output of `tide WORDS`, and true if its exit status was 0.
local function run(words)
  local pipe = assert(io.popen(("'%s' %s 2>&1"):format(path, words)))
  local output = pipe:read("a")
  return output, pipe:close() == true
end

return run

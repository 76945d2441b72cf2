-- Runs this program again: run("lesson 1 --device cpu") returns its output, and whether it
-- succeeded. With a shell prefix: run("-e 1", "ulimit -v 1000000; exec").

--- The path of the program that runs this script.
local function program()
  local pipe = assert(io.popen("readlink /proc/$PPID/exe"))
  local path = pipe:read("l")
  pipe:close()
  return path
end

local path = program()

--- All output of `tide WORDS`, and true if its exit status was 0.
local function run(words, before)
  local pipe = assert(io.popen(("%s '%s' %s 2>&1"):format(before or "", path, words)))
  local output = pipe:read("a")
  return output, pipe:close() == true
end

return run

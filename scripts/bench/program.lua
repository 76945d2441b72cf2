-- Processes that workloads start.
local program = {}

--- The output of a shell command; raises an error if it fails.
function program.output(command)
  local pipe = assert(io.popen(command))
  local text = pipe:read("a")
  assert(pipe:close(), "bench: this failed: " .. command)
  return text
end

--- The path of this program.
function program.path()
  return program.output("readlink /proc/$PPID/exe"):match("^[^\n]+")
end

--- An empty folder at `path`, which is gone when the object is closed or collected.
function program.folder()
  local path = program.output("mktemp -d"):match("^[^\n]+")
  local function remove() os.execute(("rm -rf '%s'"):format(path)) end
  return setmetatable({path = path}, {__close = remove, __gc = remove})
end

return program

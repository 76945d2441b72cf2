-- Shell commands for tests, and the build folder.
local shell = {}

--- The output of `command`; raises an error with the output if it fails.
function shell.run(command)
  local pipe = assert(io.popen(("{ %s\n} 2>&1"):format(command)))
  local output = pipe:read("a")
  if not pipe:close() then error(("command failed: %s\n%s"):format(command, output), 2) end
  return output
end

--- The folder of the build that runs this test.
shell.build = shell.run("readlink -f /proc/$PPID/exe"):match("^(.*)/[^/]*$")

local folders <const> = setmetatable({}, {
  __gc = function(paths)
    for _, path in ipairs(paths) do os.execute(("rm -rf '%s'"):format(path)) end
  end,
})

--- The path of a new folder, which is removed when the process ends.
function shell.temporary_folder()
  local path = shell.run("mktemp -d"):match("^[^\n]+")
  folders[#folders + 1] = path
  return path
end

--- A function that calls `make` on the first call, and returns its result each time.
function shell.once(make)
  local result
  return function()
    result = result or make()
    return result
  end
end

return shell

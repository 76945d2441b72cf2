-- The workload that starts a new process: load, compute, print, end.

--- Where this very program lies.
local function program()
  local pipe = assert(io.popen("readlink /proc/$PPID/exe"))
  local path = pipe:read("l")
  pipe:close()
  return path
end

return {
  {
    name = "startup",
    words = "a new process: load, make ones(2, 2), add 1, print it",
    unit = "ms",
    figure = function(t) return t * 1e3 end,
    make = function()
      local command = ("exec '%s' -e 'print(tide.ones(2, 2) + 1)' > /dev/null"):format(program())
      return function() assert(os.execute(command)) end
    end,
  },
}

-- Starts a process that never ends, writes its process id and its own, and waits for it.
local tide = require "tide"

local ready = tide.channel()
local endless = tide.process(function(channel)
  channel:push "running"
  while true do end
end, ready)
ready:pop()
print(tostring(endless):match "%d+", io.open("/proc/self/stat"):read "n")
io.stdout:flush()
endless:join()

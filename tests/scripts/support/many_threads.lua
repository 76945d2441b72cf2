-- Asks for more threads than there is room for: a sum is shared out to those that there are.
local tide = require "tide"
local before = (tide.arange(1, 4000000) * 2):sum():item()
tide.set_num_threads(1000)
assert((tide.arange(1, 4000000) * 2):sum():item() == before)
local threads = 0
for line in io.lines "/proc/self/status" do threads = line:match "^Threads:%s+(%d+)" or threads end
print(threads)

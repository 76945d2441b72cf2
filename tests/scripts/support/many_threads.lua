-- Requests more threads than fit into memory: a sum is divided among the existing ones.
local tide = require "tide"
local before = (tide.arange(1, 4000000) * 2):sum():item()
tide.set_num_threads(1000)
assert((tide.arange(1, 4000000) * 2):sum():item() == before)
local threads = 0
for line in io.lines "/proc/self/status" do threads = line:match "^Threads:%s+(%d+)" or threads end
print(threads)

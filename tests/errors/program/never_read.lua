-- Failures that were never read are reported at the end, each kind once.
for _ = 1, 1000 do
  local rows = tide.ones(2, 3):index_select(1, tide.tensor {3})
end
local x = tide.ones(4):gather(1, tide.tensor {0})
--> tide: index_select: position 3 is out of range: there are 2; queued at never_read.lua:3 (index_select), never read, 1000 times
--> tide: gather: position 0 is out of range: positions start at 1; queued at never_read.lua:5 (gather), never read

-- Integers divided by 0 in a loop whose result is never read.
local x = tide.tensor {7, 8}
for _ = 1, 200 do
  local rest = x % tide.tensor {2, 0}
end
--> tide: remainder: integer division by zero; queued at division_by_zero.lua:4 (remainder), never read, 200 times

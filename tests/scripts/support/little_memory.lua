-- Allocates blocks of a number of bytes until the process's memory limit, releases them, and
-- continues: prints the number of attempts until a new kernel could be compiled.
local tide = require "tide"
local count = tonumber(arg[1]) // 4

local before = (tide.ones(count) * 2):sum():item()
local kept = {}
local ok, message = pcall(function()
  for i = 1, 1 << 20 do
    kept[i] = tide.zeros(count)
    tide.synchronize()
  end
end)
assert(not ok and message:find "out of memory", message)
kept = nil
for _ = 1, 3 do collectgarbage() end

local tries, found, result = 0, false, nil
repeat
  tries = tries + 1
  found, result = pcall(function() return (tide.ones(count) * 2 - 1):sin():cos():sum():item() end)
  assert(found or result:find "out of memory", result)
until found or tries == 10
assert(math.abs(result / count - math.cos(math.sin(1))) < 1e-6, result)
assert((tide.ones(count) * 2):sum():item() == before)
print(tries)

-- Answers to the exercises of lesson 11, transfers.
--
-- To try them:   tide lesson 11 --answers > mine.lua      and then   tide mine.lua
local tide = require "tide"

local options = tide.args {device = tide.cuda.is_available() and "cuda" or "sim"}
local device = tide.device(options.device)
tide.manual_seed(1)

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

local far = device.type == "cpu" and tide.device("sim:0") or device

-- 1. The largest of a million numbers: how many bytes travel?
heading "1. Bytes on the road"

local x = tide.randn(1000000, {device = far})
local all, one = x:cpu(), x:max():cpu()
print(("x:cpu():max() brings %d bytes, x:max():cpu() brings %d"):format(all.nbytes, one.nbytes))
assert(all.nbytes == 4000000 and one.nbytes == 4 and all:max():item() == one:item())

-- 2. From which number of uses on does pinning pay?
heading "2. When pinning pays"

-- n uses cost pin + n * road with pinning, n * (road + detour) without: the road cancels out.
local function pays_from(pin, detour) return pin // detour + 1 end
local function cost(n, pin, road, detour) return pin + n * road, n * (road + detour) end
local n = pays_from(32, 8)
print(("from %d uses on"):format(n))
local pinned, pageable = cost(n, 32, 8, 8)
assert(n == 5 and pinned < pageable)
pinned, pageable = cost(n - 1, 32, 8, 8)
assert(pinned >= pageable, "one use less, and it does not pay yet")

-- 3. Change the source right after a copy with non_blocking = true.
heading "3. Which numbers arrive"

for _, source in ipairs {tide.ones(1000), tide.ones(1000):pin_memory()} do
  local there = source:to(far, {non_blocking = true})
  source:fill_(7) -- possibly before the copy has begun
  print(("pinned: %-5s  the sum over there is %d"):format(source:is_pinned(), there:sum():item()))
  assert(there:sum():item() == 1000, "those of the line with `to`, always")
end

-- Answers to the exercises of lesson 18, mixed precision.
--
-- To try them:   tide lesson 18 --answers > mine.lua      and then   tide mine.lua
local tide = require "tide"

local options = tide.args {device = tide.cuda.is_available() and "cuda" or "sim"}
local device = tide.device(options.device)
tide.manual_seed(1)

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

-- 1. Up to which number are all whole numbers there?
heading "1. Whole numbers"

for dtype, limit in pairs {float16 = 2048, bfloat16 = 256} do
  local numbers = tide.range(1, limit + 1, {device = device})
  local kept = numbers:to(dtype):to("int64"):eq(numbers)
  print(("%-9s all up to %d, but not %d"):format(dtype, limit, limit + 1))
  assert(kept:sum():item() == limit and not kept[-1]:item())
end
-- float16 has 10 digits (bits) and one that is always 1: 2^11. bfloat16 has 7 and one: 2^8.

-- 2. Keep what was rounded away in a second number.
heading "2. A sum that forgets nothing"

local sum = tide.ones(1, {dtype = "bfloat16", device = device})
local rest = tide.zeros(1, {dtype = "bfloat16", device = device})
tide.eager(function() -- step by step: as one kernel, a thousand steps take long to compile
  for _ = 1, 1000 do
    rest = rest + 0.001
    local next_sum = sum + rest    -- mostly sum itself: rest is too small
    rest = rest - (next_sum - sum) -- what of it did not arrive
    sum = next_sum
  end
end)
print(("1 + 1000 * 0.001 = %g"):format(sum:item() + rest:item()))
assert(math.abs(sum:item() + rest:item() - 2) < 0.1)

-- 3. Until a gradient of 60 fits into float16, at a scale of 65536.
heading "3. Overflows"

-- 60 * scale must be at most 65504: scale <= 1091, so 1024 = 65536 / 2^6.
local expected = math.ceil(math.log(65536 * 60 / 65504, 2))
local scaler = tide.amp.GradScaler()
local w = tide.nn.Parameter(tide.ones(1, {device = device}))
local optimizer = tide.optim.SGD({w}, {lr = 1e-3})
local overflows = 0
repeat
  optimizer:zero_grad()
  local before = scaler:get_scale()
  scaler:scale((w * 60):sum()):backward()
  w.grad:copy_(w.grad:to("float16")) -- as if it had been computed in float16
  scaler:step(optimizer)
  scaler:update()
  local left_out = scaler:get_scale() < before
  if left_out then overflows = overflows + 1 end
until not left_out
print(("%d overflows, then a scale of %d"):format(overflows, scaler:get_scale() // 1))
assert(overflows == expected and scaler:get_scale() == 1024)

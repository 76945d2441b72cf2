-- Answers to the exercises of lesson 16, data loading.
--
-- To try them:   tide lesson 16 --answers > mine.lua      and then   tide mine.lua
local tide = require "tide"
local data = tide.data

local options = tide.args {device = tide.cuda.is_available() and "cuda" or "sim"}
local device = tide.device(options.device)
tide.manual_seed(1)

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

-- 1. 123 samples in batches of 16.
heading "1. Batches"

local samples = tide.randn(123, 4)
local loader = data.DataLoader(samples, {batch_size = 16})
local whole = data.DataLoader(samples, {batch_size = 16, drop_last = true})
local last
for batch in loader do last = #batch end
print(("%d batches, the last has %d; drop_last leaves out %d"):format(#loader, last,
  123 - 16 * #whole))
assert(#loader == (123 + 15) // 16 and last == 123 % 16 and #whole == 123 // 16)

-- 2. A collate_fn that fills samples up with zeros.
heading "2. Samples of different lengths"

local uneven = {len = function() return 10 end, get = function(_, i) return tide.ones(i) end}

--- A list of samples as one batch, and how long each of them was.
local function pad(list)
  local lengths = {}
  for i, sample in ipairs(list) do lengths[i] = #sample end
  return tide.nn.utils.rnn.pad_sequence(list, {batch_first = true}), tide.tensor(lengths)
end
for batch, lengths in data.DataLoader(uneven, {batch_size = 4, collate_fn = pad}) do
  local there = batch:to(device)
  print(("(%s), lengths %s"):format(table.concat(there.shape, ", "),
    table.concat(lengths:tolist(), " ")))
  assert(there:size(2) == lengths:max():item(), "as long as the longest of them")
  assert(there:sum():item() == lengths:sum():item(), "all ones are there, followed by zeros")
end

-- 3. 800 samples to learn from, 200 to test with, and none in both.
heading "3. A split"

local parts = data.random_split(tide.range(1, 1000), {800, 200})
local seen, count = {}, 0
for _, part in ipairs(parts) do
  for batch in data.DataLoader(part, {batch_size = 100}) do
    for _, number in ipairs(batch:tolist()) do
      assert(not seen[number], "in one part only")
      seen[number], count = true, count + 1
    end
  end
end
print(("%d and %d, and all of them are different"):format(#parts[1], #parts[2]))
assert(count == 1000 and #parts[1] == 800)

-- Answers to the exercises of lesson 20, writing text.
--
-- To try them:   tide lesson 20 --answers > mine.lua      and then   tide mine.lua
local tide = require "tide"
local nn = tide.nn

local options = tide.args {device = tide.cuda.is_available() and "cuda" or "sim"}
local device = tide.device(options.device)
tide.manual_seed(1)

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

local text = [[
They dined on mince, and slices of quince,
Which they ate with a runcible spoon;
And hand in hand, on the edge of the sand,
They danced by the light of the moon,
The moon,
The moon,
They danced by the light of the moon.
]]

-- 1. Draw the next letter from counts of pairs of letters.
heading "1. Pairs of letters"

local alphabet, position_of = {}, {}
for letter in text:gmatch(".") do
  if not position_of[letter] then
    alphabet[#alphabet + 1] = letter
    position_of[letter] = #alphabet
  end
end
local counts = tide.zeros(#alphabet, #alphabet):tolist()
for i = 1, #text - 1 do
  local row = counts[position_of[text:sub(i, i)]]
  local column = position_of[text:sub(i + 1, i + 1)]
  row[column] = row[column] + 1
end
local pairs_of = tide.tensor(counts, {device = device})
local written, last = {"T"}, position_of.T
for i = 2, 60 do
  last = tide.multinomial(pairs_of[last], 1):item()
  written[i] = alphabet[last]
end
print(table.concat(written))
-- Two letters are all it knows: it makes syllables, but no words. The network's state reaches back.
for i = 1, 59 do
  assert(text:find(written[i] .. written[i + 1], 1, true), "each pair occurs in the text")
end

-- 2. The loss of a model that gives each letter its share of the whole text.
heading "2. Shares"

local shares = {}
for i, letter in ipairs(alphabet) do
  local _, count = text:gsub(letter:gsub("%p", "%%%0"), "")
  shares[i] = count / #text
end
-- The mean of -log(share of the letter) over the text: each letter comes with its own share.
local p = tide.tensor(shares, {device = device})
local loss = -(p * p:log()):sum():item()
print(("%.3f, against %.3f of one that knows nothing"):format(loss, math.log(#alphabet)))
assert(math.abs(p:sum():item() - 1) < 1e-5 and loss < math.log(#alphabet))

-- 3. nn.LSTM in the place of nn.GRU.
heading "3. An LSTM"

-- Nothing has to change in Writer but the name: what comes out second is handed back in as it is.
local memory = nn.LSTM(32, 16, {batch_first = true}):to(device)
local seen, state = memory(tide.randn(1, 5, 32, {device = device}))
local again = memory(tide.randn(1, 1, 32, {device = device}), state)
print(("its state is a %s of %d tensors"):format(type(state), #state))
assert(seen:size(3) == 16 and again:size(2) == 1 and #state == 2)

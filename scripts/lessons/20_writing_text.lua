-- Lesson 20: writing text. A network reads a poem letter by letter, and writes on its own.
--
-- Run it:        tide lesson 20
-- On the cpu:    tide lesson 20 --device cpu
-- Your text:     tide lesson 20 --file words.txt --steps 2000
-- Very small:    tide lesson 20 --steps 2 --hidden 16 --length 8
--
-- Language models guess what comes next, again and again. A large one has read the internet; this
-- one reads a poem of Edward Lear (1871) and guesses the next letter.
local tide = require "tide"
local nn, optim = tide.nn, tide.optim
local F = nn.functional

local options = tide.args {
  device = tide.cuda.is_available() and "cuda" or "sim",
  steps = 150,  -- training steps
  hidden = 96,  -- how many numbers the network can keep in mind
  length = 48,  -- letters that it reads in a row
  file = "",    -- another text to learn
}
local device = tide.device(options.device)
tide.manual_seed(1)

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

local text = [[
The Owl and the Pussy-cat went to sea
In a beautiful pea-green boat,
They took some honey, and plenty of money,
Wrapped up in a five-pound note.
The Owl looked up to the stars above,
And sang to a small guitar,
"O lovely Pussy! O Pussy, my love,
What a beautiful Pussy you are,
You are,
You are!
What a beautiful Pussy you are!"

Pussy said to the Owl, "You elegant fowl!
How charmingly sweet you sing!
O let us be married! too long we have tarried:
But what shall we do for a ring?"
They sailed away, for a year and a day,
To the land where the Bong-tree grows
And there in a wood a Piggy-wig stood
With a ring at the end of his nose,
His nose,
His nose,
With a ring at the end of his nose.
]]
if options.file ~= "" then
  local file <close> = assert(io.open(options.file))
  text = file:read("a")
end

-- 1. Letters are positions ------------------------------------------------------------------------
-- A network reads numbers. So each letter that occurs gets one: its position in an alphabet of our
-- own. Two tables go to and fro.
heading "1. The alphabet of this text"

local alphabet, position_of = {}, {}
for letter in text:gmatch(".") do
  if not position_of[letter] then
    alphabet[#alphabet + 1] = letter
    position_of[letter] = #alphabet
  end
end

--- A text as a tensor of positions, and positions in a list as a text.
local function encode(words)
  local positions = {}
  for letter in words:gmatch(".") do positions[#positions + 1] = position_of[letter] end
  return tide.tensor(positions)
end
local function decode(positions)
  local letters = {}
  for i, position in ipairs(positions) do letters[i] = alphabet[position] end
  return table.concat(letters)
end
-- In Lua's patterns "." is a byte; letters beyond English are several bytes: fine for this
-- purpose.
local codes = encode(text):to(device)
print(("  %d letters, %d different ones: %s"):format(#codes, #alphabet,
  table.concat(alphabet):gsub("\n", " ")))
assert(decode(codes:tolist()) == text, "there and back")

-- 2. A network with a memory ----------------------------------------------------------------------
-- What comes next depends on what was before. A recurrent layer goes from letter to letter and
-- keeps a state: some numbers that it changes at each step.
--
--      T        h        e        _
--      |        |        |        |
--     GRU ---> GRU ---> GRU ---> GRU --->  state
--      |        |        |        |
--      h?       e?       _?       O?       guesses
heading "2. The network"

local Writer = tide.class("Writer", nn.Module)

function Writer:init(letters, hidden)
  self.embedding = nn.Embedding(letters, 32) -- 32 numbers for each letter, learned like all others
  self.memory = nn.GRU(32, hidden, {batch_first = true})
  self.guess = nn.Linear(hidden, letters)
end

--- Scores of the letter after each letter, and the state at the end.
function Writer:forward(letters, state)
  local seen, last = self.memory(self.embedding(letters), state)
  return self.guess(seen), last
end

local writer = Writer(#alphabet, options.hidden):to(device)
print(writer)
local scores, state = writer(codes[{{1, 4}}]:unsqueeze(1))
assert(scores.shape[1] == 1 and scores.shape[2] == 4 and scores.shape[3] == #alphabet)
assert(state.shape[3] == options.hidden)

-- 3. Learning to guess ----------------------------------------------------------------------------
-- A sample is a piece of the text; its targets are the same piece, one letter further on. Who
-- knows nothing gives each letter the same share: then the loss is the logarithm of their number.
heading "3. Learning"

local length = math.min(options.length, #codes - 1)
local places = tide.range(0, length - 1, {device = device})

--- Some random pieces of the text, and the letters that follow each of their letters.
local function pieces(count)
  local starts = tide.randint(1, #codes - length, {count, 1}, {device = device})
  local where = starts + places -- (count, 1) and (length): each start with each place
  return codes[where], codes[where + 1]
end

local optimizer = optim.Adam(writer:parameters(), {lr = 0.01})
local nothing = math.log(#alphabet)
print(("  who knows nothing has a loss of %.3f"):format(nothing))
local loss
local losses = {}
for step = 1, options.steps do
  local letters, next_ones = pieces(16)
  optimizer:zero_grad()
  local guesses = writer(letters)
  loss = F.cross_entropy(guesses:reshape(-1, #alphabet), next_ones:reshape(-1))
  loss:backward()
  nn.utils.clip_grad_norm_(writer:parameters(), 1.0) -- no giant step, whatever the gradient says
  optimizer:step()
  losses[step] = loss:detach()
  if step == 1 or step % 50 == 0 then
    print(("  step %4d   loss %.3f"):format(step, loss:item()))
  end
end
tide.plot.line(tide.stack(losses), {
  label = "loss", title = "learning a poem", xlabel = "step", ylim = {0, 1.5 * nothing},
}):line({1, options.steps}, {nothing, nothing}, {label = "who knows nothing", linestyle = "--"}):show()
local long_enough = options.steps >= 150 and options.hidden >= 96 and options.file == ""
assert(not long_enough or loss:item() < 0.6, "it has learned most of the poem by heart")

-- 4. Writing --------------------------------------------------------------------------------------
-- To write, feed the network its own guess. The scores become shares, and the next letter is drawn
-- by them. A temperature below 1 makes likely letters likelier: bolder or duller, as you like.
heading "4. Writing"

--- The network's continuation of `words`; at temperature 0 it takes the likeliest letter.
local function continue(words, count, temperature)
  local _ <close> = tide.no_grad()
  local written = {}
  local input, memory = encode(words):to(device):unsqueeze(1), nil
  for i = 1, count do
    local guesses
    guesses, memory = writer(input, memory)
    local last = guesses[{1, -1}]
    local letter = temperature == 0 and last:argmax(1, true)
      or tide.multinomial(tide.softmax(last / temperature, 1), 1)
    written[i] = letter
    input = letter:unsqueeze(1) -- it stays on the device: nothing is read in this loop
  end
  return decode(tide.cat(written):tolist()) -- the one place where we wait
end

local start = options.file == "" and "The Owl" or text:sub(1, 7)
local samples = {}
for i, temperature in ipairs {0, 0.5, 1.5} do
  samples[i] = continue(start, 120, temperature)
  print(("  temperature %.1f:"):format(temperature))
  print("    " .. (start .. samples[i]):gsub("\n", "\n    "))
end
assert(continue(start, 120, 0) == samples[1], "without chance it writes the same again")
assert(#samples[1] == 120)

-- Words of the poem in what it wrote: it never saw words, only letters.
local known, hits, words = {}, 0, 0
for word in text:gmatch("%a%a%a+") do known[word] = true end
for word in samples[1]:gmatch("%f[%a]%a%a%a+%f[%A]") do
  words = words + 1
  if known[word] then hits = hits + 1 end
end
print(("  at temperature 0 it wrote %d words of three letters or more; %d are in the text"):format(
  words, hits))
assert(not long_enough or (words >= 8 and hits >= words // 2), "it writes words")

print("\nAll of this was true on " .. tostring(device) .. ".")

print [[

Exercises
---------
1. Count how often each letter follows each other one, and draw the next letter from these counts
   alone. How does the result look beside that of the network, and why?
2. Which loss has a model that always gives each letter its share of the whole text?
3. Put nn.LSTM in the place of nn.GRU. What else has to change? (Its state is a pair.)

`tide lesson 20 --answers` shows answers.]]

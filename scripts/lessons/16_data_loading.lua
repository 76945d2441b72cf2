-- Lesson 16: data loading. Batches, the last one, shuffling, threads that read ahead, pinning.
--
-- Run it:        tide lesson 16
-- On the cpu:    tide lesson 16 --device cpu
--
-- A network learns from batches. They have to be made: read samples, put them together, move
-- them to the device. If that takes longer than the learning, the device waits for the data.
local tide = require "tide"
local nn, data = tide.nn, tide.data

local options = tide.args {device = tide.cuda.is_available() and "cuda" or "sim"}
local device = tide.device(options.device)
tide.manual_seed(1)

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

--- "(32, 4)" for a tensor.
local function shape_of(x) return "(" .. table.concat(x.shape, ", ") .. ")" end

--- Runs something that fails and shows what it says; checks that these words are in it.
local function fails(line, words, fn)
  local succeeded, complaint = pcall(fn)
  assert(not succeeded and complaint:find(words, 1, true), complaint)
  print(("  %s\n    %s"):format(line, complaint))
end

-- 1. A tensor is a data set -----------------------------------------------------------------------
-- A data set is whatever has a length and gives sample i. A tensor does: its samples are its rows.
-- A loader walks it in batches.
heading "1. 123 samples, in batches of 50"

local samples = tide.randn(123, 4)
local loader = data.DataLoader(samples, {batch_size = 50})
for number, batch in loader:enumerate() do
  print(("  batch %d has shape %s"):format(number, shape_of(batch)))
  assert(#batch == (number < 3 and 50 or 23), "what is left makes a smaller batch")
end
assert(#loader == 3, "the length of a loader is its number of batches")

-- With drop_last the small one is left out.
local whole = data.DataLoader(samples, {batch_size = 50, drop_last = true})
print("  with drop_last there are " .. #whole)
assert(#whole == 2)
for batch in whole do assert(#batch == 50) end

-- Why would one want that? A layer that looks at the mean of a batch cannot do anything with a
-- batch of one sample. 101 samples in batches of 50 end with such a one: after hours, if there are
-- many.
local norm = nn.BatchNorm1d(4)
fails("batch norm, and a last batch of one:", "more than one value for each channel", function()
  for batch in data.DataLoader(samples:narrow(1, 1, 101), {batch_size = 50}) do norm(batch) end
end)

-- 2. Pictures and their labels --------------------------------------------------------------------
-- A bare tensor gives one value for each batch. For pairs, put two tensors together: their rows of
-- the same number belong together, also when they are shuffled.
heading "2. Two tensors, shuffled together"

local labels = tide.range(1, 123)
local numbered = samples:clone()
numbered[{{}, 1}] = labels:to("float32") -- the first number of each sample is its label
local pairs_of = data.TensorDataset(numbered, labels)
local seen = {}
for batch, label in data.DataLoader(pairs_of, {batch_size = 50, shuffle = true}) do
  assert(batch[{{}, 1}]:equal(label:to("float32")), "what belonged together still does")
  for _, number in ipairs(label:tolist()) do seen[number] = (seen[number] or 0) + 1 end
end
for number = 1, 123 do assert(seen[number] == 1, "each sample once in a pass") end
print("  all 123 came once, each with its label")

fails("rows that do not fit:", "tensor 2 has 4 rows, the first has 5", function()
  local _ = data.TensorDataset(tide.ones(5, 2), tide.ones(4))
end)
fails("labels given as a second argument:", "(batch_size): expected integer or false, got tensor", function()
  local _ = data.DataLoader(tide.ones(3, 2), tide.range(1, 3))
end)
fails("an option misspelt:", "unknown option 'batchsize'", function()
  local _ = data.DataLoader(samples, {batchsize = 50})
end)

-- 3. A data set of your own -----------------------------------------------------------------------
-- Most data do not fit into one tensor. Write a table with two functions: len, and get(i), which
-- reads sample i, for example from a file. Several values make batches of several values.
heading "3. A data set of your own"

local squares = {}
function squares:len() return 10 end
function squares:get(i) return tide.full({2}, i * 1.0), i * i end

for x, square in data.DataLoader(squares, {batch_size = 4}) do
  print(("  x %s, squares %s"):format(shape_of(x), table.concat(square:tolist(), " ")))
  assert((x[{{}, 1}] ^ 2):equal(square:to("float32")), "numbers became a tensor")
end

-- What is wrong with a sample is said with its number, wherever it was read.
local broken = {len = squares.len}
function broken:get(i)
  if i == 7 then error("this picture is broken") end
  return tide.zeros(2)
end
fails("a sample that cannot be read:", "sample 7: ", function()
  for _ in data.DataLoader(broken, {batch_size = 4}) do end
end)
local uneven = {len = squares.len, get = function(_, i) return tide.ones(i) end}
fails("samples of different lengths:", "pass a collate_fn that makes them equal", function()
  for _ in data.DataLoader(uneven, {batch_size = 4}) do end
end)

-- 4. Workers read ahead ---------------------------------------------------------------------------
-- With num_workers = 2 two threads (lesson 15) read samples while the script does something else.
-- They read ahead: each has up to two batches ready (prefetch_factor) before you ask.
--
--      no workers   read|learn|read|learn|read|learn
--      workers      read|read |read |read
--                       |learn|learn|learn
--
-- That can be counted. Below, each read is noted in a channel. We take one batch of 5 and look how
-- many were read.
heading "4. Workers read ahead"

local reads = tide.channel()
local noted = {len = function() return 100 end}
function noted:get(i)
  local worker = data.get_worker_info() -- nil in the script itself
  reads:push(i)
  return tide.full({2}, i * 1.0), worker and worker.id or 0
end

--- Takes one batch; then waits until `expected` samples were read. Returns who made that batch.
local function take_one(workers, expected)
  local loader_of_noted = data.DataLoader(noted, {batch_size = 5, num_workers = workers})
  for _, who in loader_of_noted do
    for _ = 1, expected do reads:pop() end -- pop waits for the next one: these are surely read
    return who[1]:item()
  end
end
assert(take_one(0, 5) == 0, "the script itself")
assert(#reads == 0, "and not one sample more than the batch has")
print("  no workers: 5 samples were read for the first batch, by the script")
local who = take_one(2, 20)
print(("  2 workers: 20 samples read when we had taken 5; worker %d made our batch"):format(who))
assert(who == 1 or who == 2)

-- The batches are the same, however many workers there are: the same order, and the same random
-- numbers in each sample, which depend on its position and not on who reads it.
local noisy = {len = function() return 6 end, get = function() return tide.randn(1) end}
local first_pass
for _, workers in ipairs {0, 1, 3} do
  tide.manual_seed(3)
  for batch in data.DataLoader(noisy, {batch_size = 6, shuffle = true, num_workers = workers}) do
    first_pass = first_pass or batch
    assert(batch:equal(first_pass), "the same noise")
  end
end
print("  0, 1 and 3 workers make the same random batches")

-- What cannot cross to another thread cannot be in a data set for workers. Open files in get.
local file <close> = assert(io.tmpfile())
local with_file = {len = squares.len, get = function() return file:read("a") end}
fails("a data set with an open file:", "its variable 'file'", function()
  for _ in data.DataLoader(with_file, {num_workers = 1}) do end
end)
fails("an option that is for workers only:", "needs num_workers > 0", function()
  local _ = data.DataLoader(samples, {prefetch_factor = 4})
end)

-- 5. Where the time goes --------------------------------------------------------------------------
-- Two clocks tell it: one around the loader, one around the learning. Here reading a sample takes
-- 1 ms, as a small picture does from a disk, and learning from a batch of 8 takes 8 ms.
heading "5. Where the time goes"

local slow = {len = function() return 80 end}
function slow:get(i)
  tide.sleep(1e-3)
  return tide.full({2}, i * 1.0)
end

--- Seconds in the loader, in learning, and in all, for a pass.
local function pass_over(workers)
  local start = tide.time()
  local learning, count = 0, 0
  for batch in data.DataLoader(slow, {batch_size = 8, num_workers = workers}) do
    local from = tide.time()
    tide.sleep(8e-3) -- a network at work
    learning, count = learning + tide.time() - from, count + #batch
  end
  assert(count == 80)
  local all = tide.time() - start
  return all - learning, learning, all
end

for _, workers in ipairs {0, 2} do
  local loading, learning, all = pass_over(workers)
  print(("  %d workers  %5.0f ms   |%s%s|"):format(workers, all * 1e3,
    ("."):rep(math.floor(loading * 200)), ("#"):rep(math.floor(learning * 200))))
  assert(workers > 0 or loading >= 0.08, "without workers all reading is waiting: 80 times 1 ms")
  assert(learning >= 0.08, "learning takes its time in any case")
end
print("  (.: the script waits for the loader; #: it learns)")
-- With workers only the first batch has to be waited for, as long as they keep up: a worker makes
-- one batch in the time in which the script learns from one, and there are two of them. If the
-- dots stay, take more workers, or make reading cheaper: smaller pictures, fewer and larger files.

-- 6. On to the device -----------------------------------------------------------------------------
-- The road to the device is short for memory that is pinned (lesson 11). pin_memory = true pins
-- each batch.
heading("6. On to " .. tostring(device))

for batch in data.DataLoader(samples, {batch_size = 50, pin_memory = true}) do
  local there = batch:to(device, {non_blocking = true})
  assert(batch:is_pinned() or device.type == "cpu")
  assert(there.device == device)
end
print("  with pin_memory the batches are pinned")

-- Best of all is not to travel: if all the data fit on the device, put them there once. The loader
-- then cuts its batches there, the shuffled order included, and nothing waits.
local resident = data.TensorDataset(samples:to(device), labels:to(device))
tide.synchronize()
local waits, total = tide.wait_count(), tide.zeros(1, {device = device})
for batch, label in data.DataLoader(resident, {batch_size = 50, shuffle = true}) do
  total = total + batch:sum() * 0 + label:sum()
end
print(("  a pass over data on the device: %d waits"):format(tide.wait_count() - waits))
assert(tide.wait_count() == waits)
assert(total:item() == 123 * 124 / 2)

print("\nAll of this was true on " .. tostring(device) .. ".")

print [[

Exercises
---------
1. 123 samples in batches of 16: how many batches are there, how large is the last, and how many
   samples does drop_last leave out? Compute it, then ask a loader.
2. Write a collate_fn that fills the samples of `uneven` (section 3) up with zeros, so that they fit
   into one batch. nn.utils.rnn.pad_sequence may help.
3. Split 1000 samples into 800 to learn from and 200 to test with, by data.random_split. Show that
   no sample is in both.

`tide lesson 16 --answers` shows answers.]]

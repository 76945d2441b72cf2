-- Lesson 26: reading a timeline. What do host and device do at the same time, and who waits?
--
-- Run it:        tide lesson 26
-- On the cpu:    tide lesson 26 --device cpu
-- To keep it:    tide lesson 26 --page trace.html
-- Very small:    tide lesson 26 --steps 2
--
-- Tables add times up (lesson 22). A timeline shows when things happen: the script on one track,
-- the device on another. With some practice you find a gap faster than in any table.
local tide = require "tide"
local nn, optim = tide.nn, tide.optim
local F = nn.functional
local record_function = tide.profiler.record_function

local options = tide.args {
  device = tide.cuda.is_available() and "cuda" or "sim",
  steps = 4, -- of the training that is looked at
  page = "", -- where its timeline goes, as a page
}
local device = tide.device(options.device)
tide.manual_seed(1)

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

if device.type == "sim" then
  tide.sim.configure {device = device, launch_cost = 0.3e-3, copy_latency = 1e-3}
  print("Starting a kernel costs 0.3 ms here, and a copy 1 ms: these times are simulated.")
end

-- 1. Two trainings --------------------------------------------------------------------------------
-- They compute the same. One reads the loss in each step, the other keeps it for later. In each
-- step the script has work of its own, too: 4 ms, in which it reads a batch, say. The parts of a
-- step have names: record_function marks a range until its value is closed.
heading "1. Two trainings, and a profile of each"

local net = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 4)):to(device)
local optimizer = optim.SGD(net:parameters(), {lr = 0.1})
local x = tide.randn(32, 16, {device = device})
local y = tide.randint(1, 4, {32}, {device = device})

--- Some steps; after each, note(loss).
local function train(note)
  for _ = 1, options.steps do
    local _ <close> = record_function "step"
    do
      local _ <close> = record_function "data"
      tide.sleep(4e-3)
    end
    optimizer:zero_grad()
    local loss
    do
      local _ <close> = record_function "forward"
      loss = F.cross_entropy(net(x), y)
    end
    do
      local _ <close> = record_function "backward"
      loss:backward()
    end
    optimizer:step()
    note(loss)
  end
end

local function read_at_once(loss) return loss:item() end
local kept = {}
local function keep(loss) kept[#kept + 1] = loss:detach() end

train(read_at_once) -- the first time compiles
train(keep)
local waiting = tide.profile(function() train(read_at_once) end)
local ahead = tide.profile(function() train(keep) end)
for _, p in ipairs {waiting, ahead} do
  local summary = p:summary()
  print(("  %d events in %.1f ms"):format(summary.events, summary.wall_ms))
  assert(summary.dropped == 0)
end

-- 2. What is in it --------------------------------------------------------------------------------
-- p:save("trace.html") writes a page that a browser shows, with nothing else needed: drag to move,
-- turn the wheel to zoom, choose a kernel to see its lines. p:save("trace.json") is for Perfetto
-- (ui.perfetto.dev) and for programs: each line of the file is an event.
--
--   script: lines    which line of the script runs
--   script           calls of ops, flushes, the ranges we named; waits are red
--   sim:0            kernels, products, copies, one after the other
--   memory, queue    how many bytes are held, how many submissions are not done
heading "2. What is in a trace"

--- The events of a profile: lists of {name, from, to} in milliseconds, by kind ("op", "wait",
--- "range", ...), those of the device under "device"; and `queue`, a list of {at, count}.
local function events_of(p)
  local path = os.tmpname()
  p:save(path .. ".json")
  local events, process, queue = {device = {}, wait = {}, range = {}, op = {}}, nil, {}
  for line in io.lines(path .. ".json") do
    local kind, name = line:match '"ph": "(%u)".-"name": "(.-)"'
    local number = tonumber(line:match '"pid": (%d+)')
    local from = (tonumber(line:match '"ts": ([%d.]+)') or 0) / 1e3
    if name == "process_name" and line:find('"' .. tostring(device) .. '"', 1, true) then
      process = number -- the tracks of our device
    elseif kind == "X" then
      local event = {
        name = name, from = from, to = from + tonumber(line:match '"dur": ([%d.]+)') / 1e3,
      }
      local group = line:match '"cat": "(%a+)"'
      if number == process and group ~= "compile" and group ~= "wait" then group = "device" end
      events[group] = events[group] or {}
      table.insert(events[group], event)
    elseif kind == "C" and name == "queue of " .. tostring(device) then
      queue[#queue + 1] = {at = from, count = tonumber(line:match '"submissions": (%d+)')}
    end
  end
  os.remove(path)
  os.remove(path .. ".json")
  events.queue = queue
  return events
end

local slow, fast = events_of(waiting), events_of(ahead)
for _, kind in ipairs {"op", "range", "wait", "device"} do
  print(("  %-7s %4d events in the first, %4d in the second"):format(kind, #slow[kind],
    #fast[kind]))
end
assert(#slow.range == 4 * options.steps and #fast.range == 4 * options.steps)
assert(#slow.device >= #fast.device, "the same work, and the reading")

-- 3. The picture ----------------------------------------------------------------------------------
-- A letter is a moment. On the script's track `d` is the reading of a batch, `o` an op that is
-- recorded, `w` a wait; on the device's `#` is a kernel. Below is how many submissions are in the
-- queue, nine at most.
heading "3. The picture"

local columns = 70

--- Draws the tracks of a profile.
local function draw(events, milliseconds)
  local function column(time) return math.floor(time / milliseconds * columns) + 1 end
  local script, kernels, queue = {}, {}, {}
  for i = 1, columns do script[i], kernels[i], queue[i] = ".", ".", 0 end
  local function fill(track, list, letter)
    for _, event in ipairs(list) do
      for i = column(event.from), math.min(columns, column(event.to)) do
        track[i] = event.name == "sleep" and "d" or letter
      end
    end
  end
  fill(script, events.op, "o")
  fill(script, events.wait, "w")
  fill(kernels, events.device, "#")
  for k, change in ipairs(events.queue) do
    local following = events.queue[k + 1]
    local last = following and column(following.at) or columns
    for i = column(change.at), math.min(columns, last) do
      queue[i] = math.max(queue[i], math.min(change.count, 9))
    end
  end
  for i = 1, columns do queue[i] = queue[i] > 0 and queue[i] or "." end
  print("  script  " .. table.concat(script))
  print(("  %-7s "):format(device) .. table.concat(kernels))
  print("  queue   " .. table.concat(queue))
end

print(("reading each loss, %.1f ms:"):format(waiting:summary().wall_ms))
draw(slow, waiting:summary().wall_ms)
print(("keeping them, %.1f ms:"):format(ahead:summary().wall_ms))
draw(fast, ahead:summary().wall_ms)

-- 4. Gaps, and the red above them -----------------------------------------------------------------
-- Look at the device first: it is what you pay for. Where it has a gap, look above. In the first
-- training a gap follows each wait: the script had waited until the device was done, and only then
-- it read the next batch. In the second one the batches are read while the device computes. The
-- script waits once, when the profile ends.
heading "4. Gaps"

--- The waits of the script that its own lines have made.
local function waits_of(events)
  local list = {}
  for _, wait in ipairs(events.wait) do
    if wait.name ~= "profile" then list[#list + 1] = wait end
  end
  return list
end
print(("  waits of the script: %d and %d"):format(#waits_of(slow), #waits_of(fast)))
assert(#waits_of(fast) == 0)

--- The milliseconds in which kernels ran while the script read batches.
local function hidden(events)
  local sum = 0
  for _, range in ipairs(events.range) do
    for _, kernel in ipairs(range.name == "data" and events.device or {}) do
      local from, to = math.max(range.from, kernel.from), math.min(range.to, kernel.to)
      sum = sum + math.max(0, to - from)
    end
  end
  return sum
end
print(("  the device computed while batches were read: %.1f ms and %.1f ms"):format(hidden(slow),
  hidden(fast)))
if device.type == "sim" then
  assert(#waits_of(slow) >= options.steps, "one in each step, or more")
  assert(hidden(slow) == 0, "when a batch is read all is done: each step has waited for it")
  assert(hidden(fast) > 0, "a step takes the device 8 ms and more, by its launches alone")
end

-- 5. The queue ------------------------------------------------------------------------------------
-- The queue is how far the script is ahead. If it comes down to 0 the device starves; if it is
-- always above, the device never waits, and a faster script would win nothing.
heading "5. How far the script is ahead"

--- The most that was in the queue.
local function depth(events)
  local most = 0
  for _, change in ipairs(events.queue) do most = math.max(most, change.count) end
  return most
end

--- The curve of a queue as lists of x and y: a step at each change.
local function curve(events)
  local at, count = {}, {}
  for k, change in ipairs(events.queue) do
    if k > 1 then
      at[#at + 1], count[#count + 1] = change.at, events.queue[k - 1].count
    end
    at[#at + 1], count[#count + 1] = change.at, change.count
  end
  return at, count
end

local figure = tide.plot.figure {size = {640, 320}, title = "submissions in the queue, by ms"}
local at, count = curve(slow)
figure:line(at, count, {label = "reading each loss"})
at, count = curve(fast)
figure:line(at, count, {label = "keeping them", linestyle = "--"}):show()
print(("  at most %d, and %d"):format(depth(slow), depth(fast)))
-- Who waits in each step has no more in the queue than a step has submissions.
assert(depth(slow) <= math.ceil(#slow.flush / options.steps) + 1)

-- 6. Ranges ---------------------------------------------------------------------------------------
-- A range is a bar on the script's track. Its length is the time in which the script recorded, not
-- that in which the device computed: "forward" ends when the last op is recorded, possibly long
-- before its first kernel starts. For the device's share, choose the kernels below, or the table by
-- line.
heading "6. Ranges"

print(ahead:table {by = "range"})
for _, row in ipairs(ahead:table {by = "range"}) do
  assert(row.calls == options.steps)
  assert(row.wait_ms == 0, "keeping the losses, no range has waited")
end
local spans = {data = 0, forward = 0, backward = 0, step = 0}
for _, range in ipairs(fast.range) do
  spans[range.name] = spans[range.name] + range.to - range.from
end
assert(spans.data + spans.forward + spans.backward <= spans.step, "ranges lie in each other")

-- 7. Two profiles side by side --------------------------------------------------------------------
-- After a fix, compare: the largest differences come first.
heading "7. Before and after"

local differences = tide.profile.compare(waiting, ahead)
print(differences)
for _, row in ipairs(differences) do
  assert(row.name ~= "(wait: item)" or not row.b or row.b.calls == 0, "no reading in the second")
end

-- 8. What else one sees ---------------------------------------------------------------------------
-- Faults have faces:
--
--   on the device's track     above it                what it is, and its lesson
--   a gap in each step        a red bar               a wait: lesson 22
--   a gap in each step        one line for all of it  loader, Lua: lessons 16, 22
--   many slivers, dense       calls of ops, dense     launches: lesson 24
--   long bars named to, item  nothing much            transfers: lessons 11 and 22
--   a long gap, once          plan, compile           first step: run one before
--   dense, no gaps            the script far ahead    the device is the limit: 23
if options.page ~= "" then
  ahead:save(options.page)
  print("\nThe page of the second training is in " .. options.page .. ".")
end

print("\nAll of this was true on " .. tostring(device) .. ".")

print [[

Exercises
---------
`tide lesson 26 --exercises > mine.lua` makes a script of functions over lists of events {from, to}.
Complete them, and run it with `tide mine.lua`: it says which are solved.

1. busy(kernels) is the time in which at least one kernel runs: they may overlap.
2. gaps(kernels, least) are the gaps between them that are at least so long.
3. explained(gaps, waits) is the share of the gaps' time in which the script waited.

`tide lesson 26 --answers` shows answers.]]

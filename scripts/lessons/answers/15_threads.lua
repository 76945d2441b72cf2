-- Answers to the exercises of lesson 15, threads.
--
-- To try them:   tide lesson 15 --answers > mine.lua      and then   tide mine.lua
local tide = require "tide"

local options = tide.args {device = tide.cuda.is_available() and "cuda" or "sim"}
local device = tide.device(options.device)
tide.manual_seed(1)

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

-- 1. A coroutine that gives the lines of two lists in turn, until both are at their end.
heading "1. Two lists in turn"

local function in_turn(a, b)
  return coroutine.wrap(function()
    for i = 1, math.max(#a, #b) do
      if a[i] then coroutine.yield(a[i]) end
      if b[i] then coroutine.yield(b[i]) end
    end
  end)
end
local lines = {}
for line in in_turn({"a1", "a2", "a3"}, {"b1"}) do lines[#lines + 1] = line end
print(table.concat(lines, " "))
assert(table.concat(lines, " ") == "a1 b1 a2 a3")

-- 2. Two threads add up one half each of the numbers 1 to 1000000.
heading "2. Two halves"

local function sum_of(from, to)
  local sum = 0
  for i = from, to do sum = sum + i end
  return sum
end
local low = tide.thread(sum_of, 1, 500000)
local high = tide.thread(sum_of, 500001, 1000000)
local by_threads = low:join() + high:join()
-- A tensor of whole numbers needs neither loop nor thread.
local by_tensor = tide.range(1, 1000000, {device = device}):sum():item()
print(by_threads, by_tensor)
assert(by_threads == by_tensor and by_tensor == 1000000 * 1000001 // 2)

-- 3. A channel that takes two values, and a thread that pushes five.
heading "3. A full channel"

local narrow, pushed = tide.channel(2), tide.channel()
local pusher = tide.thread(function()
  for i = 1, 5 do
    narrow:push(i)
    pushed:push(i) -- this one was taken in
  end
end)
-- It gets two in. The third push cannot end before something is taken out, however long we wait.
assert(pushed:pop() == 1 and pushed:pop() == 2)
assert(pushed:pop(0.05) == nil and not pusher:done(), "it hangs in the third push")
assert(narrow:pop() == 1)
assert(pushed:pop() == 3, "one out, one in")
for i = 2, 5 do assert(narrow:pop() == i) end
pusher:join()
print("two went in at once, each other one when there was room")

-- 4. Two processes, of which one is killed at its third job.
heading "4. A worker that dies"

local jobs, results = tide.channel(), tide.channel()
--- Does jobs until there are none; `fatal` is the one that kills it.
local function work(name, fatal)
  local done = 0
  for job in jobs:iter() do
    done = done + 1
    results:push("began", name, job)
    if done == fatal then os.execute "kill -9 $PPID" end
    results:push("done", name, job, 100 * job)
  end
end
for job = 1, 12 do jobs:push(job) end
local workers = {sturdy = tide.process(work, "sturdy"), frail = tide.process(work, "frail", 3)}
local values, begun, missing = {}, {}, 12
while missing > 0 do
  local what, name, job, value = results:pop(0.05)
  if what == "began" then
    begun[name] = job
  elseif what == "done" then
    begun[name] = nil
    values[job], missing = value, missing - 1
  elseif workers.frail and workers.frail:done() and #results == 0 then
    -- It reported what it began with. No other thread will do that.
    print(select(2, pcall(workers.frail.join, workers.frail)))
    jobs:push(begun.frail)
    workers.frail = nil
  end
end
jobs:close()
workers.sturdy:join()
for job = 1, 12 do assert(values[job] == 100 * job) end
print("twelve jobs, each with its value")

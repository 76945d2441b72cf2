-- Lesson 15: coroutines, threads, processes. Three ways to do several things, and what they share.
--
-- Run it:        tide lesson 15
-- On the cpu:    tide lesson 15 --device cpu
--
-- A device works while your script goes on (lesson 4): for computing that is enough. But scripts
-- also read files, wait for people and prepare data. These are three ways not to do that in a row.
local tide = require "tide"

local options = tide.args {device = tide.cuda.is_available() and "cuda" or "sim"}
local device = tide.device(options.device)

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

--- Runs something that fails and shows what it says; checks that these words are in it.
local function fails(line, words, fn)
  local succeeded, complaint = pcall(fn)
  assert(not succeeded and complaint:find(words, 1, true), complaint)
  print(("  %s\n    %s"):format(line, complaint))
end

-- 1. Coroutines take turns ------------------------------------------------------------------------
-- A coroutine is a function that can pause. `coroutine.yield` pauses it, `coroutine.resume` lets
-- it continue after the yield. Nothing runs at the same time: there is one runner, and it changes
-- lanes.
--
--      a   ====.    .====.    .====
--               \  /      \  /
--      b         ==        ==
heading "1. Coroutines take turns"

local notes = {}
local function worker(name)
  return coroutine.create(function()
    for step = 1, 3 do
      notes[#notes + 1] = name .. step -- the very same table for both
      coroutine.yield()
    end
  end)
end
local a, b = worker("a"), worker("b")
for _ = 1, 3 do
  assert(coroutine.resume(a))
  assert(coroutine.resume(b))
end
print("  " .. table.concat(notes, " "))
assert(table.concat(notes, " ") == "a1 b1 a2 b2 a3 b3", "always the order that we chose")

-- `wrap` makes a function of it that gives the next value in each call: just what `for` wants.
local function powers_of_two(limit)
  return coroutine.wrap(function()
    local power = 1
    while power <= limit do
      coroutine.yield(power)
      power = power * 2
    end
  end)
end
local sum = 0
for power in powers_of_two(100) do sum = sum + power end
assert(sum == 1 + 2 + 4 + 8 + 16 + 32 + 64)

-- Variables are shared, but modes are not: who switches gradients off in a coroutine and pauses
-- there, has not switched them off for the others.
local paused = coroutine.wrap(function()
  local _ <close> = tide.no_grad()
  coroutine.yield(tide.is_grad_enabled())
end)
assert(paused() == false and tide.is_grad_enabled() == true)

-- 2. Threads share tensors, not variables ---------------------------------------------------------
-- A thread runs at the same time, on a core of its own if there is one. It has a Lua of its own:
-- what goes in is copied, the variables that its function uses too, and `join` waits for what
-- comes out.
heading "2. Threads: copies of variables"

local counter, seen = 5, {}
local function count()
  counter = counter + 1
  seen[1] = true
  return counter
end
local inside = tide.thread(count):join()
print(("  counter is %d in the thread and still %d here"):format(inside, counter))
assert(inside == 6 and counter == 5 and seen[1] == nil, "two counters, two tables")

-- A tensor is large, so its numbers are not copied on the way. Both sides see the same memory,
-- until one of them writes: then that one gets its own. So neither changes a value that the
-- other reads.
local x = tide.ones(1000, {device = device})
local theirs = tide.thread(function(y)
  y:add_(1)
  return y
end, x):join()
print(("  x:sum() is %d there and %d here"):format(theirs:sum():item(), x:sum():item()))
assert(theirs:sum():item() == 2000 and x:sum():item() == 1000 and theirs.device == device)

-- Where the thread failed, `join` fails: with the line in the thread after your own.
fails("an error in a thread:", "no bread", function()
  tide.thread(function() error("no bread today") end):join()
end)
-- What is tied to this Lua cannot go: open files, coroutines, other threads.
fails("a file as an argument:", "cannot go to another thread", function()
  tide.thread(function() end, io.stdout)
end)

-- 3. Threads talk through channels ----------------------------------------------------------------
-- A channel is a queue between threads: `push` puts something in at one end, `pop` takes it out at
-- the other and waits until there is something. Two threads play ball:
--
--      here   --  ball 1, 3, 5  -->   there
--             <--  ball 2, 4, 6  --
--
-- That each waits for the other and yet both get on shows that both are alive at the same time.
heading "3. Two threads play ball"

local there, back = tide.channel(), tide.channel()
local player = tide.thread(function(balls_in, balls_out)
  for ball in balls_in:iter() do balls_out:push(ball + 1) end -- until the channel is closed
  return "caught them all"
end, there, back)
local ball, flights = 1, {}
for _ = 1, 3 do
  there:push(ball)
  local returned = back:pop()
  flights[#flights + 1] = ball .. " -> " .. returned
  assert(returned == ball + 1)
  ball = returned + 1
end
there:close()
print("  " .. table.concat(flights, ",  "))
print("  the other player: " .. player:join())
assert(ball == 7)
fails("push into a closed channel:", "the channel is closed", function() there:push(8) end)

-- 4. Many jobs, a few workers ---------------------------------------------------------------------
-- The usual pattern: one channel of jobs, some threads that take from it, one channel of results.
-- A fast thread takes more jobs, so none is idle. Results come in the order in which they are
-- ready: send along to which job each belongs.
heading "4. Twelve jobs, three workers"

local jobs, results = tide.channel(), tide.channel()
for number = 1, 12 do jobs:push(number) end
jobs:close() -- what is in can still be taken out
local workers = {}
for id = 1, 3 do
  workers[id] = tide.thread(function(where)
    local done = 0
    for number in jobs:iter() do
      local value = tide.full({10, 10}, number, {dtype = "float32", device = where}):sum():item()
      results:push(number, value)
      done = done + 1
    end
    return done
  end, tostring(device))
end
local values, done = {}, 0
for _ = 1, 12 do
  local number, value = results:pop()
  values[number] = value
end
for id, thread in ipairs(workers) do
  local share = thread:join()
  print(("  worker %d did %d jobs"):format(id, share))
  done = done + share
end
assert(done == 12, "each job once: who got how many is luck")
for number = 1, 12 do assert(values[number] == 100 * number) end

-- A thread that shall not go on is cancelled. It ends at the next chance, with an error in `join`.
local forever = tide.thread(function() while true do end end)
assert(not forever:done())
forever:cancel()
fails("a cancelled thread:", "cancelled", function() forever:join() end)

-- 5. Processes share nothing ----------------------------------------------------------------------
-- A process is a program that runs: with its own memory, its own Lua, its own use of the GPU. Values
-- go in and come out as with a thread, channels too, but even tensors are copied on the way.
heading "5. Processes: copies of everything"

counter = 5
local far = tide.process(function(y) return count(), y:add_(1):sum() end, x)
local number, total = far:join()
print(("  counter is %d in the process and still %d here; x:sum() is %d there and %d here"):format(
  number, counter, total:item(), x:sum():item()))
assert(number == 6 and counter == 5 and total:item() == 2000 and x:sum():item() == 1000)

-- What makes a process worth its price: whatever happens to it happens to it alone. A thread that
-- crashes takes the whole program along; of a process that crashes, `join` says how it ended.
fails("a process that is shot:", "ended by signal 9", function()
  tide.process(function() os.execute "kill -9 $PPID" end):join()
end)
fails("a process that leaves:", "exit status 3", function()
  tide.process(function() os.exit(3) end):join()
end)

-- Both are there at the same time, and talk through channels as threads do.
local questions, answers = tide.channel(), tide.channel()
local oracle = tide.process(function()
  for question in questions:iter() do answers:push(question * 6) end
end)
questions:push(7)
assert(answers:pop() == 42)
questions:close()
oracle:join()

-- Other programs are started as a shell would, by io.popen: text goes in and comes out.
local pipe = assert(io.popen "echo $((6 * 7))")
assert(pipe:read("n") == 42)
assert(pipe:close())

-- 6. Which of them? -------------------------------------------------------------------------------
heading "6. Which of them?"
print [[
             at the same time   variables   tensors               good for
  coroutine  no, in turns       shared      shared                generators, taking turns
  thread     yes                copied      shared until written  reading and preparing data
  process    yes                copied      copied                what may crash or hang, more
                                                                  GPUs, other programs

Computing needs none of the three: a single script keeps a device busy, and tide uses all cores by
itself (lesson 9). The next lesson lets threads read data while a network learns.]]

print("\nAll of this was true on " .. tostring(device) .. ".")

print [[

Exercises
---------
1. Write a coroutine that gives the lines of two lists in turn, until both are at their end.
2. Let two threads add up one half each of the numbers 1 to 1000000 and add the two sums. Then do it
   with one tensor and no thread. Compare the results.
3. A channel may have a capacity: tide.channel(2) takes two values, then push waits until one is
   taken out. Show that with a thread that pushes five and counts along in a second channel.
4. Divide the jobs of part 4 among two processes. Let one of them be killed by `os.execute "kill -9
   $PPID"` at its third job, and do that job again elsewhere, so that still none is missing.

`tide lesson 15 --answers` shows answers.]]

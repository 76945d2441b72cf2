-- tide.process: values sent between processes, channels that both use, and how processes end.
local tide = require "tide"
local test = require "tide.test"
local describe, it, equal, is_true, raises =
  test.describe, test.it, test.equal, test.is_true, test.raises
local here = debug.getinfo(1, "S").source:match "^@(.*)/" or "."

local function through_a_process(...)
  return tide.process(function(...) return ... end, ...):join()
end

--- Whether a process with this id runs.
local function runs(id)
  local file = io.open("/proc/" .. id .. "/stat")
  local state = file and file:read("a"):match "%) (%a)"
  if file then file:close() end
  return state ~= nil and state ~= "Z"
end

--- Waits until a process has ended; the limit is for one that never does.
local function wait_for_end(id)
  local limit = tide.time() + 60
  while runs(id) do
    assert(tide.time() < limit, "the process is still there")
    tide.sleep(0.01)
  end
end

describe("values between processes", function(device)
  it("plain values, shared and cyclic tables, classes", function()
    local results = table.pack(through_a_process(1, 2.5, "a\0b", nil, true, nil))
    equal(results.n, 6)
    equal({math.type(results[1]), math.type(results[2])}, {"integer", "float"})
    equal({results[1], results[2], results[3], results[5]}, {1, 2.5, "a\0b", true})
    local inner = {1, 2, three = {4}}
    local outer = {inner, inner, [2.5] = "x", [true] = "y"}
    outer.self = outer
    local copy = through_a_process(outer)
    is_true(copy ~= outer and copy.self == copy and copy[1] == copy[2])
    equal({copy[1], copy[2.5], copy[true]}, {inner, "x", "y"})
    local layer = tide.nn.Linear(3, 2):to(device)
    local x = tide.randn(5, 3, {device = device})
    local y, is_linear = tide.process(function(layer, x)
      return layer(x):detach(), tide.class.is_a(layer, tide.nn.Linear)
    end, layer, x):join()
    is_true(is_linear and y:equal(layer(x):detach()))
    equal(y.device, x.device)
  end)

  it("tensors of all types, shapes and sizes, as copies", function()
    for _, dtype in ipairs {"bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16",
      "float32", "float64"} do
      local x = tide.randint(0, 2, {3, 5}, {device = device}):to(dtype)
      local y = through_a_process(x)
      equal({y.dtype, y.device, y.shape}, {dtype, x.device, {3, 5}})
      is_true(y:equal(x))
    end
    for _, shape in ipairs {{}, {0}, {2, 0, 3}, {1, 2, 1, 2, 1, 2, 1, 2}, {1 << 10, 300}} do
      local x = tide.rand(shape, {device = device})
      is_true(through_a_process(x):equal(x))
    end
    local turned = tide.rand({400, 500}, {device = device}):t()
    is_true(through_a_process(turned):equal(turned))
    local written = tide.process(function(z) return z:mul_(2) end, turned):join()
    is_true(written:equal(turned * 2))
  end)

  it("more large tensors than a message has descriptors", function()
    local many = {}
    for i = 1, 300 do many[i] = tide.full({1 << 16}, i, {dtype = "float32", device = device}) end
    local sums = tide.process(function(many)
      local sums = {}
      for i, x in ipairs(many) do sums[i] = x[1] + x[-1] end
      return tide.stack(sums)
    end, many):join()
    is_true(sums:equal(tide.range(2, 600, 2, {dtype = "float32", device = device})))
  end)

  it("leaves, generators, and failed values", function()
    local w = tide.ones(2, {device = device, requires_grad = true})
    local leaf, gradient = tide.process(function(w)
      (w * 3):sum():backward()
      return w.requires_grad, w.grad
    end, w):join()
    equal({leaf, gradient:tolist(), w.grad}, {true, {3, 3}})
    local generator = tide.Generator():manual_seed(3)
    local there = tide.process(function(g, device)
      return tide.rand(2, {generator = g, device = device})
    end, generator, device):join()
    is_true(there:equal(tide.rand(2, {generator = generator, device = device})))
    local bad = tide.ones(3, {device = device}):gather(1, tide.tensor({9}, {device = device}))
    raises("position 9 is out of range", function() tide.process(print, bad) end)
  end)
end)

global_of_this_test = 5

describe("functions in processes", function()
  it("are sent with their upvalues, globals and the settings", function()
    local count = 0
    local function more() count = count + 1 end
    local before = tide.get_num_threads()
    tide.set_num_threads(1)
    tide.set_default_dtype "float64"
    local seen, global, threads, dtype = tide.process(function()
      more()
      more()
      return count, global_of_this_test, tide.get_num_threads(), tide.ones(1).dtype
    end):join()
    tide.set_num_threads(before)
    tide.set_default_dtype "float32"
    equal({seen, count, global, threads, dtype}, {2, 0, 5, 1, "float64"})
  end)

  it("values that cannot be sent are named", function()
    raises("process: argument 1.file[1]: a FILE* cannot go to another process",
      function() tide.process(function() end, {file = {io.stdout}}) end)
    raises("result 1: a FILE* cannot go to another process",
      function() tide.process(function() return io.stdout end):join() end)
    raises("process: argument 1 (fn): expected function, got number", function() tide.process(5) end)
  end)
end)

describe("channels between processes", function()
  it("send values both ways, in order, and wait while they are full", function()
    local jobs, results = tide.channel(2), tide.channel(1)
    local worker <close> = tide.process(function()
      for i, x in jobs:iter() do results:push(i, (x * 2):sum()) end
      results:close()
      return "all done"
    end)
    local sender = tide.thread(function()
      for i = 1, 20 do jobs:push(i, tide.ones(i)) end
      jobs:close()
    end)
    local seen = 0
    for i, sum in results:iter() do
      seen = seen + 1
      equal({i, sum:item()}, {seen, 2 * seen})
    end
    sender:join()
    equal({seen, worker:join()}, {20, "all done"})
  end)

  it("support several processes and their threads at once", function()
    local jobs, results = tide.channel(), tide.channel()
    for i = 1, 40 do jobs:push(i) end
    jobs:close()
    local workers = {}
    for i = 1, 2 do
      workers[i] = tide.process(function()
        local threads, done = {}, 0
        for j = 1, 2 do
          threads[j] = tide.thread(function()
            local count = 0
            for i in jobs:iter() do
              results:push(i)
              count = count + 1
            end
            return count
          end)
        end
        for _, thread in ipairs(threads) do done = done + thread:join() end
        return done
      end)
    end
    equal(workers[1]:join() + workers[2]:join(), 40)
    local seen = {}
    for _ = 1, 40 do seen[results:pop(0)] = true end
    equal(#seen, 40)
  end)

  it("report their state, and respect a timeout", function()
    local channel = tide.channel(2)
    channel:push(1)
    local size, closed, popped, none, full, text = tide.process(function()
      local size, closed = #channel, channel:is_closed()
      local popped, none = channel:pop(), channel:pop(0.01)
      channel:push "a"
      channel:push "b"
      local full = pcall(function() tide.thread(function() channel:push "c" end):wait(0.01) end)
      channel:close()
      return size, closed, popped, none, full, tostring(channel)
    end):join()
    equal({size, closed, popped, none, full}, {1, false, 1, nil, true})
    equal(text, "channel with 2 waiting, closed")
    is_true(channel:is_closed())
    equal({channel:pop(), channel:pop(), channel:pop()}, {"a", "b"})
    raises("push: the channel is closed", function()
      tide.process(function() channel:push(1) end):join()
    end)
  end)

  it("come back as themselves, and close with their process", function()
    local mine = tide.channel()
    local again, theirs = tide.process(function(c)
      c:push "first"
      local own = tide.channel()
      own:push "lost"
      return c, own
    end, mine):join()
    equal(again:pop(), "first")
    mine:push "second"
    equal(again:pop(0), "second")
    equal(theirs:pop(), nil)
    is_true(theirs:is_closed())
    raises("push: the channel is closed", function() theirs:push(1) end)
  end)

  it("inside values, and through a channel", function()
    local post = tide.channel()
    local helper <close> = tide.process(function()
      for message in post:iter() do message.to:push(message.value + 1) end
    end)
    for i = 1, 5 do
      local answer = tide.channel()
      post:push {to = answer, value = i}
      equal(answer:pop(), i + 1)
    end
    post:close()
    helper:join()
  end)

  it("belong to one process, and cannot be sent to a third", function()
    local channel = tide.channel()
    raises("process: a channel of another process cannot be sent to a third one", function()
      tide.process(function() tide.process(function() return channel end):join() end):join()
    end)
  end)
end)

describe("the end of processes", function()
  it("an error is raised by join, with both lines", function()
    local text = raises("boom", function() tide.process(function() error "boom" end):join() end)
    is_true(text:find "processes_test.lua:%d+: process: .*processes_test.lua:%d+: boom")
  end)

  it("one that ends by itself, or by a signal", function()
    raises("ended with exit status 3 before its function returned",
      function() tide.process(function() os.exit(3) end):join() end)
    local ready = tide.channel()
    local endless = tide.process(function()
      ready:push(true)
      while true do end
    end)
    ready:pop()
    local id = tostring(endless):match "^process (%d+), running$"
    os.execute("kill -9 " .. id)
    raises("process: ended by signal 9 (Killed)", function() endless:join() end)
    equal(tostring(endless), ("process %s, done"):format(id))
  end)

  it("what waits for a killed process continues", function()
    local ready, never = tide.channel(), tide.channel()
    local holder = tide.process(function()
      local own = tide.channel()
      ready:push(own)
      never:pop()
    end)
    local own = ready:pop()
    local waiting = tide.thread(function() return own:pop(), "woken" end)
    os.execute("kill -9 " .. tostring(holder):match "%d+")
    equal({waiting:join()}, {nil, "woken"})
  end)

  it("cancel stops a loop and a wait", function()
    for _, endless in ipairs {
      function(ready) ready:push(1) while true do end end,
      function(ready) ready:push(1) tide.channel():pop() end,
      function(ready, other) ready:push(1) other:pop() end,
      function(ready) ready:push(1) tide.thread(function() while true do end end):join() end,
    } do
      local ready = tide.channel()
      local p = tide.process(endless, ready, tide.channel())
      ready:pop()
      is_true(not p:done())
      p:cancel()
      raises("cancelled", function() p:join() end)
    end
  end)

  it("<close> and the collector end a process, also a hanging one", function()
    local ids = {}
    do
      local ready = tide.channel()
      local sleeper <close> = tide.process(function()
        ready:push(true)
        os.execute "exec sleep 1000"
      end)
      ready:pop()
      ids[1] = tostring(sleeper):match "%d+"
    end
    ids[2] = tostring(tide.process(function() while true do end end)):match "%d+"
    collectgarbage()
    collectgarbage()
    for _, id in ipairs(ids) do wait_for_end(id) end
  end)

  it("a process ends with the one that started it", function()
    local pipe = assert(io.popen(([[exec "$(readlink /proc/$PPID/exe)" '%s']]):format(
      here .. "/../support/orphaned_process.lua")))
    local child, parent = pipe:read("n", "n")
    is_true(runs(child) and runs(parent))
    os.execute(("kill -9 %d"):format(parent))
    pipe:close()
    wait_for_end(child)
  end)
end)

-- tide.thread and tide.channel: values sent between threads, rejected values, and how threads end.
local tide = require "tide"
local test = require "tide.test"
local describe, it, equal, is_true, raises =
  test.describe, test.it, test.equal, test.is_true, test.raises

local function through_a_thread(...)
  return tide.thread(function(...) return ... end, ...):join()
end

describe("values between threads", function(device)
  it("plain values, in order, nil among them", function()
    local results = table.pack(through_a_thread(1, 2.5, "a\0b", nil, true, nil))
    equal(results.n, 6)
    equal(math.type(results[1]), "integer")
    equal(math.type(results[2]), "float")
    equal({results[1], results[2], results[3], results[5]}, {1, 2.5, "a\0b", true})
  end)

  it("tables, shared and cyclic", function()
    local inner = {1, 2, three = {4}}
    local outer = {inner, inner, [2.5] = "x", [true] = "y"}
    outer.self = outer
    local copy = through_a_thread(outer)
    is_true(copy ~= outer and copy.self == copy and copy[1] == copy[2])
    equal(copy[1], inner)
    equal({copy[2.5], copy[true]}, {"x", "y"})
  end)

  it("objects of the script's classes, and of the library's", function()
    local Base = tide.class "Base"
    function Base:init(value) self.value = value end
    function Base:twice() return 2 * self.value end
    local Derived = tide.class("Derived", Base)
    function Derived:__tostring() return "derived " .. self.value end
    local value, text = tide.thread(function(x) return x:twice(), tostring(x) end, Derived(4)):join()
    equal({value, text}, {8, "derived 4"})
    local layer = tide.nn.Linear(3, 2):to(device)
    local x = tide.randn(5, 3, {device = device})
    local y, is_linear = tide.thread(function(layer, x)
      return layer(x), tide.class.is_a(layer, tide.nn.Linear)
    end, layer, x):join()
    is_true(is_linear)
    is_true(y:equal(layer(x):detach()))
  end)

  it("tensors share elements until one is written to", function()
    local x = tide.range(1, 6, {dtype = "float32", device = device}):reshape(2, 3)
    local y = through_a_thread(x:t())
    equal(y.shape, {3, 2})
    equal(y.device, x.device)
    y:add_(10)
    equal(x:tolist(), {{1, 2, 3}, {4, 5, 6}})
    equal(y:tolist(), {{11, 14}, {12, 15}, {13, 16}})
    local written = tide.thread(function(z) z:mul_(2) return z end, x):join()
    equal(x:tolist(), {{1, 2, 3}, {4, 5, 6}})
    equal(written:tolist(), {{2, 4, 6}, {8, 10, 12}})
  end)

  it("values that are not computed yet, or have no elements yet", function()
    local x = tide.ones(1000, {device = device})
    for _ = 1, 50 do x = x * 1.01 end
    local sum = tide.thread(function(x) return x:sum():item() end, x):join()
    equal(sum, x:sum():item())
    local filled = tide.thread(function(e) e:fill_(2) return e end,
      tide.empty(3, {device = device})):join()
    equal(filled:tolist(), {2, 2, 2})
  end)

  it("a leaf requires its gradient there, a result has no grad function", function()
    local w = tide.ones(2, {device = device, requires_grad = true})
    local leaf, made, gradient = tide.thread(function(w, y)
      (w * 3):sum():backward()
      return w.requires_grad, y.requires_grad, w.grad
    end, w, w * 2):join()
    equal({leaf, made}, {true, false})
    equal(gradient:tolist(), {3, 3})
    equal(w.grad, nil)
  end)

  it("an error of the device is raised for the reader, with the line that queued the op", function()
    local bad = tide.ones(3, {device = device}):gather(1, tide.tensor({9}, {device = device}))
    raises("position 9 is out of range", function() tide.thread(function(b) return b:sum():item() end, bad):join() end)
    raises("position 9 is out of range", function() return bad:sum():item() end)
  end)

  it("random numbers of a thread depend only on its seed", function()
    local function draw(seed, device)
      tide.manual_seed(seed)
      return tide.randn(4, {device = device})
    end
    local here = draw(7, device)
    tide.randn(3)
    is_true(tide.thread(draw, 7, device):join():equal(here))
    local generator = tide.Generator()
    generator:manual_seed(3)
    local there = tide.thread(function(g, device)
      return tide.rand(2, {generator = g, device = device})
    end, generator, device):join()
    is_true(there:equal(tide.rand(2, {generator = generator, device = device})))
  end)
end)

global_of_this_test = 5

describe("functions between threads", function()
  it("recursion, and upvalues shared by functions", function()
    local function factorial(n) return n <= 1 and 1 or n * factorial(n - 1) end
    local count = 0
    local function more() count = count + 1 end
    local function counted() return count end
    local result, after = tide.thread(function()
      more()
      more()
      return factorial(5), counted()
    end):join()
    equal({result, after, count}, {120, 2, 0})
  end)

  it("global variables of the script", function()
    equal(tide.thread(function() return global_of_this_test end):join(), 5)
    global_file = io.stdout
    raises("global 'global_file': a FILE* cannot go to another thread", function() tide.thread(function() return global_file end):join() end)
    global_file = nil
    global_iterator = coroutine.wrap(function() end)
    package.loaded.module_of_this_test = {} -- so that contents of modules are searched again
    equal(tide.thread(function() return 5 end):join(), 5)
    raises("a C function that is not in a module cannot go to another thread", function() tide.thread(function() return global_iterator end):join() end)
    global_iterator = nil
  end)

  it("C functions in global variables", function()
    upper_of_this_test, method_of_this_test = string.upper, tide.Generator().seed
    package.loaded.other_module_of_this_test = {} -- as above
    local function use() return upper_of_this_test "x", upper_of_this_test == string.upper end
    equal({tide.thread(use):join()}, {"X", true})
    raises("global 'method_of_this_test': a C function that is not in a module",
      function() tide.thread(function() return method_of_this_test end):join() end)
    upper_of_this_test, method_of_this_test = nil, nil
  end)

  it("functions of modules are found by name", function()
    is_true(through_a_thread(tide.matmul) == tide.matmul)
    is_true(through_a_thread(string.format) == string.format)
    is_true(through_a_thread(tide.nn.Linear) == tide.nn.Linear)
  end)

  it("values that cannot be sent are named", function()
    raises("thread: argument 1.file[1]: a FILE* cannot go to another thread", function() tide.thread(function() end, {file = {io.stdout}}) end)
    raises("thread: the function: a C function that is not in a module", function() tide.thread(coroutine.wrap(function() end)) end)
    local co = coroutine.create(function() end)
    raises("the function (its variable 'co'): a thread cannot go", function() tide.thread(function() return co end) end)
    raises("result 1: a FILE* cannot go to another thread", function() tide.thread(function() return io.stdout end):join() end)
    local deep = {}
    for _ = 1, 1000 do deep = {deep} end
    raises("200 levels deep", function() tide.thread(print, deep) end)
    raises("thread: argument 1 (fn): expected function, got number", function() tide.thread(5) end)
  end)
end)

describe("the end of threads", function()
  it("an error is raised by join, with both lines", function()
    local text = raises("boom", function() tide.thread(function() error "boom" end):join() end)
    is_true(text:find "threads_test.lua:%d+: thread: .*threads_test.lua:%d+: boom")
    raises("thread: table: ", function() tide.thread(function() error({}) end):join() end)
  end)

  it("join returns the results again", function()
    local t = tide.thread(function() return {1} end)
    is_true(t:wait())
    raises("wait: timeout must be non-negative, got -1", function() t:wait(-1) end)
    is_true(t:done())
    equal(t:join(), {1})
    is_true(t:join() ~= t:join())
  end)

  it("cancel stops a loop and a wait", function()
    for _, endless in ipairs{
      function() while true do end end, function(c) c:pop() end,
      function(c) c:push(1) c:push(1) end,
      function() tide.thread(function() while true do end end):join() end,
      function() coroutine.wrap(function() while true do end end)() end,
    } do
      local t = tide.thread(endless, tide.channel(1))
      is_true(not t:wait(0.01))
      t:cancel()
      raises("cancelled", function() t:join() end)
    end
  end)

  it("<close> and the collector end a thread", function()
    local c = tide.channel()
    do
      local _ <close> = tide.thread(function(c) c:push "running" while true do end end, c)
      equal(c:pop(), "running")
    end
    tide.thread(function() while true do end end)
    collectgarbage()
    raises("only the script's first", function() tide.thread(function() os.exit(3) end):join() end)
  end)

  it("many threads, one after the other and at once", function()
    for i = 1, 50 do equal(tide.thread(function(i) return i end, i):join(), i) end
    local threads = {}
    for i = 1, 8 do
      threads[i] = tide.thread(function(i)
        local x = tide.full({100}, i)
        for _ = 1, 100 do x = x + 1 end
        return x:sum():item()
      end, i)
    end
    for i, t in ipairs(threads) do equal(t:join(), 100 * (i + 100)) end
  end)
end)

describe("channels", function()
  it("keep the order of one sender, and end when closed", function()
    local jobs, results = tide.channel(2), tide.channel()
    local _ <close> = tide.thread(function()
      for i, x in jobs:iter() do results:push(i, (x * 2):sum()) end
      results:close()
    end)
    for i = 1, 20 do jobs:push(i, tide.ones(i)) end
    jobs:close()
    local seen = 0
    for i, sum in results:iter() do
      seen = seen + 1
      equal({i, sum:item()}, {seen, 2 * seen})
    end
    equal(seen, 20)
    raises("push: the channel is closed", function() jobs:push(1) end)
    equal(jobs:is_closed(), true)
  end)

  it("respect the timeout", function()
    local c = tide.channel(3)
    equal(select("#", c:pop(0)), 1)
    equal(c:pop(0.01), nil)
    c:push()
    c:push(nil, 2)
    equal(#c, 2)
    equal(select("#", c:pop()), 0)
    equal(select(2, c:pop()), 2)
    raises("channel: capacity must be positive, got 0", function() tide.channel(0) end)
    raises("channel: argument 1 (capacity): expected integer, got string", function() tide.channel "x" end)
    raises("pop: argument 2 (timeout): expected number, got string", function() c:pop "x" end)
    raises("pop: timeout must be non-negative, got -1", function() c:pop(-1) end)
    raises("pop: timeout must be non-negative, got", function() c:pop(0 / 0) end)
  end)

  it("can be sent inside values", function()
    local back = tide.channel()
    local first = tide.channel()
    first:push{to = back}
    tide.thread(function() local message = first:pop() message.to:push "hello" end):join()
    equal(back:pop(0), "hello")
  end)
end)

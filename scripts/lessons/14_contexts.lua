-- Lesson 14: contexts. The words of the book "Dive into Deep Learning" (D2L) and of Gluon, at work.
--
-- Run it:        tide lesson 14
-- On the cpu:    tide lesson 14 --device cpu
-- Very small:    tide lesson 14 --products 50
--
-- Gluon and D2L call the place where a tensor lives its context. tide calls it a device, and knows
-- the other words too: cpu(), gpu(i), num_gpus(), try_gpu(), ctx, as_in_ctx, copyto, initialize.
local tide = require "tide"
local nn, optim = tide.nn, tide.optim

local options = tide.args {
  device = tide.cuda.is_available() and "cuda" or "sim",
  products = 1000,  -- of two matrices of 100 x 100, in section 5
}

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

local function ms(seconds) return ("%.1f ms"):format(seconds * 1e3) end

-- 1. cpu(), gpu(i), num_gpus() --------------------------------------------------------------------
heading "1. Contexts by name"

print(("  tide.cpu()        %s"):format(tide.cpu()))
print(("  tide.gpu(0)       %s    the first GPU, whether it is there or not"):format(tide.gpu(0)))
print(("  tide.gpu(1)       %s"):format(tide.gpu(1)))
print(("  tide.num_gpus()   %d"):format(tide.num_gpus()))
print(("  tide.try_gpu(0)   %s    a context that is surely there"):format(tide.try_gpu(0)))
print(("  tide.try_gpu(99)  %s"):format(tide.try_gpu(99)))
assert(tide.cpu() == tide.device("cpu") and tide.gpu() == tide.gpu(0))
assert(tide.try_gpu(99) == tide.cpu() and #tide.try_all_gpus() == math.max(1, tide.num_gpus()))

-- These names mean CUDA devices, or simulated ones if the program was started with
-- `--device sim` (as `tide lesson` is without a GPU).
local ctx = tide.device(options.device)
if ctx == tide.cpu() then
  print("You asked for the cpu. Where this lesson needs a second memory, it uses sim:0.")
  ctx = tide.device("sim:0")
end
print("Our context is " .. ctx .. ".")

-- `{ctx = ...}` says where a tensor is made, `x.ctx` where it is. They mean the same as `device`.
local x = tide.ones(2, 3, {ctx = ctx})
assert(x.ctx == ctx and x.device == ctx)
assert(tide.ones(2, 3).ctx == tide.cpu(), "by default: the cpu")

-- 2. copyto and as_in_ctx -------------------------------------------------------------------------
heading "2. copyto against as_in_ctx"

local same, copy = x:as_in_ctx(ctx), x:copyto(ctx)
assert(same == x, "already there: the very tensor")
assert(copy ~= x, "a copy, always")
x:add_(1)
print("  x = ones(2, 3) on " .. ctx .. ", then x:add_(1)")
print(("  x:as_in_ctx(%s) was x itself and has the sum %d now"):format(tostring(ctx),
  same:sum():item()))
print(("  x:copyto(%s)    is a copy and still has %d"):format(tostring(ctx), copy:sum():item()))
assert(same:sum():item() == 12 and copy:sum():item() == 6)

-- From one context to another both copy.
local on_cpu = x:as_in_ctx(tide.cpu())
assert(on_cpu.ctx == tide.cpu() and on_cpu:equal(x:copyto(tide.cpu())))
-- An op needs its tensors in one context.
local ok, message = pcall(function() return x + on_cpu end)
assert(not ok and message:find(tostring(ctx), 1, true) and message:find("cpu", 1, true))
print("  x + on_cpu:  " .. message)
assert((x + on_cpu:as_in_ctx(x.ctx)).ctx == ctx)

-- 3. Layers that do not know their inputs yet -----------------------------------------------------
-- Gluon's Dense takes the number of outputs only. What comes in it sees with the first batch: until
-- then its parameters have no shape, and are not there.
heading "3. Deferred shapes"

local net = nn.Sequential()
net:add(nn.Dense(8, {activation = "relu"}))
net:add(nn.Dense(1))
net:initialize {ctx = ctx}
print(net)

ok, message = pcall(function() return net:parameters() end)
assert(not ok and message:find("before its first input", 1, true))
print("its parameters:  " .. message)

local y = net(tide.ones(4, 5, {ctx = ctx})) -- now it knows: 5 numbers come in
print(net)
assert(y.ctx == ctx)
local shapes = {}
for name, parameter in net:named_parameters() do
  shapes[#shapes + 1] = ("%s (%s)"):format(name, table.concat(parameter.shape, ", "))
  assert(parameter.ctx == ctx, "made where the network was initialized")
end
print("  " .. table.concat(shapes, ", ") .. " on " .. ctx)
assert(net[1].weight.shape[1] == 8 and net[1].weight.shape[2] == 5)

-- From now on it is settled: other inputs are an error that names the layer.
ok, message = pcall(function()
  local z = net(tide.ones(4, 6, {ctx = ctx}))
  return z
end)
assert(not ok and message:find("net[1]", 1, true))
print("a batch of 6 numbers:  " .. message)

-- 4. Parameters, read and written where they live -------------------------------------------------
heading("4. Parameters on " .. tostring(ctx))

-- A parameter is a tensor, so all that is said of tensors holds. Look at it (this waits):
local weight, bias = net[2].weight, net[2].bias
print(weight)
-- Writing into a parameter is not a step that gradients should go through, so it is
-- done in no_grad. It stays where it is; a value from elsewhere has to be brought over.
tide.no_grad(function()
  bias:fill_(0.5)
  weight[{1, 1}] = 42
  weight[{1, {2, 8}}] = tide.zeros(7):as_in_ctx(ctx)
end)
print(weight)
assert(net[2].weight == weight and weight.ctx == ctx)
assert(weight[1][1]:item() == 42 and weight:sum():item() == 42 and bias:item() == 0.5)

-- The initialiser can be chosen, too.
net:initialize {ctx = ctx, init = function(w) nn.init.normal_(w, 0, 0.01) end}
assert(weight:abs():max():item() < 0.1)

-- All of them by name, for a file or for another network. On the way to a network elsewhere they
-- change their context.
local twin = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 1)) -- on the cpu
local state = net:state_dict()
twin[1].weight:detach():copy_(state["0.weight"])
twin[1].bias:detach():copy_(state["0.bias"])
twin[3]:load_state_dict {weight = state["1.weight"], bias = state["1.bias"]}
local batch = tide.randn(4, 5)
local here, there = twin(batch), net(batch:as_in_ctx(ctx))
assert(here.ctx == tide.cpu() and there.ctx == ctx)
assert(here:allclose(there:as_in_ctx(tide.cpu()), {rtol = 1e-4, atol = 1e-6}))
print("A network on the cpu with copies of these parameters gives the same outputs.")

-- An optimizer holds the parameter tensors themselves, so it trains them where they are.
local optimizer = optim.SGD(net:parameters(), {lr = 0.1})
local before = bias:item()
net(batch:as_in_ctx(ctx)):sum():backward()
optimizer:step()
assert(weight.grad.ctx == ctx and bias:item() ~= before)

-- 5. A log that is read too often -----------------------------------------------------------------
-- A thousand products, and of each the norm (the length of all its numbers together) for a log. In
-- the book's exercise: once written down one at a time, once kept on the device and read at the
-- end. A number that is read makes the script wait for the device, and then the device for the
-- script.
local count = options.products
heading(("5. %d products of 100 x 100, and the norm of each"):format(count))

local latency = 1e-3
if ctx.type == "sim" then
  -- Every copy takes 1 ms on its way: a device far away. This is what reading one number costs.
  tide.sim.configure {device = ctx, copy_latency = latency}
  print(("A copy from %s takes 1 ms or more: that time is simulated."):format(tostring(ctx)))
end

local a = tide.randn(100, 100, {ctx = ctx}) / 10
local b = tide.randn(100, 100, {ctx = ctx})

local function one_at_a_time()
  local log = {}
  for i = 1, count do log[i] = (a * (i / count)):matmul(b):norm():item() end
  return log
end

local function kept_on_device()
  local log = {}
  for i = 1, count do log[i] = (a * (i / count)):matmul(b):norm() end
  return tide.stack(log):tolist() -- one copy of a thousand numbers
end

local found = {}
print("                         time     waits")
local ways = {{"read one at a time", one_at_a_time, 1}, {"kept on the device", kept_on_device, 3}}
for _, row in ipairs(ways) do
  local words, fn, tries = table.unpack(row)
  local best = {seconds = math.huge}
  for _ = 1, tries do
    tide.synchronize(ctx)
    local waits, start = tide.wait_count(), tide.time()
    local log = fn()
    local seconds = tide.time() - start
    waits = tide.wait_count() - waits
    if seconds < best.seconds then best = {seconds = seconds, waits = waits, log = log} end
  end
  found[#found + 1] = best
  print(("  %-18s %9s %9d  %s"):format(words, ms(best.seconds), best.waits,
    ("#"):rep(math.ceil(30 * best.seconds / found[1].seconds))))
end
local often, seldom = found[1], found[2]
for i = 1, count do
  assert(often.log[i] == seldom.log[i], "the same numbers to the last bit")
end
-- Now and then the device is done before the script asks: that is not a wait.
assert(often.waits > count / 2 and seldom.waits < 10, "a wait for each, and hardly any")
if ctx.type == "sim" then
  assert(often.seconds >= count * latency, "a thousand copies, 1 ms each")
  assert(seldom.seconds < often.seconds / 2, "one copy")
end
print("The logs are equal. Keep what you log on the device, and read it when an epoch is over.")

print("\nAll of this was true on " .. tostring(ctx) .. ".")

print [[

Exercises
---------
1. Make a network of three nn.Dense layers, initialize it, and find all shapes after a first batch
   of 7 features: predict them before you look.
2. Write evaluate(net, x) that brings x to the context of the net's first parameter and the answer
   back to the cpu.
3. Do the log of section 5 with one wait for every 100 products.

`tide lesson 14 --answers` shows answers.]]

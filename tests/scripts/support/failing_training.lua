-- Fails a training at many of its ops and checks the parameters afterwards. A separate
-- program, because unread failures make the exit status of a process nonzero.
local tide = require "tide"
local compare = require "tide.test.compare"
local nn = tide.nn

--- A small training, with a different batch in each step, whose parameters can be inspected afterwards.
local function new_training()
  tide.manual_seed(6)
  local net = nn.Sequential(nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 2)):to("sim:0")
  local optimizer = tide.optim.SGD(net:parameters(), {lr = 0.1, momentum = 0.9})
  local x = tide.randn(30, 4, {device = "sim:0"})
  local y = tide.tensor({1, 2, 1, 2, 1}):to("sim:0")
  x:tolist() -- computed now, and not drawn again in a step that may fail
  local training = {}
  function training.step(i)
    optimizer:zero_grad()
    nn.functional.cross_entropy(net(x[{{5 * i + 1, 5 * i + 5}}]), y):backward()
    optimizer:step()
  end
  --- All values, and the number of reads that raised an error.
  function training.parameters()
    local values, errors = {}, 0
    for i, parameter in ipairs(net:parameters()) do
      local ok, value = pcall(function() return parameter:tolist() end)
      if not ok then
        errors = errors + 1
        assert(value:find "queued at %S+%.lua:%d+ .* noticed at %S+failing_training%.lua:%d+", value)
      end
      values[i] = ok and value or parameter:tolist()
    end
    return values, errors
  end
  training.parameters()
  return training
end

local known, whole = {}, new_training()
known[0] = whole.parameters()
for i = 1, 5 do
  whole.step(i)
  known[i] = whole.parameters()
end

--- The number of the five steps that the values reflect.
local function steps_in(values)
  for i = 5, 0, -1 do
    if compare.equal(values, known[i]) == nil then return i end
  end
end

--- Makes the k-th op or the like fail; returns the number of completed steps.
local function fail_at(kind, k)
  local training = new_training()
  tide.sim.configure {index = 0, [kind] = k}
  for i = 1, 5 do pcall(training.step, i) end
  pcall(tide.synchronize)
  tide.sim.configure {index = 0, [kind] = 0}
  local values, errors = training.parameters()
  local steps = steps_in(values)
  assert(steps, ("%s = %d mixed the parameters of several steps"):format(kind, k))
  assert(errors == (steps < 5 and 1 or 0),
    ("%s = %d: %d errors for %d steps"):format(kind, k, errors, steps))
  -- After the report the training continues from there.
  for i = steps + 1, 5 do training.step(i) end
  assert(steps_in(training.parameters()) == 5, ("%s = %d: it does not go on"):format(kind, k))
  return steps
end

-- State that an optimizer creates before its first step survives that step, and exists for the next
-- one if it failed.
local optimizers = {
  Adam = {lr = 0.1, amsgrad = true}, AdamW = {lr = 0.1}, Adamax = {}, NAdam = {}, RAdam = {},
  Adagrad = {lr = 0.1}, Adadelta = {lr = 1}, RMSprop = {momentum = 0.9, centered = true}, Rprop = {}, ASGD = {lr = 0.1},
  SGD = {lr = 0.1, momentum = 0.9},
}
for name, options in pairs(optimizers) do
  local function new_training()
    local w = tide.ones(3, {device = "sim:0", requires_grad = true})
    local optimizer = tide.optim[name]({w}, options)
    local function step()
      optimizer:zero_grad();
      (w * w):sum():backward()
      optimizer:step()
    end
    return w, step
  end
  local good, good_step = new_training()
  good_step()
  local first = good:tolist()
  local carried_out = false
  for k = 1, 40 do
    local w, step = new_training()
    tide.synchronize()
    tide.sim.configure {index = 0, fail_op = k}
    pcall(step)
    pcall(tide.synchronize)
    tide.sim.configure {index = 0, fail_op = 0}
    local reported = not pcall(w.tolist, w) -- the first reader raises the error
    local value = w:tolist()
    local expected = reported and {1.0, 1.0, 1.0} or first
    assert(compare.equal(value, expected) == nil,
      ("%s, op %d: not the parameters of some step"):format(name, k))
    for _ = 1, 3 do step() end
    assert(compare.equal(w:tolist(), value),
      ("%s, op %d: a failed first step spoils the next"):format(name, k))
    carried_out = not reported
  end
  assert(carried_out, name .. ": there are more ops than were failed")
end

local seen = {}
for k = 1, 150 do seen[fail_at("fail_op", k)] = true end
assert(fail_at("fail_op", 151) == 5, "there are more ops than were failed")
for i = 0, 5 do assert(seen[i], ("no failure left the parameters of step %d"):format(i)) end
for k = 1, 30 do assert(fail_at("fail_allocation", k) == 5, "memory that fails once is found") end
for k = 1, 10 do fail_at("fail_copy", k) end
print "always the parameters of some step"

-- Rules on training and evaluation, each with a faulty and a correct run.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, is_nil, is_true = test.equal, test.is_nil, test.is_true
local nn, F = tide.nn, tide.nn.functional

--- The finding of a rule for fn; nil if there is none.
local function finding(rule, fn)
  for _, found in ipairs(tide.advise(fn).findings) do
    if found.rule == rule then return found end
  end
end

local function line() return debug.getinfo(2, "l").currentline end

describe("advice on training", function(device)
  local x, targets = tide.rand(8, 4, {device = device}), tide.randint(1, 3, {8}):to(device)

  local function network()
    return nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.Linear(8, 3)):to(device)
  end

  it("reports a training without zero_grad, also with one step at a time", function()
    local net = network()
    local optimizer = tide.optim.SGD(net:parameters(), {lr = 0.1})
    local at
    local function step(clear)
      if clear then clear() end
      F.cross_entropy(net(x), targets):backward()
      at = line() + 1
      optimizer:step()
    end
    local found = finding("no zero_grad", function() for _ = 1, 3 do step() end end)
    equal(found.line, at)
    equal(found.wins, "results")
    equal(found.text, "the gradients of 3 of 3 steps are added to those of the step before")
    optimizer:zero_grad()
    is_true(finding("no zero_grad", function() step() end) ~= nil)
    for _, clear in ipairs {
      function() optimizer:zero_grad() end,
      function() net:zero_grad() end,
      function() for _, parameter in ipairs(net:parameters()) do parameter.grad = nil end end,
      function()
        for _, parameter in ipairs(net:parameters()) do
          if parameter.grad then parameter.grad:zero_() end
        end
      end,
    } do
      clear()
      is_nil(finding("no zero_grad", function() for _ = 1, 3 do step(clear) end end))
    end
  end)

  it("ignores gradients left by another loss, or used by no step", function()
    local net, other = network(), network()
    local optimizer = tide.optim.SGD(net:parameters(), {lr = 0.1})
    is_nil(finding("no zero_grad", function()
      for _ = 1, 3 do
        optimizer:zero_grad()
        F.cross_entropy(net(x), targets):backward()
        optimizer:step()
        F.cross_entropy(other(x), targets):backward()
        F.cross_entropy(net(x), targets):backward() -- as a generator's loss goes through its critic
      end
    end))
  end)

  it("accepts intended gradient accumulation", function()
    local net = network()
    local optimizer = tide.optim.SGD(net:parameters(), {lr = 0.1})
    is_nil(finding("no zero_grad", function()
      for _ = 1, 3 do
        optimizer:zero_grad()
        for _ = 1, 2 do F.cross_entropy(net(x), targets):backward() end
        optimizer:step()
      end
    end))
  end)

  it("reports a network in training mode in an evaluation", function()
    local net, at = network(), nil
    local function evaluate()
      local _ <close> = tide.no_grad()
      at = line() + 1
      net(x):sum():item()
    end
    local found = finding("training mode in evaluation", evaluate)
    equal(found.line, at)
    equal(found.text, "Dropout runs in training mode, without gradients")
    net:eval()
    is_nil(finding("training mode in evaluation", evaluate))
    net:train()
    is_nil(finding("training mode in evaluation", function() net(x):sum():backward() end))
  end)

  it("reports an evaluation that keeps graphs", function()
    local net, at = network():eval(), nil
    local function evaluate()
      at = line() + 1
      for _ = 1, 3 do net(x):sum():item() end
    end
    local found = finding("no no_grad", evaluate)
    equal(found.line, at)
    equal(found.wins, "memory")
    equal(found.text, "Sequential keeps 3 graphs for gradients that are never computed")
    is_nil(finding("no no_grad", function() tide.no_grad(evaluate) end))
    is_nil(finding("no no_grad", function() -- trained with frozen statistics
      for _ = 1, 3 do net(x):sum():backward() end
    end))
  end)

  it("reports a softmax before cross_entropy, in a function and in a module", function()
    local net = network()
    local function by_function(y) return F.cross_entropy(y, targets) end
    local criterion = nn.CrossEntropyLoss()
    local function by_module(y) return criterion(y, targets) end
    local function softmax(y) return y:softmax(2) end
    local function on(loss_of, outputs)
      local function step() loss_of(outputs(net(x))):backward() end
      return finding("softmax before cross_entropy", step)
    end
    equal(on(by_function, softmax).wins, "results")
    equal(on(by_module, softmax).wins, "results")
    is_nil(on(by_function, F.relu))
    is_nil(on(by_module, function(y) return y end))
  end)
end)

-- tide.no_sync: a wait inside is an error.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, is_true, raises = test.equal, test.is_true, test.raises

describe("no_sync", function(device)
  it("makes a wait an error that names the call, the awaited op and a fix", function()
    local x = tide.rand(10, {device = device})
    local y = x:exp():sum()
    local line = debug.getinfo(1, "l").currentline + 2
    local message = raises("no_sync: item waits for " .. tostring(tide.device(device)),
      tide.no_sync, function() return y:item() end)
    is_true(message:find(":" .. line .. ": no_sync", 1, true) ~= nil)
    is_true(message:find("(sum, queued at ", 1, true) ~= nil)
    is_true(message:find("keep the value on the device", 1, true) ~= nil)
    is_true(y:item() > 10)
  end)
  it("does not depend on whether the value is already available", function()
    local y = tide.ones(3, {device = device}):sum()
    equal(y:item(), 3)
    raises("no_sync: item", tide.no_sync, y.item, y)
  end)
  it("allows calls that do not wait", function()
    local value = tide.no_sync(function()
      local x = tide.tensor({1.0, 2}, {device = device, requires_grad = true})
      x:square():sum():backward()
      tide.flush()
      return x.grad
    end)
    equal(value:tolist(), {2, 4})
  end)
  it("ends with its scope, also on an error", function()
    do
      local _ <close> = tide.no_sync()
      raises("no_sync: synchronize waits", tide.synchronize)
    end
    raises("boom", tide.no_sync, function() error "boom" end)
    equal(tide.ones(2, {device = device}):sum():item(), 2)
  end)
  it("belongs to the coroutine that opened it", function()
    local inside = coroutine.wrap(function()
      local _ <close> = tide.no_sync()
      coroutine.yield()
    end)
    inside()
    equal(tide.ones(2, {device = device}):sum():item(), 2)
    inside()
  end)
  it("reports ops whose result's shape depends on values", function()
    local x = tide.ones(3, {device = device})
    raises("no_sync: nonzero waits", tide.no_sync, function() return x:nonzero() end)
  end)
end)

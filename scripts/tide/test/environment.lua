-- What a file of tests sees beyond Lua's globals: busted's words. Modules that it loads see it only
-- if they ask: require "busted", require "luassert".
local assert = require "tide.test.assert"
local matchers = require "tide.test.matchers"
local spy = require "tide.test.spy"
local test = require "tide.test"

local words = {
  describe = test.describe, context = test.describe,
  it = test.it, spec = test.it, test = test.it,
  pending = test.pending, finally = test.finally,
  before_each = test.before_each, after_each = test.after_each,
  setup = test.setup, lazy_setup = test.setup, strict_setup = test.setup,
  teardown = test.teardown, lazy_teardown = test.teardown, strict_teardown = test.teardown,
  assert = assert, spy = spy, stub = spy.stub, mock = spy.mock, match = matchers.match,
}

-- In busted these two say what a group's globals do; here each file has a process of its own.
function words.insulate(name, fn)
  if fn == nil then name, fn = "insulate", name end
  return test.describe(name, fn)
end
function words.expose(name, fn)
  if fn == nil then name, fn = "expose", name end
  return test.describe(name, fn)
end

local modules = {
  busted = words, luassert = assert,
  ["luassert.spy"] = spy, ["luassert.stub"] = spy.stub, ["luassert.mock"] = spy.mock,
  ["luassert.match"] = matchers.match, ["busted.runner"] = function() return function() end end,
}
for name, value in pairs(modules) do package.preload[name] = function() return value end end

--- The _ENV of a file of tests: new globals go where Lua's are.
return setmetatable(words, {__index = _G, __newindex = _G})

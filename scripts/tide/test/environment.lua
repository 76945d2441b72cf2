-- The environment of a test file: Lua's globals and busted's functions. Modules that it loads have them only by
-- require "busted" and require "luassert".
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

-- In busted these two control whether a group's globals persist; here each file has its own process.
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

--- The _ENV of a test file: new globals are assigned to _G.
return setmetatable(words, {__index = _G, __newindex = _G})

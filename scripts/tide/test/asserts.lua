-- Assertions of tests. If an assertion does not hold, it raises an error with the test's line.
local compare = require "tide.test.compare"
local raise = require "tide.internal.raise"

local asserts = {}

local function fail_with(name, difference)
  if difference then raise("%s: %s", name, difference) end
end

local close_options = {rtol = true, atol = true}

--- Numbers, tensors or nested tables have the same shape, tensors the same type, and values are equal up to rounding:
--- |got - expected| <= atol + rtol * |expected|. The default is {rtol = 1e-5, atol = 1e-6}.
function asserts.close(got, expected, options)
  options = options or {}
  for name in pairs(options) do
    if not close_options[name] then
      raise("close: unknown option '%s': known are atol, rtol", tostring(name))
    end
  end
  local rtol, atol = options.rtol or 1e-5, options.atol or 1e-6
  fail_with("close", compare.close(got, expected, rtol, atol, true))
end

--- Tensors of the same type, shape and values; tables with the same contents; the same number, string,
--- ... Lua numbers are compared by value: 3 equals 3.0.
function asserts.equal(got, expected) fail_with("equal", compare.equal(got, expected)) end

--- As equal, but Lua integers and floats are different: 3 does not equal 3.0.
function asserts.same_type(got, expected) fail_with("same_type", compare.same_type(got, expected)) end

--- Tensors with the same bits.
function asserts.identical(got, expected)
  fail_with("identical", compare.identical(got, expected))
end

--- Something other than nil and false.
function asserts.is_true(value) if not value then raise("is_true: got %s", tostring(value)) end end

--- nil or false.
function asserts.is_false(value) if value then raise("is_false: got %s", tostring(value)) end end

--- nil.
function asserts.is_nil(value) if value ~= nil then raise("is_nil: got %s", tostring(value)) end end

--- Calling fn raises an error whose text contains `message` (not a pattern). Returns the complete text.
function asserts.raises(message, fn, ...)
  local ok, got = pcall(fn, ...)
  if ok then raise("raises: no error; expected: %s", message) end
  got = tostring(got)
  if not got:find(message, 1, true) then raise("raises: got: %s\n  expected: %s", got, message) end
  return got
end

return asserts

-- Assertions of tests. If an assertion does not hold, it raises an error with the test's line.
local checked = require "tide.internal.declare.checked"
local compare = require "tide.test.compare"
local raise = require "tide.internal.raise"

local asserts = {}

local function fail_with(name, difference)
  if difference then raise("%s: %s", name, difference) end
end

--- Asserts equal shapes and types, and values that are equal up to rounding: numbers, tensors or nested tables.
---@param got any  the actual value
---@param expected any  the expected value
---@param rtol number >= 0 = 1e-5  relative tolerance
---@param atol number >= 0 = 1e-6  absolute tolerance
---@formula |got - expected| <= atol + rtol |expected|
---@example
--- tide.test.close(tide.tensor{0.1}:add(0.2), {0.3})
asserts.close = checked("test.close", function(got, expected, rtol, atol)
  fail_with("close", compare.close(got, expected, rtol, atol, true))
end)

--- Asserts equal type, shape and values of tensors, or equal contents of tables. Numbers of Lua are compared by value:
--- 3 equals 3.0.
---@param got any  the actual value
---@param expected any  the expected value
---@param others... any  ignored, such as further results of string.gsub
---@example
--- tide.test.equal(tide.tensor{1, 2}:sum():item(), 3)
asserts.equal = checked("test.equal", function(got, expected) fail_with("equal", compare.equal(got, expected)) end)

--- Like equal, but Lua numbers must also both be integers, or both floats.
---@like test.equal
---@example
--- tide.test.same_type(tide.tensor{1.0, 2}:sum():item(), 3.0)
asserts.same_type = checked("test.same_type", function(got, expected)
  fail_with("same_type", compare.same_type(got, expected))
end)

--- Asserts equal bits.
---@like test.equal
---@example
--- tide.test.identical(tide.ones(2) + 0, tide.ones(2))
asserts.identical = checked("test.identical", function(got, expected)
  fail_with("identical", compare.identical(got, expected))
end)

--- Asserts a value other than nil and false.
---@param value any  the value
---@param others... any  ignored, such as further results of string.find
---@example
--- tide.test.is_true(2 > 1)
asserts.is_true = checked("test.is_true", function(value)
  if not value then raise("is_true: got %s", tostring(value)) end
end)

--- Asserts nil or false.
---@like test.is_true
---@example
--- tide.test.is_false(1 > 2)
asserts.is_false = checked("test.is_false", function(value)
  if value then raise("is_false: got %s", tostring(value)) end
end)

--- Asserts nil.
---@like test.is_true
---@example
--- tide.test.is_nil(tide.ones(2).grad)
asserts.is_nil = checked("test.is_nil", function(value)
  if value ~= nil then raise("is_nil: got %s", tostring(value)) end
end)

--- Asserts an error whose text contains the message; returns the text.
---@param message string  a part of the expected message
---@param fn function  the function to call
---@param arguments... any  arguments of fn
---@example
--- tide.test.raises("inner sizes differ", tide.matmul, tide.ones(2, 3), tide.ones(2, 3)) ~= nil --> true
asserts.raises = checked("test.raises", function(message, fn, ...)
  local ok, got = pcall(fn, ...)
  if ok then raise("raises: no error; expected: %s", message) end
  got = tostring(got)
  if not got:find(message, 1, true) then raise("raises: got: %s\n  expected: %s", got, message) end
  return got
end)

return asserts

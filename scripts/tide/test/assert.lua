-- assert for tests in busted's style: Lua's own when called, and luassert's forms by name:
-- assert.are.equal(2, x), assert.is_not_nil(x), assert.spy(s).was.called_with(1). The expected value
-- comes first; a text after the last argument is put before the message.
local compare = require "tide.test.compare"
local raise = require "tide.internal.raise"
local spy = require "tide.test.spy"
local nearest = require "tide.internal.nearest"
local tide = require "tide"

local lua_assert = assert

-- Each assertion: its number of arguments, and a function of them that returns whether it holds, the
-- message if it does not, and the message if it holds but is negated. `subject` is the argument of
-- assert.spy.
local assertions = {}

local function define(names, arity, check)
  for _, name in ipairs(names) do assertions[name] = {arity = arity, check = check, name = names[1]} end
end

local show = compare.show

--- Whether luassert's `equal` holds: the same object, or tensors of equal values.
local function same_object(expected, got)
  if tide.is_tensor(expected) and tide.is_tensor(got) then return compare.equal(got, expected) == nil end
  return expected == got
end

local function got_expected(got, expected)
  return ("got %s, expected %s"):format(show(got), show(expected))
end

define({"equal", "equals", "eq"}, 2, function(_, expected, got)
  return same_object(expected, got), got_expected(got, expected), "got " .. show(got)
end)
define({"same"}, 2, function(_, expected, got)
  local difference = compare.equal(got, expected)
  return not difference, difference, "got " .. show(got)
end)
define({"near"}, 3, function(_, expected, got, tolerance)
  if type(tolerance) ~= "number" then raise "near: expected a tolerance as the third argument" end
  local difference = compare.close(got, expected, 0, tolerance)
  return not difference, difference, ("got %s, within %s of %s"):format(show(got), show(tolerance),
    show(expected))
end)
define({"matches", "match"}, 2, function(_, pattern, text)
  local found = type(text) == "string" and text:find(pattern) ~= nil
  return found, ("got %s, expected a match of %s"):format(show(text), show(pattern)),
    ("got %s, which %s matches"):format(show(text), show(pattern))
end)
define({"unique"}, 1, function(_, list)
  for i, value in ipairs(list) do
    for j = 1, i - 1 do
      if compare.equal(value, list[j]) == nil then
        return false, ("elements %d and %d are both %s"):format(j, i, show(value))
      end
    end
  end
  return true, nil, "all elements differ"
end)

local function define_value(names, holds)
  define(names, 1, function(_, value) return holds(value), "got " .. show(value), "got " .. show(value) end)
end
define_value({"true"}, function(value) return value == true end)
define_value({"false"}, function(value) return value == false end)
define_value({"truthy"}, function(value) return value and true or false end)
define_value({"falsy"}, function(value) return not value end)
for _, name in ipairs {"boolean", "number", "string", "table", "nil", "userdata", "function",
  "thread"} do
  define_value({name}, function(value) return type(value) == name end)
end
define_value({"tensor"}, tide.is_tensor)
define_value({"callable"}, function(value)
  local meta = getmetatable(value)
  return type(value) == "function" or type(meta) == "table" and meta.__call ~= nil
end)

--- The error of a call, without the file and line at its start.
local function without_place(message)
  return type(message) == "string" and message:gsub("^.-:%d+: ", "", 1) or message
end

define({"error", "errors"}, 2, function(_, fn, expected)
  local ok, message = pcall(fn)
  if ok then return false, "no error", nil end
  local agrees = expected == nil or compare.equal(message, expected) == nil
    or compare.equal(without_place(message), expected) == nil
  return agrees, got_expected(message, expected), "got the error " .. show(message)
end)
define({"error_matches", "error_match"}, 4, function(_, fn, pattern, init, plain)
  local ok, message = pcall(fn)
  if ok then return false, "no error", nil end
  local found = tostring(message):find(pattern, init, plain) ~= nil
  return found, ("got %s, expected a match of %s"):format(show(message), show(pattern)),
    ("got %s, which %s matches"):format(show(message), show(pattern))
end)
define({"returned_arguments"}, math.huge, function(_, count, ...)
  local got = select("#", ...)
  return got == count, ("got %d values, expected %d"):format(got, count), ("got %d values"):format(got)
end)

local function need_spy(subject, name)
  if not spy.is_spy(subject) then raise("%s: expected a spy, as in assert.spy(s).was.%s", name, name) end
  return subject
end

local function define_count(names, holds, words)
  define(names, 1, function(subject, count)
    local calls = need_spy(subject, names[1]):count()
    return holds(calls, count), ("called %d times, expected %s"):format(calls, words:format(count or 1)),
      ("called %d times"):format(calls)
  end)
end
define_count({"called"}, function(calls, count)
  if count then return calls == count end
  return calls > 0
end, "%d")
define_count({"called_at_least"}, function(calls, count) return calls >= count end, "at least %d")
define_count({"called_at_most"}, function(calls, count) return calls <= count end, "at most %d")
define_count({"called_more_than"}, function(calls, count) return calls > count end, "more than %d")
define_count({"called_less_than"}, function(calls, count) return calls < count end, "less than %d")

local function listed(values)
  local texts = {}
  for i = 1, values.n do texts[i] = show(values[i]) end
  return "(" .. table.concat(texts, ", ") .. ")"
end

define({"called_with"}, math.huge, function(subject, ...)
  local wanted = table.pack(...)
  local calls = {}
  for i, call in ipairs(need_spy(subject, "called_with").calls) do calls[i] = listed(call.vals) end
  return subject:was_called_with(wanted), ("expected a call with %s, there were %s"):format(
    listed(wanted), #calls > 0 and table.concat(calls, ", ") or "none"),
    "called with " .. listed(wanted)
end)
define({"returned_with"}, math.huge, function(subject, ...)
  local wanted = table.pack(...)
  return need_spy(subject, "returned_with"):has_returned(wanted),
    "no call returned " .. listed(wanted), "a call returned " .. listed(wanted)
end)

-- Words without effect that complete a sentence, and those that negate it.
local kFillers <const> = {is = true, are = true, was = true, has = true, have = true, does = true,
  be = true, been = true, a = true, an = true, to = true}
local kNegations <const> = {["not"] = true, no = true}

local new_sentence

--- The assertion named by the sentence so far and further words; a sentence if words are missing.
local function read_words(sentence, words)
  local negated, rest = sentence.negated, words:lower()
  while true do
    local word, after = rest:match "^(%a+)_?(.*)$"
    if assertions[rest] or not word then break end
    if kNegations[word] then negated = not negated elseif not kFillers[word] then break end
    rest = after
  end
  if rest == "" then return new_sentence(negated, sentence.subject, sentence.head) end
  local assertion = assertions[rest]
  if not assertion then
    local near = nearest(rest, assertions)
    raise("assert: unknown assertion '%s'%s", words,
      near and (": did you mean '%s'?"):format(near) or "")
  end
  local name = (negated and "not " or "") .. assertion.name
  return function(...)
    local count = select("#", ...)
    local head = sentence.head
    if count > assertion.arity then head = select(assertion.arity + 1, ...) end
    local holds, text, text_if_not = assertion.check(sentence.subject, ...)
    if holds == negated then
      raise("%s%s: %s", head and tostring(head) .. ": " or "", name,
        negated and text_if_not or text or "does not hold")
    end
    return ...
  end
end

function new_sentence(negated, subject, head)
  return setmetatable({}, {
    __index = function(_, words)
      return read_words({negated = negated, subject = subject, head = head}, words)
    end,
  })
end

local test_assert = setmetatable({}, {
  __call = function(_, ...)
    if select("#", ...) == 0 or (...) then return lua_assert(...) end
    local message = "assertion failed!"
    if select("#", ...) > 1 then message = select(2, ...) end
    error(message, 2)
  end,
  __index = function(_, words)
    if type(words) ~= "string" then return nil end
    return read_words({negated = false}, words)
  end,
})

--- Sets the spy of the following assertion; assert.stub is the same.
function test_assert.spy(subject) return new_sentence(false, subject) end
test_assert.stub = test_assert.spy

--- Sets a text that is put before the message of the following assertion.
function test_assert.message(text) return new_sentence(false, nil, text) end

--- Adds an assertion: check(state, arguments) returns whether it holds, as in luassert.
function test_assert.register(_, kind, name, check)
  if kind ~= "assertion" then raise("assert: only assertions can be registered, got '%s'", tostring(kind)) end
  define({name:lower()}, math.huge, function(_, ...)
    return check({}, table.pack(...)) and true or false, "does not hold", "holds"
  end)
end

return test_assert

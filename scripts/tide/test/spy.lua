-- Spies and stubs: functions that record their calls, alone or in place of a field.
local kind_of = require "tide.internal.kind_of"
local matchers = require "tide.test.matchers"
local raise = require "tide.internal.raise"

local spy = {}

-- Spies in tables, in the order in which they were placed.
local placed = {}

local Spy = {}
Spy.__index = Spy

--- Whether `arguments` (a list with its length in n) match `wanted`.
local function agree(arguments, wanted)
  if arguments.n ~= wanted.n then return false end
  for i = 1, wanted.n do
    if not matchers.agree(arguments[i], wanted[i]) then return false end
  end
  return true
end

--- Calls the wrapped function, and records arguments and results.
function Spy:__call(...)
  local call = {vals = table.pack(...)}
  self.calls[#self.calls + 1] = call
  local behaviour = self.behaviour
  for _, special in ipairs(self.special) do
    if agree(call.vals, special.arguments) then behaviour = special.behaviour end
  end
  local results = table.pack(behaviour(...))
  call.returned = results
  self.returnvals[#self.returnvals + 1] = {vals = results}
  return table.unpack(results, 1, results.n)
end

--- Clears the recorded calls.
function Spy:clear()
  self.calls, self.returnvals = {}, {}
  return self
end

--- Restores the previous value in the table.
function Spy:revert()
  if self.owner then
    rawset(self.owner, self.key, self.original)
    self.owner = nil
    for i = #placed, 1, -1 do
      if placed[i] == self then table.remove(placed, i) end
    end
  end
  return self
end

--- The number of calls.
function Spy:count() return #self.calls end

--- Whether a call had these arguments, a table as returned by table.pack. Matchers may stand for some.
function Spy:was_called_with(wanted)
  for _, call in ipairs(self.calls) do
    if agree(call.vals, wanted) then return true end
  end
  return false
end

--- Whether a call returned these values.
function Spy:has_returned(wanted)
  for _, call in ipairs(self.calls) do
    if call.returned and agree(call.returned, wanted) then return true end
  end
  return false
end

local function new_spy(behaviour)
  return setmetatable({calls = {}, returnvals = {}, special = {}, behaviour = behaviour}, Spy)
end

local function is_callable(value)
  local meta = getmetatable(value)
  return type(value) == "function" or type(meta) == "table" and meta.__call ~= nil
end

--- Places a spy in the table, until it is reverted or the test ends.
local function place(made, owner, key)
  made.owner, made.key, made.original = owner, key, rawget(owner, key)
  rawset(owner, key, made)
  placed[#placed + 1] = made
  return made
end

local function check_table(name, owner, key)
  if type(owner) ~= "table" then raise("%s: expected a table, got a %s", name, kind_of(owner)) end
  if key == nil then raise("%s: the name of a field is missing", name) end
end

--- A spy that calls `fn`.
function spy.new(fn)
  if fn ~= nil and not is_callable(fn) then raise("spy.new: expected a function, got a %s", kind_of(fn)) end
  return new_spy(fn or function() end)
end

--- A spy in place of the function `owner[key]`, which it calls.
function spy.on(owner, key)
  check_table("spy.on", owner, key)
  if not is_callable(owner[key]) then
    raise("spy.on: field '%s' is not a function but a %s", tostring(key), kind_of(owner[key]))
  end
  return place(new_spy(owner[key]), owner, key)
end

function spy.is_spy(value) return getmetatable(value) == Spy end

local function returning(...)
  local results = table.pack(...)
  return function() return table.unpack(results, 1, results.n) end
end

--- The methods that define how a stub behaves, by calling `set(behaviour)`.
local function settings(made, set)
  return {
    returns = function(...) set(returning(...)) return made end,
    invokes = function(fn) set(fn) return made end,
    error = function(message) set(function() error(message, 0) end) return made end,
  }
end

--- A spy in place of `owner[key]` that does not call it: it returns the further arguments, or
--- calls the only one if that is a function.
local function new_stub(owner, key, ...)
  check_table("stub", owner, key)
  local behaviour = returning(...)
  if select("#", ...) == 1 and is_callable((...)) then behaviour = ... end
  local made = new_spy(behaviour)
  local function set_default(fn) made.behaviour = fn end
  for name, fn in pairs(settings(made, set_default)) do made[name] = fn end
  made.by_default = settings(made, set_default)
  function made.on_call_with(...)
    local special = {arguments = table.pack(...), behaviour = made.behaviour}
    made.special[#made.special + 1] = special
    return settings(made, function(fn) special.behaviour = fn end)
  end
  return place(made, owner, key)
end

--- Replaces the functions of a table, and of the tables in it, with spies or stubs.
local function mock(owner, stubs, ...)
  for key, value in pairs(owner) do
    if spy.is_spy(value) then
    elseif is_callable(value) then
      if stubs then new_stub(owner, key, ...) else spy.on(owner, key) end
    elseif type(value) == "table" then
      mock(value, stubs, ...)
    end
  end
  return owner
end

spy.stub = setmetatable({new = new_stub}, {__call = function(_, ...) return new_stub(...) end})
spy.mock = mock

--- The current number of spies in tables, for revert_to.
function spy.placed() return #placed end

--- Reverts all spies except the first `count`.
function spy.revert_to(count)
  while #placed > count do placed[#placed]:revert() end
end

return spy

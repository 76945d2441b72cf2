-- Reads Python pickles: plain values, and objects that an allow-list can construct.
--
-- A pickle is a program for a stack machine, which may call any Python function. Here it can only call those found by
-- `find_global`, which make plain values; the names of all others are collected.
local class = require "tide.internal.class"

local Unpickler = class "Unpickler"

--- A Python function or class on the stack: `call(unpickler, arguments)` makes its value.
local Global = {}
--- The metatable of errors in the pickle.
local Damage = {}

--- find_global(name) returns a table that describes "module.name", or a plain value, or nil and optionally a
--- description if it is not supported. find_persistent(unpickler, id) returns an object outside of the pickle.
function Unpickler:init(text, find_global, find_persistent)
  self.text, self.find_global, self.find_persistent = text, find_global, find_persistent
  self.refused = {}           -- unsupported objects, in order and by name
  self.copies_left = #text    -- items and bytes that constructors may copy
  self.unfit = setmetatable({}, {__mode = "k"}) -- values that are not plain, and their names in errors
  self.unknown = setmetatable({name = "unknown"}, Global) -- the placeholder of refused objects
end

function Unpickler:fail(format, ...)
  error(setmetatable({at = self.at, text = format:format(...)}, Damage), 0)
end

--- Records an unsupported object. Reading continues, to find all of them.
function Unpickler:refuse(what)
  if self.refused[what] then return self.unknown end
  self.refused[what] = true
  self.refused[#self.refused + 1] = what
  return self.unknown
end

--- Counts what a constructor copies, so that repeated references in a pickle cannot run forever.
function Unpickler:count_copies(count)
  self.copies_left = self.copies_left - count
  if self.copies_left < 0 then self:fail "it copies more than it holds" end
end

--- Marks an object on the stack as not plain, with its name in errors.
function Unpickler:special(object, called)
  self.unfit[object] = called
  return object
end

--- Whether a value of the stack is a special object with this field.
function Unpickler:is_special(value, field)
  return type(value) == "table" and self.unfit[value] ~= nil and value[field] ~= nil
end

--- Returns a value to store in a table; refuses special objects.
local function plain(self, value)
  local called = value ~= nil and self.unfit[value]
  return called and self:refuse(called) or value
end

-- The stack ---------------------------------------------------------------------------------------

local function push(self, value)
  local top = self.top + 1
  self.stack[top], self.top = value, top
end

local function pop(self)
  local top = self.top
  if top <= self.floor then self:fail "it takes a value from an empty stack" end
  local value = self.stack[top]
  self.stack[top], self.top = nil, top - 1
  return value
end

--- The value on top of the stack, without removing it.
local function peek(self)
  if self.top <= self.floor then self:fail "it takes a value from an empty stack" end
  return self.stack[self.top]
end

--- Pops all values down to the last mark; returns them in a table, and their number.
local function pop_to_mark(self)
  local marks, stack, top = self.marks, self.stack, self.top
  local first = marks[#marks]
  if not first then self:fail "a mark is missing" end
  marks[#marks], self.floor = nil, marks[#marks - 1] or 0
  local items = table.move(stack, first + 1, top, 1, {})
  for i = first + 1, top do stack[i] = nil end
  self.top = first
  return items, top - first
end

-- Construction ------------------------------------------------------------------------------------

--- A tuple, which may contain special objects because it may be an argument list.
local function tuple(self, items, count)
  for i = 1, count do
    local called = items[i] ~= nil and self.unfit[items[i]]
    if called then self.unfit[items] = called end
  end
  push(self, items)
end

--- Makes an empty list. Its length is recorded because None entries leave holes.
function Unpickler:list()
  local list = {}
  self.lengths[list] = 0
  return list
end

function Unpickler:append(list, value)
  if list == self.unknown then return end
  local length = self.lengths[list]
  if not length then self:fail "it appends to a value that is not a list" end
  list[length + 1], self.lengths[list] = plain(self, value), length + 1
end

--- Names of invalid keys by Lua type.
local kKeys <const> = {["nil"] = "None", number = "nan", table = "a tuple", userdata = "a tensor"}

function Unpickler:set_entry(dict, key, value)
  if dict == self.unknown or key == self.unknown then return end
  if type(dict) ~= "table" or getmetatable(dict) or self.lengths[dict] then
    self:fail "it sets an entry of a value that is not a dict"
  end
  local kind = type(key)
  if kind ~= "string" and kind ~= "number" and kind ~= "boolean" or key ~= key then
    self:refuse("dicts and sets with a key that is " .. (kKeys[kind] or "an object"))
    return
  end
  dict[key] = plain(self, value)
end

local function set_entries(self, dict, items, count)
  if count % 2 == 1 then self:fail "a key without a value" end
  for i = 1, count, 2 do self:set_entry(dict, items[i], items[i + 1]) end
end

local function add_members(self, set, items, count)
  for i = 1, count do self:set_entry(set, items[i], true) end
end

local function global(self, module, name)
  local full = (module .. "." .. name):gsub("^__builtin__%.", "builtins.")
  local found, called = self.find_global(full)
  if found == nil then
    push(self, self:refuse(called or "objects of " .. full:sub(1, 100):gsub("[^%w_.<>]", "?")))
  elseif type(found) == "table" then
    found = setmetatable({name = full, call = found.call, storage = found.storage}, Global)
    push(self, self:special(found, "the class or function " .. full))
  else
    push(self, found)
  end
end

local function call(self)
  local arguments, callee = pop(self), pop(self)
  if callee == self.unknown then return push(self, callee) end
  if not self:is_special(callee, "call") then self:fail "it calls a value that is not a function" end
  if type(arguments) ~= "table" or getmetatable(arguments) then self:fail "expected arguments to be a tuple" end
  push(self, callee.call(self, arguments))
end

-- Reading the text --------------------------------------------------------------------------------

--- The next `count` bytes.
local function take(self, count)
  local at = self.at
  if count < 0 or count > #self.text - at + 1 then self:fail "it is cut short" end
  self.at = at + count
  return self.text:sub(at, at + count - 1)
end

--- The next value in a format of string.unpack of `size` bytes.
local function unpack(self, format, size)
  local at = self.at
  if size > #self.text - at + 1 then self:fail "it is cut short" end
  self.at = at + size
  return (string.unpack(format, self.text, at))
end

--- The rest of the line.
local function line(self)
  local stop = self.text:find("\n", self.at, true)
  if not stop then self:fail "it is cut short" end
  return take(self, stop - self.at + 1):sub(1, -2)
end

--- An integer of `size` bytes, in two's complement.
local function long(self, size)
  if size > #self.text - self.at + 1 then self:fail "it is cut short" end
  if size > 8 then
    take(self, size)
    return self:refuse(("integers of %d bytes, which do not fit into 8"):format(size))
  end
  return size == 0 and 0 or unpack(self, "<i" .. size, size)
end

--- An integer in decimal digits.
local function decimal(self, digits)
  if not digits:find "^-?%d+$" then self:fail "an invalid integer" end
  return math.tointeger(tonumber(digits)) or self:refuse "integers that do not fit into 8 bytes"
end

local function memorize(self, index)
  local value = peek(self)
  if value == nil then self:fail "it remembers None" end
  self.memo[index] = value
end

local function recall(self, index)
  local value = self.memo[index]
  if value == nil then self:fail("it recalls value %d, which it has not remembered", index) end
  push(self, value)
end

--- Reads a string or bytes after a length in a format of string.unpack.
local function counted(format, size)
  return function(self) push(self, take(self, unpack(self, format, size))) end
end

--- The operations by opcode.
local operations = {
  ["("] = function(self)
    self.marks[#self.marks + 1], self.floor = self.top, self.top
  end,
  ["0"] = function(self)
    if self.top == self.floor and #self.marks > 0 then pop_to_mark(self) else pop(self) end
  end,
  ["1"] = function(self) pop_to_mark(self) end,
  ["2"] = function(self) push(self, peek(self)) end,

  N = function(self) push(self, nil) end,
  ["\x88"] = function(self) push(self, true) end,
  ["\x89"] = function(self) push(self, false) end,
  I = function(self)
    local digits = line(self)
    if digits == "00" or digits == "01" then return push(self, digits == "01") end
    push(self, decimal(self, digits))
  end,
  L = function(self) push(self, decimal(self, (line(self):gsub("L$", "")))) end,
  F = function(self) push(self, tonumber(line(self)) or self:fail "an invalid float") end,
  J = function(self) push(self, unpack(self, "<i4", 4)) end,
  K = function(self) push(self, unpack(self, "B", 1)) end,
  M = function(self) push(self, unpack(self, "<I2", 2)) end,
  G = function(self) push(self, unpack(self, ">d", 8)) end,
  ["\x8a"] = function(self) push(self, long(self, unpack(self, "B", 1))) end,
  ["\x8b"] = function(self) push(self, long(self, unpack(self, "<I4", 4))) end,

  T = counted("<I4", 4), U = counted("B", 1),
  X = counted("<I4", 4), ["\x8c"] = counted("B", 1), ["\x8d"] = counted("<i8", 8),
  B = counted("<I4", 4), C = counted("B", 1), ["\x8e"] = counted("<i8", 8), ["\x96"] = counted("<i8", 8),

  [")"] = function(self) push(self, {}) end,
  t = function(self) tuple(self, pop_to_mark(self)) end,
  ["\x85"] = function(self) tuple(self, {pop(self)}, 1) end,
  ["\x86"] = function(self)
    local second, first = pop(self), pop(self)
    tuple(self, {first, second}, 2)
  end,
  ["\x87"] = function(self)
    local third, second, first = pop(self), pop(self), pop(self)
    tuple(self, {first, second, third}, 3)
  end,

  ["]"] = function(self) push(self, self:list()) end,
  l = function(self)
    local items, count = pop_to_mark(self)
    local list = self:list()
    for i = 1, count do self:append(list, items[i]) end
    push(self, list)
  end,
  a = function(self)
    local value = pop(self)
    self:append(peek(self), value)
  end,
  e = function(self)
    local items, count = pop_to_mark(self)
    local list = peek(self)
    for i = 1, count do self:append(list, items[i]) end
  end,

  ["}"] = function(self) push(self, {}) end,
  d = function(self)
    local dict = {}
    set_entries(self, dict, pop_to_mark(self))
    push(self, dict)
  end,
  s = function(self)
    local value, key = pop(self), pop(self)
    self:set_entry(peek(self), key, value)
  end,
  u = function(self)
    local items, count = pop_to_mark(self)
    set_entries(self, peek(self), items, count)
  end,
  ["\x8f"] = function(self) push(self, {}) end,
  ["\x90"] = function(self)
    local items, count = pop_to_mark(self)
    add_members(self, peek(self), items, count)
  end,
  ["\x91"] = function(self)
    local set = {}
    add_members(self, set, pop_to_mark(self))
    push(self, set)
  end,

  p = function(self) memorize(self, decimal(self, line(self))) end,
  q = function(self) memorize(self, unpack(self, "B", 1)) end,
  r = function(self) memorize(self, unpack(self, "<I4", 4)) end,
  ["\x94"] = function(self)
    memorize(self, self.next_memo)
    self.next_memo = self.next_memo + 1
  end,
  g = function(self) recall(self, decimal(self, line(self))) end,
  h = function(self) recall(self, unpack(self, "B", 1)) end,
  j = function(self) recall(self, unpack(self, "<I4", 4)) end,

  c = function(self)
    local module = line(self)
    global(self, module, line(self))
  end,
  ["\x93"] = function(self)
    local name, module = pop(self), pop(self)
    if type(name) ~= "string" or type(module) ~= "string" then self:fail "expected a name to be a string" end
    global(self, module, name)
  end,
  R = call,
  ["\x81"] = call,
  ["\x92"] = function(self) -- with arguments by name, which nothing that is known here takes
    pop(self)
    call(self)
  end,
  -- Attributes, as of an OrderedDict: they belong to the object of Python, not to its contents.
  b = function(self)
    local state, object = pop(self), peek(self)
    if self:is_special(object, "take_state") then object.take_state(self, state) end
  end,
  Q = function(self) push(self, self.find_persistent(self, pop(self))) end,

  ["\x80"] = function(self)
    local protocol = unpack(self, "B", 1)
    if protocol > 5 then self:fail("its protocol is %d, and 5 is the newest known", protocol) end
  end,
  ["\x95"] = function(self) take(self, 8) end, -- the length of a frame
}

--- Reads the pickle at offset `at`; returns its value and the offset after it.
function Unpickler:read(at)
  self.at, self.stack, self.top, self.floor, self.marks = at, {}, 0, 0, {}
  self.memo, self.next_memo, self.lengths = {}, 0, setmetatable({}, {__mode = "k"})
  while true do
    local code = take(self, 1)
    if code == "." then return plain(self, pop(self)), self.at end
    local operation = operations[code]
    if not operation then
      self.at = self.at - 1
      self:fail("0x%02x is not an opcode that torch.save writes", code:byte())
    end
    operation(self)
  end
end

--- Whether an error is about the pickle: it has `text`, and `at`, the byte.
function Unpickler.is_damage(problem) return getmetatable(problem) == Damage end

return Unpickler

-- Common mistakes of Python users: names that Lua does not have, fields that are called, methods
-- that are not.
local nearest = require "tide.internal.nearest"
local other_systems = require "tide.reference.other_systems"

-- Names that Python programs read, and that are nil in Lua.
local kNames <const> = {
  torch = "the module is called tide", nn = "local nn = tide.nn", F = "local F = tide.nn.functional",
  optim = "local optim = tide.optim", plt = "tide.plot has figures",
  np = "tide.tensor creates arrays, tide.np reads their files",
  numpy = "tide.tensor creates arrays, tide.np reads their files",
  self = "methods that use self are defined with ':', as in function Net:forward(x)",
  try = "in Lua: local ok, message = pcall(function() ... end)",
}

-- Functions of Python.
local kFunctions <const> = {
  len = "in Lua: #x", range = "in Lua: for i = 1, n do", enumerate = "in Lua: for i, x in ipairs(list) do",
  zip = "in Lua: for i = 1, #a do, with a[i] and b[i]", list = "in Lua: a table, {1, 2, 3}",
  dict = "in Lua: a table, {key = value}", tuple = "in Lua: a table, {1, 2, 3}",
  set = "in Lua: a table, {[key] = true}", str = "in Lua: tostring(x)", float = "in Lua: tonumber(x)",
  int = "in Lua: math.tointeger(x) or x // 1", isinstance = "in Lua: type(x); for tensors tide.is_tensor(x)",
  abs = "in Lua: math.abs(x)", max = "in Lua: math.max(a, b)", min = "in Lua: math.min(a, b)",
  round = "in Lua: math.floor(x + 0.5)", sum = "of a list: tide.tensor(list):sum()",
  sorted = "in Lua: table.sort(list)", input = "in Lua: io.read()", open = "in Lua: io.open(path)",
  dir = "in Lua: for name in pairs(t) do; at the prompt: x. and Tab, or ?x",
  exit = "in Lua: os.exit()", super = "in Lua: Base.init(self, ...)",
  iter = "in Lua: for x, y in loader do, or loader:iter()", class = 'in Lua: tide.class("Net", nn.Module)',
  unpack = "in Lua 5.4: table.unpack(list)", loadstring = "in Lua 5.4: load(text)",
}

-- Methods of Python's lists, dicts and strings.
local kMethods <const> = {
  append = "in Lua: list[#list + 1] = x", items = "in Lua: for key, value in pairs(t) do",
  keys = "in Lua: for key in pairs(t) do", values = "in Lua: for _, value in pairs(t) do",
  join = "in Lua: table.concat(list, separator)", split = 'in Lua: for word in text:gmatch "%S+" do',
  strip = 'in Lua: text:match "^%s*(.-)%s*$"',
}

local kFields <const> = {
  shape = true, dtype = true, device = true, ndim = true, grad = true, requires_grad = true, is_leaf = true,
  T = true, mT = true, training = true, grad_fn = true,
}

--- The hint for a name in a table above.
local function by_name(advice)
  return function(name) return advice[name] end
end

--- A value that was called and is a field of tensors or modules.
local function called_field(name)
  return kFields[name] and ("'%s' is a field: read it without ()"):format(name) or nil
end

--- A method that was read and not called.
local function method_as_value(name) return ("'%s' is a function: call it, x:%s()"):format(name, name) end

--- A misspelled type, or one with the name of a tensor method.
local function type_named(name)
  local names, tide = {}, require "tide"
  for _, word in ipairs {"float", "double", "half", "long", "int", "short"} do names[word] = tide[word] end
  for _, word in ipairs {"float32", "float64", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "int64", "int32",
    "int16", "int8", "uint8", "bool"} do
    names[word] = word
  end
  local best = nearest(name:match "^torch%.(.*)$" or name, names)
  return best and ("did you mean '%s'?"):format(names[best]) or nil
end

--- A Lua function for numbers that was called with a tensor.
local function number_wanted(name)
  local method = require "tide.native".methods[name]
  return "x:item() is its number" .. (method and (", x:%s() takes tensors"):format(name) or "")
end

--- A layer whose constructor was called with the input.
local function layer_called(name)
  local is_layer = rawget(require "tide".nn, name) ~= nil
  return is_layer and ("create the layer first, then call it: nn.%s(...)(x)"):format(name) or nil
end

local kJoined <const> = "in Lua: a .. b"
local kFormatted <const> = 'in Lua: ("%d"):format(x)'

-- `says`, a pattern of the message, in which methods are also called fields; `line`, a pattern of the script's line;
-- `hint`, the text to add, or a function of the capture of the last of these patterns.
local kRows <const> = {
  {says = "a nil value %(global '([%w_]+)'%)", hint = by_name(kNames)},
  {says = "attempt to call a nil value %(global '([%w_]+)'%)", hint = by_name(kFunctions)},
  {says = "attempt to call a nil value %(global 'f'%)", line = "%f[%w]f[\"']",
    hint = 'in Lua: ("x is %d"):format(x)'},
  {says = "attempt to call a nil value %(field '([%w_]+)'%)", hint = by_name(kMethods)},
  {says = "attempt to call a [%w%.]+ value %(field '([%w_]+)'%)", hint = called_field},
  {says = "a tensor is not callable", line = "[%.:]([%a_]+)%s*%(%s*%)", hint = called_field},
  {says = "a tensor is not callable", line = "%f[%w]for%s.*%sin%s.*%sdo%f[%W]",
    hint = "in a loop: for i, row in ipairs(x) do"},
  {says = "attempt to call a table value %(for iterator", hint = "in a loop: ipairs(list), or pairs(t)"},
  {says = "attempt to call a [%w_]*Dataset value %(for iterator",
    hint = "in a loop: for i = 1, #dataset do, with dataset:get(i); in batches: tide.data.DataLoader(dataset)"},
  {says = "attempt to call a number value %(for iterator", hint = "in Lua: for i = 1, n do"},
  {says = "to 'for iterator' %(table expected, got tide%.Tensor%)",
    hint = "in a loop: for i, row in ipairs(x) do"},
  {says = "attempt to index a boolean value", line = "[=~]=", hint = "x:eq(y) and x:ne(y) compare elements"},
  {says = "attempt to %l[%l ]* a function value %(field '([%w_]+)'%)", hint = method_as_value},
  {says = "attempt to add a 'string' with a '[sn][tu]%l+'", hint = kJoined}, -- a string or a number
  {says = "attempt to add a 'number' with a 'string'", hint = kJoined},
  {says = ": %+: expected tensor or number, got string$", hint = kJoined},
  {says = "attempt to mod a 'string' with", hint = kFormatted},
  {says = ": %%: expected tensor or number, got string$", hint = kFormatted},
  {says = "attempt to index a nil value %(field 'grad'%)", hint = "x.grad is nil before backward"},
  {says = ": tensor: .*expected table of options, got number$", hint = "in Lua: tide.tensor{1, 2, 3}"},
  {says = "expected table of options, got string$", hint = 'options have names: {dtype = "float32"}'},
  {says = "expected table of tensors, got tide%.Tensor$", hint = "pass the tensors in a table: {a, b}"},
  {says = ": expected tensor, got table$", hint = "tide.tensor(list) makes one"},
  {says = ": expected tensor, got DataLoader$", hint = "iterate over batches: for x, y in loader do"},
  {says = "%(shape%): expected integers or table of integers, got string$", line = "%a%d+[\"']?%s*[%),]",
    hint = 'options have names: {dtype = "float32"}'},
  {says = '%f[%w](%u%w*): argument %d+ %([%w_]+%): expected [%w ",]+, got tensor$', hint = layer_called},
  {says = "expected numbers or booleans, got string", line = "%[%[",
    hint = "[[ ]] is a string; in Lua: {{1, 2}, {3, 4}}"},
  {says = "to '([%w_]+)' %(number expected, got tide%.Tensor%)", hint = number_wanted},
  {says = "there is no type '(.-)'", hint = type_named},
  {says = "no device is called '(%l+)", hint = by_name(other_systems.devices)},
  {says = "no device is called '(.-)'", hint = type_named},
  {says = "index: too many entries: %d+ for %(%d+%)$", hint = "a range is x[{ {first, last} }]"},
  {says = "tensor%.([%w_]+): there is no such name", hint = by_name(other_systems.array_methods)},
  {says = "%f[%w]%u[%w_]*%.([%w_]+): there is no such name", hint = by_name(other_systems.object_methods)},
  {says = "%.([%w_]+): there is no such name", hint = by_name(other_systems.names)},
  {says = "module 'torch[%w_%.]*' not found", hint = "the module is called tide, and needs no require"},
}

--- The hint for the error `message`; nil if it is not a known mistake. `script_line()` is the text of the
--- script's line, or nil.
local function hint(message, script_line)
  message = message:gsub("%(method '", "(field '")
  for _, row in ipairs(kRows) do
    local captured = message:match(row.says)
    if captured and row.line then captured = (script_line() or ""):match(row.line) end
    if captured then
      local text = type(row.hint) == "string" and row.hint or row.hint(captured)
      if text then return text end
    end
  end
  return nil
end

return hint

-- Calls every public function, class, method and layer with nothing, nil, and wrong values for one argument after
-- the other: other types, empty and odd values, tensors of wrong shapes and types. Every error must name the function
-- and the script's line; one raised by Lua inside the library, or that names a file of the library, is a failure.
--
--   tide wrong_arguments.lua [--only PATTERN] [--every N] [--log FILE]
--
-- With N above 1 each argument gets every Nth of the wrong values, others than the previous argument. PATTERN selects
-- functions by name. FILE ends with the last call begun, for crashes and hangs. The correct arguments are those of the
-- reference's examples, intercepted when the example makes the call.
local example = require "tide.reference.example"
local receivers = require "tide.reference.receivers"
local mistakes = require "tide.mistakes.errors"
local source = require "tide.mistakes.source"
local tide = require "tide"
local value_of = require "tide.reference.value_of"

local options = tide.args {only = "", every = 1, log = ""}
local log = options.log ~= "" and assert(io.open(options.log, "w"))

--- Functions that are not called, by patterns of names, with the reason.
local kLeftOut <const> = {
  ["^tide%.args$"] = "reads the program's arguments and may end it", ["^tide%.progress$"] = "runs as long as its loop",
  ["^tide%.sleep$"] = "waits", ["^channel:pop$"] = "waits for a value",
  ["^tide%.benchmark$"] = "runs for a time that is asked for", ["^tide%.sim%.configure$"] = "makes later calls fail",
  ["^tide%.test%."] = "fails on purpose",
}
if options.every > 1 then kLeftOut["^tide%.vision%.models%."] = "takes seconds to make large networks" end

local kInstructions <const> = 100 * 1000 * 1000 -- of one call: more is a hang
local kSlow <const> = 0.02 -- seconds of an example above which it is not used for every call
local nothing = setmetatable({}, {__name = "nothing"}) -- stands for nil, where a table holds values

--- Functions that create the wrong values, as calls may change their arguments.
local kWrong <const> = {
  function() return nothing end, function() return true end, function() return 0 end, function() return -1 end,
  function() return 2.5 end, function() return 0 / 0 end, function() return 1e300 end, function() return "" end,
  function() return "text" end, function() return {} end, function() return {1, 2} end,
  function() return {unknown = 1} end, function() return function() end end, function() return tide.zeros(0) end,
  function() return tide.ones(2, 3) end, function() return tide.tensor {1, 2} end,
  function() return tide.tensor(true) end, function() return tide.nn.ReLU() end, function() return tide.nn.ReLU end,
  function() return {tide.zeros(0), "text"} end,
  function() return coroutine.create(function() end) end,
}

--- Words of errors that are not meant for the caller.
local kForeign <const> = {
  "%[tide%]", "tide/[%w_/]+%.lua:%d", "attempt to %l", "bad argument", "internal error", "std::", "stack overflow",
  "for iterator", "invalid option", "%[string", "endless", "userdata",
}

--- The arguments of the function at stack level 2 of its caller, which has just been called.
local function arguments_of(info)
  local arguments = {n = info.nparams}
  if info.what == "C" then -- the last value on its stack is the hook's own
    while debug.getlocal(3, arguments.n + 2) do
      arguments.n = arguments.n + 1
      arguments[arguments.n] = select(2, debug.getlocal(3, arguments.n))
    end
    return arguments
  end
  for i = 1, info.nparams do arguments[i] = select(2, debug.getlocal(3, i)) end
  while info.isvararg do
    local name, value = debug.getlocal(3, -(arguments.n - info.nparams + 1))
    if not name then break end
    arguments.n = arguments.n + 1
    arguments[arguments.n] = value
  end
  return arguments
end

--- The arguments that an example passes to the function for which `is_wanted(info)` holds; nil if it is not called.
local function caught_arguments(code, is_wanted)
  local arguments
  local function see()
    local info = debug.getinfo(2, "nfSu")
    if arguments or not is_wanted(info) then return end
    arguments = arguments_of(info)
    error(nothing, 0)
  end
  local run = coroutine.create(example.load(example.split(code), example.environment()))
  debug.sethook(run, see, "c")
  coroutine.resume(run)
  return arguments
end

local function text_of(value)
  if value == nothing then return "nil" end
  if type(value) == "string" then return ("%q"):format(value) end
  if type(value) == "table" and not getmetatable(value) then return next(value) == nil and "{}" or "{...}" end
  if tide.is_tensor(value) then return ("a tensor (%s) %s"):format(table.concat(value.shape, ", "), value.dtype) end
  return (tostring(value):gsub("\n.*", "..."))
end

local troubles, calls = 0, 0

--- The common form of the names of a function and the class that it creates: topkaccuracy.
local function plain(name) return (name:lower():gsub("_", "")) end

--- Calls the target, and returns whether it raised an error; `what` describes the wrong argument in reports.
local function check(target, arguments, what)
  calls = calls + 1
  if log then log:write(target.name, ", ", what, "\n"):flush() end
  debug.sethook(function() error("endless", 0) end, "", kInstructions)
  local ok, message = xpcall(target.call, mistakes.describe, table.unpack(arguments, 1, arguments.n))
  debug.sethook()
  if ok and (debug.getmetatable(message) or {}).__name == "tide.Scope" then message:close() end
  if ok then return false end
  if type(message) ~= "string" or message:find "^example:" then return true end -- the example's function may fail
  local wrong
  for _, words in ipairs(kForeign) do wrong = wrong or message:find(words) end
  local class = target.is_method and (debug.getmetatable(arguments[1]) or {}).__name
  local is_named = plain(message):find(plain(target.named), 1, true) or class and message:find(class .. ":", 1, true)
  wrong = wrong or not message:find "^call%d+:3: " or not is_named
  if wrong then
    troubles = troubles + 1
    print(("%s, %s\n    %s"):format(target.name, what, message:match "[^\n]*"))
  end
  return true
end

--- Every wrong value for the argument at a position. Methods may change their object: it is created for each call.
local function sweep_position(target, at)
  local right
  for i = 1 + (at + #target.name) % options.every, #kWrong, options.every do
    if not right or target.changes_object then right = caught_arguments(target.code, target.is_wanted) end
    if not right then return end
    local value = kWrong[i]()
    local given = table.move(right, 1, right.n, 1, {n = math.max(right.n, at)})
    given[at] = value ~= nothing and value or nil
    check(target, given, ("argument %d: %s"):format(at, text_of(value)))
    if at == target.first then
      local own = table.move(right, 1, at - 1, 1, {n = at, [at] = given[at]})
      check(target, own, ("argument %d alone: %s"):format(at, text_of(value)))
    end
  end
end

--- Every wrong value for an option, in the table of options after the correct arguments.
local function sweep_option(target, name)
  local right
  for i = 1 + #(name .. target.name) % options.every, #kWrong, options.every do
    if not right or target.changes_object then right = caught_arguments(target.code, target.is_wanted) end
    if not right then return end
    local value, last, given_options = kWrong[i](), right[right.n], {}
    local given = table.move(right, 1, right.n, 1, {n = right.n})
    if type(last) == "table" and not getmetatable(last) and type(next(last)) == "string" then
      for key, option in pairs(last) do given_options[key] = option end
    else
      given.n = given.n + 1
    end
    given_options[name], given[given.n] = value ~= nothing and value or nil, given_options
    check(target, given, ("option %s: %s"):format(name, text_of(value)))
  end
end

--- Whether any of the parameters takes all further arguments.
local function takes_any_number(parameters)
  for _, parameter in ipairs(parameters) do
    if parameter.rest or parameter.name == "..." then return true end
  end
  return false
end

--- The correct arguments, and more than there can be parameters.
local function check_surplus(target, right)
  local given = table.move(right, 1, right.n, 1, {n = right.n + 12})
  for i = right.n + 1, given.n do given[i] = true end
  if check(target, given, "12 arguments more") then return end
  troubles = troubles + 1
  print(("%s\n    call: takes 12 arguments more silently"):format(target.name))
end

--- Tests a target; returns whether its example calls it.
local function sweep(target, parameters)
  local start = os.clock()
  local right = caught_arguments(target.code, target.is_wanted)
  if not right then -- the example of tide.abs and x:abs_ calls x:abs
    target.is_wanted = function(info) return info.what == "C" and info.name == target.named end
    right = caught_arguments(target.code, target.is_wanted)
  end
  if os.clock() - start > kSlow then target.changes_object = false end
  if not right then return false end
  if not takes_any_number(parameters) then check_surplus(target, right) end
  if target.changes_object then right = caught_arguments(target.code, target.is_wanted) or right end
  check(target, table.move(right, 1, target.first - 1, 1, {n = target.first - 1}), "nothing")
  for at = target.first, math.min(right.n + 1, 6) do sweep_position(target, at) end
  for _, parameter in ipairs(parameters) do
    if parameter.named and right.n >= target.first - 1 then sweep_option(target, parameter.name) end
  end
  return true
end

local function is_left_out(path)
  for pattern in pairs(kLeftOut) do
    if path:find(pattern) then return true end
  end
  return false
end

--- Whether a value is an object as the reference writes it before its methods, "module".
local function is_receiver(value, name)
  local class
  for _, receiver in ipairs(receivers.list) do
    if receiver.name == name then class = receiver.class end
  end
  local made = debug.getmetatable(value)
  while type(made) == "table" do
    if class == made.__name or class:match "%w+$" == made.name then return true end
    made = rawget(made, "base")
  end
  return false
end

local chunks = 0

--- Calls as a script does, not as a tail call, so that the function has its name on the stack.
local function call_of(parameters, form, value)
  local text = "local value = ...\nreturn function(%s)\nlocal result = %s\nreturn result\nend"
  text = text:format(parameters, form)
  chunks = chunks + 1
  local chunk = "=call" .. chunks
  source.keep(chunk, text, 1)
  return load(text, chunk)(value)
end

--- The targets of an entry: the function, class or method, and the call of the object that a class makes. Errors may
--- name the class of a method.
local function targets_of(entry)
  local path, found, name = entry.called_as, {}, entry.name
  local receiver, method = path:match "^([%w_]+):([%w_]+)$"
  if is_left_out(path) or not entry.example then return found end
  local function add(first, call, is_wanted, target)
    target = target or {name = path, named = name:match "^(.-)_?$"}
    target.first, target.call, target.is_wanted, target.code = first, call, is_wanted, entry.example
    found[#found + 1] = target
    return target
  end
  local value = not method and value_of(path)
  local of_table = {[name] = value}
  if method then
    local target = add(2, call_of("self, ...", ("self:%s(...)"):format(name)), function(info)
      local is_ours = info.name == method and info.namewhat == "method" and
        (info.what == "C" or info.source:find "^=%[tide%] " ~= nil)
      return is_ours and is_receiver(select(2, debug.getlocal(3, 1)), receiver)
    end)
    target.is_method, target.changes_object = true, receiver ~= "x"
  elseif type(value) == "function" then
    local call = call_of("...", ("value.%s(...)"):format(name), of_table)
    add(1, call, function(info) return info.func == value end)
  elseif type(value) == "table" and type(rawget(value, "init")) == "function" then
    local call = call_of("_, ...", ("value.%s(...)"):format(name), of_table)
    add(2, call, function(info) return info.func == value.init end)
    if entry.call then
      add(2, call_of("self, ...", "self(...)"), function(info) return info.func == value.forward end,
        {name = path .. "(...)", named = "", changes_object = true})
    end
  end
  return found
end

local functions, methods = 0, 0
for _, entry in ipairs(require "tide.reference") do
  if entry.called_as:find(options.only) then
    for _, target in ipairs(targets_of(entry)) do
      if sweep(target, target.named == "" and {} or entry.parameters) then
        if target.is_method then methods = methods + 1 else functions = functions + 1 end
      end
      tide.set_default_dtype "float32"
    end
  end
end
pcall(tide.synchronize) -- failures that were never read
print(("%d calls of %d functions and classes and %d methods, %d troubles"):format(calls, functions, methods, troubles))

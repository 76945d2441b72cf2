-- Calls every function, class and method that the library has in Lua with one wrong argument after the other: nil, other
-- types, empty and odd values. Whatever is refused must be refused in the library's words, in the script's line: an
-- error that Lua itself finds somewhere inside of the library helps nobody.
--
--   tide wrong_arguments.lua [--only PATTERN] [--every N]
--
-- With N above 1 each place gets every Nth of the wrong values, others than the place before.
--
-- The arguments that are right are those of the reference's examples, caught when the example makes the call.
local example = require "tide.reference.example"
local tide = require "tide"
local value_of = require "tide.reference.value_of"

local options = tide.args {only = "", every = 1}

--- Those that would end the program, wait for input, or go on for as long as one likes.
local kLeftOut <const> = {
  ["tide.args"] = true, ["tide.progress"] = true, ["tide.sleep"] = true, ["tide.benchmark"] = true,
}

local nothing = setmetatable({}, {__name = "nothing"}) -- stands for nil, where a table holds values

--- Functions that make them, as calls may change what they are given.
local kWrong <const> = {
  function() return nothing end, function() return true end, function() return 0 end, function() return -1 end,
  function() return 2.5 end, function() return 0 / 0 end, function() return 1e300 end, function() return "" end,
  function() return "text" end, function() return {} end, function() return {1, 2} end,
  function() return {unknown = 1} end, function() return function() end end, function() return tide.zeros(0) end,
  function() return tide.ones(2, 3) end, function() return tide.tensor {1, 2} end, function() return tide.nn.ReLU() end,
  function() return tide.nn.ReLU end, function() return coroutine.create(function() end) end,
}

--- Whether a chunk is one of the library's: "=[tide] nn/linear.lua".
local function is_library(source) return source:find "^=%[tide%] " ~= nil end

--- What the example passes to `fn`, or to the first method of the name; nil if it makes no such call.
local function caught_arguments(code, fn, method)
  local arguments, called
  local function see()
    local info = debug.getinfo(2, "nfSu")
    if info.what == "C" or arguments then return end
    if fn and info.func ~= fn or not fn and (info.name ~= method or not is_library(info.source)) then return end
    arguments, called = {n = info.nparams}, info.func
    for i = 1, info.nparams do
      local _, value = debug.getlocal(2, i)
      arguments[i] = value
    end
    while info.isvararg do
      local name, value = debug.getlocal(2, -(arguments.n - info.nparams + 1))
      if not name then break end
      arguments.n = arguments.n + 1
      arguments[arguments.n] = value
    end
    error(nothing, 0)
  end
  local run = coroutine.create(example.load(example.split(code), example.environment()))
  debug.sethook(run, see, "c")
  coroutine.resume(run)
  return arguments, called
end

local function text_of(value)
  if value == nothing then return "nil" end
  if type(value) == "string" then return ("%q"):format(value) end
  if type(value) == "table" and not getmetatable(value) then return next(value) == nil and "{}" or "{...}" end
  return (tostring(value):gsub("\n.*", "..."))
end

local troubles, calls = {}, 0

local function check(name, fn, arguments, at, value)
  local given = table.move(arguments, 1, arguments.n, 1, {n = arguments.n})
  given.n = math.max(given.n, at)
  given[at] = value ~= nothing and value or nil
  calls = calls + 1
  local ok, message = pcall(fn, table.unpack(given, 1, given.n))
  if ok or type(message) ~= "string" or message:find "^example:" then return end -- its own function may fail
  local inside = message:match "^%[tide%] [^\n]*" or message:match "^[^\n]*attempt to [^\n]*" or
    message:match "^[^\n]*bad argument [^\n]*"
  if inside then troubles[#troubles + 1] = ("%s, argument %d: %s\n    %s"):format(name, at, text_of(value), inside) end
end

local function sweep(entry)
  local path = entry.called_as
  local method = path:match "^[%w_]+:([%w_]+)$"
  local value = not method and value_of(path)
  local fn = type(value) == "function" and value or type(value) == "table" and rawget(value, "init") or nil
  if kLeftOut[path] or path:find "^tide%.test%." or not entry.example or (not method and not fn) then return false end
  if fn and debug.getinfo(fn, "S").what == "C" then return false end
  local first, called = caught_arguments(entry.example, fn, method)
  if not first then return false end
  local from = (method or called ~= fn or type(value) == "table") and 2 or 1
  for at = from, math.min(first.n + 1, 6) do
    for i = 1 + (at + #path) % options.every, #kWrong, options.every do
      local again = caught_arguments(entry.example, fn, method)
      if again then check(path, called, again, at, kWrong[i]()) end
    end
  end
  return true
end

local swept = 0
for _, entry in ipairs(require "tide.reference") do
  if entry.called_as:find(options.only) and sweep(entry) then swept = swept + 1 end
end
for _, trouble in ipairs(troubles) do print(trouble) end
pcall(tide.synchronize) -- failures that were never read
print(("%d calls of %d functions, %d troubles"):format(calls, swept, #troubles))

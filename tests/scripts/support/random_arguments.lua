-- Calls every public function with random arguments of every kind: none may crash, hang, or say a
-- word of C++.
--
--   tide random_arguments.lua [--seed N] [--seconds N] [--log FILE] [--only PATTERN] [--device D]
--
-- It goes through rounds of calls, each from the next seed, until the time is over. FILE always
-- ends with the last call begun, so that it can be read after a crash. The first trouble ends the
-- program with an error that names the call; with --all it is printed, and the calls go on.
local tide = require "tide"
package.path = arg[0]:match("^(.*)/") .. "/?.lua;" .. package.path
local values = require "random_values"
local targets = require "callable_names"

local options = tide.args {seed = 1, seconds = 20, log = "", only = "", device = "",
  all = false}

--- Words that only a failing implementation says.
local kForeign = {
  "std::", "basic_string", "bad_alloc", "bad optional", "vector::", "_M_", "tide::", "nullptr",
  "internal error", "terminate", "C%+%+", "length_error", "out_of_range", "stack overflow",
  "not a multiple", "map::at",
}

local log = options.log ~= "" and assert(io.open(options.log, "w"))
local calls, refused, seed = 0, 0, options.seed

local function note(text)
  if not log then return end
  log:write(text, "\n")
  log:flush()
end

local function trouble(text, call)
  local report = ("%s\n  seed %d, call: %s"):format(text, seed, call)
  if not options.all then error(report, 0) end
  print(report)
end

--- A message for the person who made the mistake: a string with the line in front.
local function check_message(message, call, composed)
  if type(message) ~= "string" then
    -- Functions among the arguments raise what they like.
    if values.is_raised(message) then return end
    trouble("an error that is no string: " .. tostring(message), call)
  end
  for _, word in ipairs(kForeign) do
    if message:find(word) then trouble("a message with foreign words: " .. message, call) end
  end
  -- Wrong values inside of what Lua composes may be found by Lua itself.
  if not composed and not message:find("^[^\n]-:%d+: ") and not message:find "^tide: " and
    not values.is_raised(message) then
    trouble("a message without a line: " .. message, call)
  end
  if message:find("[\1-\8\14-\31]") then trouble("a message with unprintable bytes", call) end
end

--- Looks at what a call gave; reading may raise what was found later.
local function look_at(result)
  if not tide.is_tensor(result) then return values.keep(result) end
  local kind = values.random(8)
  if result:numel() > 5000 then
    if kind == 1 then tostring(result[values.random(1, 2)]) end
    return
  end
  if kind == 1 then result:tolist() end
  if kind == 2 then tostring(result) end
  if kind == 3 and result.requires_grad then result:sum():backward() end
  values.keep(result)
end

--- The call as a line of a script.
local function invoke(fn, ...)
  local results = table.pack(fn(...))
  return results
end

local function call_one(target)
  local arguments = values.arguments(target)
  local text = target.text(arguments)
  note(text)
  calls = calls + 1
  local called, results = pcall(invoke, target.fn, table.unpack(arguments, 1, arguments.n))
  if not called then
    refused = refused + 1
    check_message(results, text, target.composed)
  else
    for i = 1, math.min(results.n, 3) do
      local ok, message = pcall(look_at, results[i])
      if not ok then check_message(message, text .. "  -- looked at", target.composed) end
    end
  end
end

--- Whatever happened before, a right line still gives its result.
local function check_alive(device)
  note("check on " .. device)
  local x = tide.ones({2, 3}, {device = device}) * 2 + 1
  if x:sum():item() ~= 18 then trouble("a wrong sum on " .. device, "1 + 1") end
  if #tide.eager(function() return x:matmul(x.T):tolist() end) ~= 2 then
    trouble("a wrong product on " .. device, "matmul")
  end
end

local list = targets.list(options.only)
local start = tide.time()
repeat
  -- In a coroutine of its own: modes that calls switch on end with it.
  coroutine.wrap(function()
    values.begin(seed, options.device)
    for _ = 1, 200 do call_one(list[values.random(#list)]) end
    values.finish()
  end)()
  for _, device in ipairs {"cpu", "sim:0"} do check_alive(device) end
  seed = seed + 1
until tide.time() - start > options.seconds
print(("%d calls of %d functions, %d refused"):format(calls, #list, refused))
tide.synchronize() -- the status is 1: many failures were never read

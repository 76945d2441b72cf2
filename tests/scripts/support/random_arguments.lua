-- Calls every public function with random arguments of every kind: none may crash, hang, keep
-- memory, expose C++ terms, or differ from eager mode.
--
--   tide random_arguments.lua [--seed N] [--seconds N] [--log FILE] [--only PATTERN] [--device D]
--
-- It runs rounds of calls until the time is over, each from the next seed. A round is run
-- twice, lazily and eagerly: the same calls with the same arguments. Results become arguments of
-- later calls and are read only now and then, so that chains of ops are fused; read values must be
-- bitwise identical, and errors literally. FILE always ends with the last call
-- begun, so that it can be read after a crash. The first problem ends the program with an error that
-- names the call; with --all it is printed, and the calls go on. --shares prints for each function
-- how many calls were accepted.
local tide = require "tide"
package.path = arg[0]:match("^(.*)/") .. "/?.lua;" .. package.path
local examples = require "example_arguments"
local outcomes = require "outcomes"
local values = require "random_values"
local targets = require "callable_names"

local options = tide.args {seed = 1, seconds = 20, log = "", only = "", device = "",
  all = false, shares = false}

--- Words that only an implementation error contains.
local kForeign = {
  "std::", "basic_string", "bad_alloc", "bad optional", "vector::", "_M_", "tide::", "nullptr",
  "internal error", "terminate", "C%+%+", "length_error", "out_of_range", "stack overflow",
  "not a multiple", "map::at",
}

local kCallsOfRound <const> = 200
local kCallsOfChain <const> = 8

--- What depends on the clock, on the queue or on memory in use, gives a new seed, or makes the next folder of a kind.
local kNotCompared = {
  ["tide.time"] = true, ["tide.tic"] = true, ["tide.toc"] = true, ["tide.pending"] = true,
  ["tide.statistics"] = true, ["tide.wait_count"] = true, ["tide.flush"] = true,
  ["tide.info"] = true, ["tide.smi"] = true, ["tide.seed"] = true, ["generator:seed"] = true,
  ["event:query"] = true, ["event:elapsed_time"] = true, ["stream:query"] = true,
  ["tide.loggers.CSVLogger"] = true, ["tide.loggers.TensorBoardLogger"] = true,
}

local function is_compared(target)
  return not (kNotCompared[target.name] or target.name:find "memory" or target.name:find "mem_get")
end

local log = options.log ~= "" and assert(io.open(options.log, "w"))
local seed, mode = options.seed, "lazily"
local calls, refused, compared = 0, 0, 0
local called_of, accepted_of = {}, {}

local function note(text)
  if not log then return end
  log:write(text, "\n")
  log:flush()
end

local function trouble(text, call)
  local report = ("%s\n  seed %d, %s, call: %s"):format(text, seed, mode, call)
  if not options.all then error(report, 0) end
  print(report)
end

--- A message for the caller: a string with the line at its start.
local function check_message(message, call, composed)
  if type(message) ~= "string" then
    -- Functions among the arguments raise arbitrary errors.
    if values.is_raised(message) then return end
    trouble("an error that is not a string: " .. tostring(message), call)
  end
  for _, word in ipairs(kForeign) do
    if message:find(word) then trouble("a message with foreign words: " .. message, call) end
  end
  -- Wrong values inside functions written in Lua may be found by Lua itself.
  if not composed and not message:find("^[^\n]-:%d+: ") and not message:find "^tide: " and
    not values.is_raised(message) then
    trouble("a message without a line: " .. message, call)
  end
  if message:find("[\1-\8\14-\31]") then trouble("a message with unprintable bytes", call) end
end

--- Calls the target once: {text, target, results} or {text, target, error}, with the tensors passed.
local function call_once(target)
  local done = {target = target, text = "the example " .. tostring(target.example), given = {}}
  local function call(fn, arguments)
    done.text = target.text(arguments)
    note(done.text)
    -- Names of temporary files differ each time.
    done.text = done.text:gsub("/tmp/lua_%w+", "/tmp/lua_...")
    for i = 1, math.min(arguments.n, 4) do
      if tide.is_tensor(arguments[i]) then done.given[#done.given + 1] = arguments[i] end
    end
    local results = table.pack(fn(table.unpack(arguments, 1, arguments.n)))
    done.results = results
    return table.unpack(results, 1, results.n)
  end
  local ok, message
  if target.example and values.random(100) <= 60 then
    note(done.text)
    ok, message = pcall(examples.run, target, call)
  else
    -- While arguments are created, queued work may turn out to lack memory.
    ok, message = pcall(function() return call(target.fn, values.arguments(target)) end)
  end
  if not is_compared(target) then tide.manual_seed(values.random(1000)) end
  -- The example's use of the results may fail for them.
  if not ok and not done.results then done.error = message end
  return done
end

--- Records the results of the calls of a chain, after all of them.
local function read_chain(chain, transcript)
  for _, done in ipairs(chain) do
    local target, failed = done.target, done.error ~= nil
    local entry = {text = done.text, compared = is_compared(target)}
    local function see_refusal(message)
      check_message(message, done.text .. "  -- looked at", target.composed)
      failed = true
    end
    note("reading " .. done.text)
    if done.error ~= nil then
      check_message(done.error, done.text, target.composed)
      entry[1] = outcomes.of_error(done.error)
    end
    for i = 1, math.min(done.results and done.results.n or 0, 4) do
      entry[#entry + 1] = outcomes.of(done.results[i], see_refusal)
    end
    -- Writes change arguments, and gradients accumulate.
    local returned = failed
    for _, x in ipairs(done.given) do
      entry[#entry + 1] = outcomes.of(x, see_refusal)
      local ok, grad = pcall(function() return x.grad end)
      if ok and grad then entry[#entry + 1] = outcomes.of(grad, see_refusal) end
    end
    failed = returned
    transcript[#transcript + 1] = entry
    if mode == "lazily" then
      calls, refused = calls + 1, refused + (failed and 1 or 0)
      called_of[target.name] = (called_of[target.name] or 0) + 1
      accepted_of[target.name] = (accepted_of[target.name] or 0) + (failed and 0 or 1)
    end
  end
end

--- Uses a result: keeps it for later calls, or requires a gradient.
local function use(result)
  values.keep(result)
  if not tide.is_tensor(result) then return end
  local kind = values.random(8)
  local ok, wanted = pcall(function() return result.requires_grad and result:numel() <= 5000 end)
  if kind <= 2 and ok and wanted then
    pcall(function() result:sum():backward({retain_graph = values.random(2) == 1}) end)
  elseif kind == 3 then
    pcall(tostring, result)
  end
end

--- After any error, a correct line still has its result.
local function check_alive(device)
  note("check on " .. device)
  local x = tide.ones({2, 3}, {device = device}) * 2 + 1
  if x:sum():item() ~= 18 then trouble("a wrong sum on " .. device, "1 + 1") end
  if #tide.eager(function() return x:matmul(x.T):tolist() end) ~= 2 then
    trouble("a wrong product on " .. device, "matmul")
  end
end

--- All calls of the round of this seed; their results, in order.
local function play(list, eagerly)
  local transcript = {}
  mode = eagerly and "eagerly" or "lazily"
  -- In a separate coroutine: modes that calls set end with it.
  coroutine.wrap(function()
    local _ <close> = eagerly and tide.eager() or nil
    values.begin(seed, options.device)
    local chain = {}
    for i = 1, kCallsOfRound do
      -- Choices do not depend on previous results: lack of memory is noticed earlier in eager mode.
      values.restart(seed, i)
      local done = call_once(list[values.random(#list)])
      chain[#chain + 1] = done
      for r = 1, math.min(done.results and done.results.n or 0, 3) do use(done.results[r]) end
      if i % kCallsOfChain == 0 then
        read_chain(chain, transcript)
        chain = {}
      end
    end
    values.finish()
  end)()
  for _, device in ipairs {"cpu", "sim:0"} do check_alive(device) end
  return transcript
end

--- Whether the call lacked memory. In eager mode another call notices that,
--- possibly already while its arguments are created, and later calls receive other results as arguments.
local function found_no_room(entry)
  for _, outcome in ipairs(entry) do
    if outcome.form == "out of memory" then return true end
  end
  return false
end

local function compare_round(lazy, eager)
  for i = 1, #lazy do
    if found_no_room(lazy[i]) or found_no_room(eager[i]) then return end
    if lazy[i].text ~= eager[i].text then
      trouble("other arguments in eager mode: " .. eager[i].text, lazy[i].text)
      return
    end
    if lazy[i].compared then
      compared = compared + 1
      if #lazy[i] ~= #eager[i] then
        trouble(("%d values, eagerly %d"):format(#lazy[i], #eager[i]), lazy[i].text)
      end
      for k = 1, math.min(#lazy[i], #eager[i]) do
        local difference = outcomes.difference(lazy[i][k], eager[i][k])
        if difference then
          trouble(("value %d: %s"):format(k, difference), ("%d: %s"):format(i, lazy[i].text))
          if options.all then return end
        end
      end
    end
  end
end

--- A description of memory still in use on any device when everything is unreachable.
local function memory_kept()
  local kept = {}
  for _ = 1, 4 do -- objects with finalizers keep others until the next collection
    -- Backward functions that are no longer needed are released by the next backward pass.
    tide.ones({}, {requires_grad = true}):backward()
    collectgarbage()
    pcall(tide.synchronize)
  end
  for _, device in ipairs(tide.devices()) do
    local bytes = tide.memory_allocated(device)
    if bytes > 0 then kept[#kept + 1] = ("%d bytes on %s"):format(bytes, tostring(device)) end
  end
  return #kept > 0 and table.concat(kept, ", ")
end

local list = targets.list(options.only)
local start = tide.time()
repeat
  local lazy = play(list, false)
  local eager = play(list, true)
  mode = "compared"
  compare_round(lazy, eager)
  local kept = memory_kept()
  if kept then trouble("memory kept: " .. kept, "the whole round") end
  seed = seed + 1
until tide.time() - start > options.seconds

local never = {}
for name, count in pairs(called_of) do
  if accepted_of[name] == 0 then never[#never + 1] = ("%s (%d)"):format(name, count) end
  if options.shares then print(("%-50s %5d of %5d"):format(name, accepted_of[name], count)) end
end
table.sort(never)
print(("%d calls of %d functions in %d rounds, %.0f s, seeds %d to %d"):format(calls, #list,
  seed - options.seed, tide.time() - start, options.seed, seed - 1))
print(("%.0f %% accepted, %d refused, %d compared with eager mode"):format(
  100 * (calls - refused) / calls, refused, compared))
print(("never accepted: %s"):format(#never > 0 and table.concat(never, ", ") or "none"))
pcall(tide.synchronize) -- many failures were never read

-- tide.advise: runs a function and reports, by line, how to make it faster.
local reader = require "tide.internal.declare.reader"
local check_free = require "tide.tools.profiler.check_free"
local is_callable = require "tide.internal.is_callable"
local kind_of = require "tide.internal.kind_of"
local raise = require "tide.internal.raise"
local Run = require "tide.tools.advise.run"

local kShort <const> = 1000 -- milliseconds

--- Runs fn and reports, by line, mistakes and possible speedups, and how to fix them; findings: a list of
--- {rule, file, line, text, fix, wins, win_ms}; wall_ms, device, busy_ms. A short fn runs twice, the first time to
--- compile; runs sets the number.
---@param fn function  the function to analyze
---@param runs integer >= 0 = nil  number of runs; nil is twice if it is short
---@example
--- local x = tide.ones(8)
--- #tide.advise(function() return x:exp():sum():item() end).findings --> 0
local read = reader "advise"

local function run(fn, before)
  local one <close> = Run(before)
  one:begin()
  fn()
  return one:finish(), one
end

--- tide.advise(fn, {runs =}): the advice of the last of `runs` calls of fn; without `runs` of a
--- second call if the first one was short.
return function(...)
  local given = read(...)
  if not is_callable(given.fn) then
    raise("advise: argument 1 (fn): expected function, got %s", kind_of(given.fn))
  end
  if given.runs == 0 then raise "advise: runs must be positive, got 0" end
  check_free "advise"
  local advice, before = run(given.fn)
  local runs = given.runs or (advice.device and advice.wall_ms < kShort and 2 or 1)
  for _ = 2, runs do advice, before = run(given.fn, before) end
  return advice
end

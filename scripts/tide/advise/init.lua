-- tide.advise: runs a function and says, by line, what would make it faster.
local arguments = require "tide.internal.arguments"
local check_free = require "tide.profiler.check_free"
local is_callable = require "tide.internal.is_callable"
local kind_of = require "tide.internal.kind_of"
local raise = require "tide.internal.raise"
local Run = require "tide.advise.run"

local kShort <const> = 1000 -- milliseconds

local read = arguments("advise", {"fn", {"runs"}}, {runs = "count"})

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

-- Random arguments of every kind for every public function: see support/random_arguments.lua, which
-- can be run alone for any time.
local test = require "tide.test"
local describe, it = test.describe, test.it

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local run = dofile(here .. "/../support/program.lua")
if not here:match "^/" then here = os.getenv "PWD" .. "/" .. here end

local kSeconds <const> = os.getenv "TIDE_TEST_SOAK" and 600 or 15
local kSecondsOfCall <const> = 60
local kMemory <const> = 3000000 -- kilobytes: no call can starve the machine

--- The last line of the program's output, or the last call that it began.
local function outcome(seed)
  local folder = os.tmpname()
  os.remove(folder)
  assert(os.execute(("mkdir '%s'"):format(folder)))
  local before = ("cd '%s' && ulimit -v %d && sh '%s/../support/watch_calls.sh' last_calls %d"):format(
    folder, kMemory, here, kSecondsOfCall)
  local words = ("'%s/../support/random_arguments.lua' --seed %d --seconds %d --log last_calls"):format(
    here, seed, kSeconds)
  local output = run(words, before)
  local last
  for line in io.lines(folder .. "/last_calls") do last = line end
  os.execute(("rm -r '%s'"):format(folder))
  return output, last
end

describe("random arguments", function()
  it("have the same results as in eager mode, or raise an error for the caller", function()
    local output, last = outcome(1)
    local summary = output:match "%d+ calls of %d+ functions in .*"
    if not summary then error(("the last call was %s\n%s"):format(last, output:sub(-2000))) end
    print(summary)
  end)
end)

-- Random arguments of every kind for every public function: see support/random_arguments.lua, which
-- runs alone for as long as one likes.
local test = require "tide.test"
local describe, it = test.describe, test.it

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local run = dofile(here .. "/support/program.lua")

local kSeconds <const> = 15

--- What the program says at the end of its calls, or the last call that it began.
local function outcome(seed)
  local folder = os.tmpname()
  os.remove(folder)
  assert(os.execute(("mkdir '%s'"):format(folder)))
  -- With a limit of memory, that no call can starve the machine; `timeout` ends what hangs.
  local before = ("cd '%s' && ulimit -v 3000000 && timeout -s ABRT %d"):format(folder, kSeconds + 120)
  local words = ("'%s/support/random_arguments.lua' --seed %d --seconds %d --log last_calls"):format(
    here:match "^/" and here or os.getenv "PWD" .. "/" .. here, seed, kSeconds)
  local output = run(words, before)
  local last
  for line in io.lines(folder .. "/last_calls") do last = line end
  os.execute(("rm -r '%s'"):format(folder))
  return output, last
end

describe("random arguments", function()
  it("are answered by a result or by an error for the caller", function()
    local output, last = outcome(1)
    if not output:find "%d+ calls of %d+ functions" then
      error(("the last call was %s\n%s"):format(last, output:sub(-2000)))
    end
  end)
end)

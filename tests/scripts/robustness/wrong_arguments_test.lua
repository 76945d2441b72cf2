-- Wrong arguments for every public function: each is rejected with an error for the caller, without a crash or a
-- hang. See support/wrong_arguments.lua, which can be run for some functions only.
local test = require "tide.test"
local describe, it = test.describe, test.it

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local run = dofile(here .. "/../support/program.lua")
if not here:match "^/" then here = os.getenv "PWD" .. "/" .. here end

local kMemory <const> = 8000000 -- kilobytes: no call can starve the machine

describe("wrong arguments", function()
  it("are rejected with errors for the caller", function()
    local folder = os.tmpname()
    os.remove(folder)
    assert(os.execute(("mkdir '%s'"):format(folder)))
    local every = os.getenv "TIDE_TEST_SOAK" and 1 or 4
    local words = ("'%s/../support/wrong_arguments.lua' --every %d --log last_call"):format(here, every)
    local before = ("cd '%s' && ulimit -v %d && ulimit -t %d &&"):format(folder, kMemory, every == 1 and 600 or 60)
    local output = run(words .. " </dev/null", before)
    local last
    for line in io.lines(folder .. "/last_call") do last = line end
    os.execute(("rm -r '%s'"):format(folder))
    local summary, calls, functions, methods, troubles =
      output:match "((%d+) calls of (%d+) functions and classes and (%d+) methods, (%d+) troubles)"
    if not calls then error(("the last call was %s\n%s"):format(last, output:sub(-2000))) end
    local found = {}
    for trouble in output:gmatch "[^\n]+\n    call%d+:[^\n]*" do found[#found + 1] = trouble end
    if troubles ~= "0" or tonumber(calls) < 45000 or functions + methods < 1900 then
      error(summary .. "\n" .. table.concat(found, "\n"))
    end
  end)
end)

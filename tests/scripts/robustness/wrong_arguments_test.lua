-- Wrong arguments for everything that the library has in Lua: each is refused in words that are for the caller. See
-- support/wrong_arguments.lua, which a person can run for some functions alone.
local test = require "tide.test"
local describe, it = test.describe, test.it

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local run = dofile(here .. "/../support/program.lua")
if not here:match "^/" then here = os.getenv "PWD" .. "/" .. here end

describe("wrong arguments", function()
  it("are refused in words for the caller", function()
    local folder = os.tmpname()
    os.remove(folder)
    assert(os.execute(("mkdir '%s'"):format(folder)))
    local every = os.getenv "TIDE_TEST_SOAK" and 1 or 16
    local output = run(("'%s/../support/wrong_arguments.lua' --every %d"):format(here, every), ("cd '%s' &&"):format(folder))
    os.execute(("rm -r '%s'"):format(folder))
    local calls, functions, troubles = output:match "(%d+) calls of (%d+) functions, (%d+) troubles"
    if troubles ~= "0" or tonumber(calls) < 1500 or tonumber(functions) < 650 then error(output:sub(-3000)) end
  end)
end)

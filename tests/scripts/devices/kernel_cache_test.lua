-- The folder of compiled kernels, shared by several processes at once, some of which are killed.
local test = require "tide.test"

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local run = dofile(here .. "/../support/program.lua")
local own_folder = dofile(here .. "/../support/own_folder.lua")
local describe, it = test.describe, test.it

local script = ("'%s/../support/many_kernels.lua'"):format(here)

describe("the kernel cache", function()
  local folder = own_folder()

  --- Sum and number of compiled kernels of one process.
  local function outcome()
    local output = run(script, ("TIDE_INTERPRETER=0 TIDE_CACHE_DIR='%s'"):format(folder()))
    local sum, compiled = output:match "(%S+) (%d+)\n$"
    if not sum then error(output, 0) end
    return sum, tonumber(compiled)
  end

  it("supports processes that fill it at the same time", function()
    local output = run(script .. " 2>&1 & done; wait",
      ("export TIDE_INTERPRETER=0 TIDE_CACHE_DIR='%s'; for i in 1 2 3 4; do"):format(folder()))
    local sum, compiled = outcome()
    test.equal(compiled, 0)
    local count = 0
    for line in output:gmatch "[^\n]+" do
      count = count + 1
      test.equal(line:match "^%S+", sum)
    end
    test.equal(count, 4)
  end)
  it("is intact after processes were killed while they filled it", function()
    for i = 1, 8 do
      run(script, ("TIDE_INTERPRETER=0 TIDE_CACHE_DIR='%s' timeout -s KILL %g"):format(folder(), 0.02 * i))
    end
    local sum = outcome()
    local again, compiled = outcome()
    test.equal({again, compiled}, {sum, 0})
  end)
  it("may be unusable: then kernels are compiled, and the results are the same", function()
    local sum, compiled = outcome()
    test.is_true(compiled > 10)
    os.execute(("chmod 775 '%s'"):format(folder()))
    test.equal({outcome()}, {sum, compiled})
    local function reported(variables) return run("info 2>/dev/null", variables):match "\nkernel cache: ([^\n]*)" end
    local in_folder = ("TIDE_CACHE_DIR='%s'"):format(folder())
    test.equal(reported(in_folder), ("disabled: %s: others may write to it: chmod go-w"):format(folder()))
    test.equal(reported(in_folder .. " TIDE_CACHE_LIMIT=0"), "disabled: TIDE_CACHE_LIMIT is 0")
    test.equal(reported "TIDE_CACHE_DIR=/dev/null/none", "disabled: /dev/null/none: Not a directory")
    test.equal(reported "env -u TIDE_CACHE_DIR -u XDG_CACHE_HOME -u HOME",
      "disabled: neither TIDE_CACHE_DIR nor XDG_CACHE_HOME nor HOME is set")
  end)
end)

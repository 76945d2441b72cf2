-- `tide bench`: the rows that start processes of their own measure something, and say it as JSON.
local test = require "tide.test"

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local run = dofile(here .. "/../support/program.lua")
local describe, it = test.describe, test.it

--- The best figure of a workload, run once.
local function best(name)
  local output, succeeded = run("bench " .. name .. " --json --reps 1")
  local figure = output:match('^{"workload": "' .. name .. '", "peer": "tide", "best": ([%d.]+),')
  if not succeeded or not figure then error(output, 2) end
  return tonumber(figure)
end

describe("tide bench", function()
  for _, name in ipairs {"startup", "startup_bare", "startup_cold", "kernel_compile",
    "kernel_lookup", "kernel_lookup_1st"} do
    it("measures " .. name, function() test.is_true(best(name) > 0) end)
  end
  it("goes on after a workload that fails", function()
    local output, succeeded = run("bench copy_256m startup_bare --json --reps 1", "ulimit -v 1000000; exec")
    test.is_false(succeeded)
    local failed, measured = output:match "^(%b{})\n(%b{})\n$"
    test.is_true(failed:find('"workload": "copy_256m", "peer": "tide", "error": ".*memory') ~= nil)
    test.is_true(measured:find('"workload": "startup_bare", "peer": "tide", "best": ', 1, true) ~= nil)
  end)
  it("finds an idle prompt small", function()
    local megabytes = best("idle_memory")
    test.is_true(megabytes > 1 and megabytes < 30)
  end)
end)

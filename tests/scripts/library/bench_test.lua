-- `tide bench`: workloads that start processes measure something, and report it as JSON.
local test = require "tide.test"

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local run = dofile(here .. "/../support/program.lua")
local own_folder = dofile(here .. "/../support/own_folder.lua")
local scripts = here .. "/../../../scripts"
local describe, it = test.describe, test.it

--- The output of `tide bench WORDS` with a peer in `folder` that answers with `answer`, and whether it
--- succeeded.
local function beside(folder, words, answer)
  local peer = assert(io.open(folder .. "/python3", "w"))
  peer:write(("#!/bin/sh\necho '%s'\n"):format(answer:gsub("'", "'\\''")))
  peer:close()
  assert(os.execute(("chmod +x '%s/python3'"):format(folder)))
  return run("bench digits_train --reps 1 --rounds 1 --beside numpy " .. words,
    ("TIDE_PATH='%s' PATH='%s':$PATH"):format(scripts, folder))
end

--- The best result of a workload, run once.
local function best(name)
  local output, succeeded = run("bench " .. name .. " --json --reps 1")
  local figure = output:match('^{"workload": "' .. name .. '", "peer": "tide", "best": ([%d.]+),')
  if not succeeded or not figure then error(output, 2) end
  return tonumber(figure)
end

describe("tide bench", function()
  local folder = own_folder()
  for _, name in ipairs {"startup", "startup_bare", "startup_cold", "kernel_compile",
    "kernel_lookup", "kernel_lookup_1st"} do
    it("measures " .. name, function() test.is_true(best(name) > 0) end)
  end
  it("continues after a workload that fails", function()
    local output, succeeded = run("bench copy_256m startup_bare --json --reps 1", "ulimit -v 1000000; exec")
    test.is_false(succeeded)
    local failed, measured = output:match "^(%b{})\n(%b{})\n$"
    test.is_true(failed:find('"workload": "copy_256m", "peer": "tide", "error": ".*memory') ~= nil)
    test.is_true(measured:find('"workload": "startup_bare", "peer": "tide", "best": ', 1, true) ~= nil)
  end)
  it("reports what --beside needs outside of the source tree", function()
    local output, succeeded = run("bench startup --beside torch", ("cd '%s'; unset TIDE_PATH; exec"):format(folder()))
    test.is_false(succeeded)
    test.is_true(output:find("bench: --beside needs scripts/bench/peers.py: run it in the source tree, or set TIDE_PATH "
      .. "to its scripts folder\n", 1, true) ~= nil, output)
  end)
  it("compares tide with a peer, in a table and as JSON", function()
    local answer = '{"workload": "digits_train", "peer": "numpy", "best": 5000.000, "median": 6000.000}'
    test.is_true(beside(folder(), "", answer):find("digits_train +us/step +[%d.]+ +5000%.0 +[%d.]+") ~= nil)
    local ours, ratio, date = beside(folder(), "--json", answer):match('^{"workload": "digits_train", '
      .. '"unit": "us/step", "peer": "numpy", "tide": ([%d.]+), "other": 5000%.000, '
      .. '"ratio": ([%d.]+), "device": "cpu", "threads": %d+, "date": "(%d+%-%d%d%-%d%d)"}\n$')
    test.is_true(ours ~= nil and date ~= nil)
    test.close(tonumber(ratio), 5000 / tonumber(ours), {atol = 1e-3})
  end)
  it("reports the module that a peer lacks in one line", function()
    local output, succeeded = beside(folder(), "--json",
      [[{"workload": "digits_train", "peer": "numpy", "error": "ModuleNotFoundError: No module named 'numpy'"}]])
    test.is_false(succeeded)
    test.is_true(output:find "^[^\n]*tide: bench: %-%-beside numpy: python3 has no module numpy\n$" ~= nil)
  end)
  it("measures the memory of an idle prompt", function()
    local megabytes = best("idle_memory")
    test.is_true(megabytes > 1 and megabytes < 30)
  end)
end)

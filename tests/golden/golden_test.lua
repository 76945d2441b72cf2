-- The golden cases as tests: a group passes when each of its cases passes or calls what is not there yet.
local tide = require "tide"
local test = require "tide.test"

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local cases = dofile(here .. "/cases.lua")
local promotion = dofile(here .. "/promotion.lua")
local models = dofile(here .. "/models.lua")
local describe, it, pending = test.describe, test.it, test.pending

local folder = cases.folder()

--- A test that fails with the list of what `run(report)` reports as failed.
local function section(name, run)
  it(name, function()
    local failures = {}
    run(function(words, status, message)
      if status == "failed" then failures[#failures + 1] = ("%s: %s"):format(words, message) end
    end)
    if #failures > 0 then error(table.concat(failures, "\n"), 0) end
  end)
end

describe("golden", function()
  if not folder then
    pending("cases are not here: TIDE_GOLDEN names no folder of them")
    return
  end
  for _, group in ipairs(dofile(folder .. "/ops.lua")) do
    section(group.op, function(report)
      cases.run_group(folder, group, "cpu", function(number, case, status, message)
        report(("case %d: %s"):format(number, case.call), status, message)
      end)
    end)
  end
  section("promotion", function(report) promotion.run(folder, cases.not_there, report) end)
  section("models", function(report) models.run(folder, "cpu", cases.not_there, report) end)
end)

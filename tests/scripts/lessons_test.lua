-- Every lesson runs on its usual device and on the cpu, and its claims hold.
local test = require "tide.test"

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local run = dofile(here .. "/support/program.lua")
local describe, it = test.describe, test.it

local function holds(lesson, arguments)
  local output, succeeded = run(("lesson %d %s"):format(lesson, arguments))
  if not succeeded then error(output, 2) end
end

describe("lesson", function()
  for lesson = 1, 4 do
    it(("%d holds on an accelerator"):format(lesson), function() holds(lesson, "") end)
    it(("%d holds on the cpu"):format(lesson), function() holds(lesson, "--device cpu") end)
  end
end)

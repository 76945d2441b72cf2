-- Every lesson runs on its usual device and on the cpu, and its claims hold.
local test = require "tide.test"
local describe, it = test.describe, test.it

--- The program that runs this test.
local function program()
  local pipe = io.popen("readlink /proc/$PPID/exe")
  local path = pipe:read("l")
  pipe:close()
  return path
end

local tide_program = program()

local function run(lesson, arguments)
  local pipe = io.popen(("'%s' lesson %d %s 2>&1"):format(tide_program, lesson, arguments))
  local output = pipe:read("a")
  if not pipe:close() then error(output, 2) end
end

describe("lesson", function()
  for lesson = 1, 3 do
    it(("%d holds on an accelerator"):format(lesson), function() run(lesson, "") end)
    it(("%d holds on the cpu"):format(lesson), function() run(lesson, "--device cpu") end)
  end
end)

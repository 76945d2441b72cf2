-- Answers to the exercises of the lessons: printed as they are, and right on every device.
local tide = require "tide"
local test = require "tide.test"

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local run = dofile(here .. "/../support/program.lua")
local describe, it = test.describe, test.it

local accelerator = tide.cuda.is_available() and "cuda" or "sim"
local folder = here .. "/../../../scripts/lessons/"

local function read(path)
  local file <close> = assert(io.open(path))
  return file:read("a")
end

--- The numbers of lines that match, in order: "1 2 3".
local function numbers_of(text, pattern)
  local numbers = {}
  for number in text:gmatch(pattern) do numbers[#numbers + 1] = number end
  return table.concat(numbers, " ")
end

describe("answers to lesson", function()
  for name, number in run("lesson"):gmatch("((%d%d)_[%w_]+)%s") do
    local path = folder .. "answers/" .. name .. ".lua"

    it(number .. " are printed, one for each exercise", function()
      local answers = read(path)
      test.equal(run("lesson " .. number .. " --answers"), answers)
      local exercises = read(folder .. name .. ".lua"):match("\nExercises\n%-+(\n.*)%]%]")
      local asked = numbers_of(exercises, "\n(%d+)%. ")
      test.is_true(#asked >= 3, "two exercises or more")
      test.equal(numbers_of(answers, "\nheading \"(%d+)%. "), asked)
      test.is_true(exercises:find(("`tide lesson %d --answers`"):format(number), 1, true))
    end)

    for _, device in ipairs {"cpu", accelerator} do
      it(("%s hold on %s"):format(number, device), function()
        local output, succeeded = run(("'%s' --device %s"):format(path, device))
        if not succeeded then error(output, 2) end
      end)
    end
  end
end)

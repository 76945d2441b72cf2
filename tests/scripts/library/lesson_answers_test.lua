-- Answers to the exercises of the lessons: printed unchanged, and correct on every device.
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
      local answered = numbers_of(answers, "\nheading \"(%d+)%. ")
      test.equal(answered .. numbers_of(answers, "\n  {\"(%d+)%. "), asked)
      test.is_true(exercises:find(("`tide lesson %d --answers`"):format(number), 1, true))
    end)

    for _, device in ipairs {"cpu", accelerator} do
      it(("%s hold on %s"):format(number, device), function()
        local output, succeeded = run(("'%s' --device %s"):format(path, device))
        if not succeeded then error(output, 2) end
      end)
    end

    -- The exercises have the checks of the answers.
    local exercises, checked = run("lesson " .. number .. " --exercises")
    if checked then
      it(number .. " are unsolved, with hints, before they are written", function()
        test.is_true(exercises:find("^%-%- Exercises of lesson " .. number .. ", "))
        test.is_nil(exercises:find("answers", 1, true))
        local file = os.tmpname()
        test.finally(function() os.remove(file) end)
        local out <close> = assert(io.open(file, "w"))
        out:write(exercises):flush()
        local output, succeeded = run(("'%s' --device %s"):format(file, accelerator))
        test.is_false(succeeded)
        local asked = numbers_of(exercises, "\n  {\"(%d+)%. ")
        test.equal(numbers_of("\n" .. output, "\n(%d+)%. [^\n]*: unsolved\n    %S"), asked)
        test.equal(numbers_of("\n" .. output, "\n(%d+)%. [^\n]*: solved\n"), "")
      end)
    end
    it(number .. (checked and " have checks" or " are open"), function()
      test.equal(checked, tonumber(number) >= 22)
      if not checked then
        test.is_true(exercises:find("the exercises of " .. name .. " have no checks", 1, true))
      end
    end)
  end
end)

describe("exercises", function()
  local exercises = test.exercises

  --- The output and the error of a list.
  local function outcome(list)
    local lines, show = {}, print
    test.finally(function() print = show end)
    print = function(line) lines[#lines + 1] = line end
    local passed, message = pcall(exercises, list)
    print = show
    return table.concat(lines, "\n"), passed, message
  end

  it("are solved, unsolved with a hint, or fail with their line", function()
    local text, passed, message = outcome {
      {"1. Add", function(expect) expect(1 + 1 == 2, "count") end},
      {"2. Divide", function(expect) expect(1 // 2 == 1, "round\nup") end},
      {"3. Write", function() error "nothing is written here yet" end},
      {"4. Expect nothing", function() end},
    }
    test.equal(passed, false)
    test.equal(message, "2 of 4 exercises unsolved")
    test.equal(text:gsub("    %S*lesson_answers_test.lua:%d+: ", "    FILE: "), "1. Add: solved\n" ..
      "2. Divide: unsolved\n    round\n    up\n3. Write: unsolved\n    FILE: nothing is written here yet\n" ..
      "4. Expect nothing: solved")
  end)

  it("raise no error if all are solved", function()
    test.equal({outcome {{"1. Add", function() end}}}, {"1. Add: solved", true})
  end)

  it("have a name and a check", function()
    test.raises("exercises: argument 1 (exercises): expected table of tables, got nothing", exercises)
    test.raises("exercises: entry 2: expected {name, check}, a string and a function", exercises,
      {{"1. Add", function() end}, {"2. Divide"}})
  end)
end)

describe("the text of exercises", function()
  local unsolved = require "tide.lessons.unsolved"

  it("has starts in place of solutions", function()
    test.equal(unsolved(
      "-- Answers to the exercises of lesson 9.\nlocal function f(x)\n  -- Start:\n  -- if x then\n" ..
      "  --   return slow(x)\n  -- end\n  -- Solution:\n  return fast(x)\n  -- End\nend\n"),
      "-- Exercises of lesson 9.\nlocal function f(x)\n  if x then\n    return slow(x)\n  end\nend\n")
  end)

  it("raises an error if there is no start", function()
    test.equal(unsolved("local function f(x)\n  -- Solution:\n  return x\n  -- End\nend\n"),
      "local function f(x)\n  error \"nothing is written here yet\"\nend\n")
  end)

  it("is nil if no solution is marked", function()
    test.is_nil(unsolved "print(1) -- Solution:\n")
  end)
end)

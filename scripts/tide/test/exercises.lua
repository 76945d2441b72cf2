-- tide.test.exercises: checks a learner's solutions, and prints which exercises are solved.
local checked = require "tide.internal.declare.checked"
local raise = require "tide.internal.raise"

--- Raises an error that says what is wrong with a list of exercises.
local function check_list(list)
  for i, exercise in ipairs(list) do
    if type(exercise[1]) ~= "string" or type(exercise[2]) ~= "function" then
      raise("exercises: entry %d: expected {name, check}, a string and a function", i)
    end
  end
end

--- Called by a check: if the condition is false, the exercise is unsolved, with this hint.
local function expect(condition, hint)
  if not condition then error({hint = hint}, 0) end
end

--- Calls check(expect) of each {name, check}; expect(condition, hint) marks an exercise as unsolved if the condition is
--- false, as does an error. Prints a line for each with its hint, and raises an error if one is unsolved.
---@param exercises table[]  {name, check} for each; check is called with expect
---@example
--- local list = {{"1. Add", function(expect) expect(1 + 1 == 3, "count again") end}}
--- pcall(tide.test.exercises, list) --> false, "1 of 1 exercises unsolved"
local exercises = checked("test.exercises", function(list)
  local unsolved = 0
  check_list(list)
  for _, exercise in ipairs(list) do
    local name, check = exercise[1], exercise[2]
    local solved, problem = pcall(check, expect)
    if solved then
      print(name .. ": solved")
    else
      unsolved = unsolved + 1
      local hint = type(problem) == "table" and problem.hint or problem
      print(("%s: unsolved\n    %s"):format(name, (tostring(hint):gsub("\n", "\n    "))))
    end
  end
  if unsolved > 0 then error(("%d of %d exercises unsolved"):format(unsolved, #list), 0) end
end)

return exercises

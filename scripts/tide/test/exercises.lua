-- tide.test.exercises: checks a learner's solutions, and prints which exercises are solved.
local kind_of = require "tide.internal.kind_of"
local raise = require "tide.internal.raise"

--- The exercises of a list; raises an error if the list is invalid.
local function checked(list)
  if type(list) ~= "table" then raise("exercises: expected a list of {name, check}, got %s", kind_of(list)) end
  for i, exercise in ipairs(list) do
    local name, check = nil, nil
    if type(exercise) == "table" then name, check = exercise[1], exercise[2] end
    if type(name) ~= "string" or type(check) ~= "function" then
      raise("exercises: entry %d: expected {name, check}, a string and a function", i)
    end
  end
  return list
end

--- Called by a check: if the condition is false, the exercise is unsolved, with this hint.
local function expect(condition, hint)
  if not condition then error({hint = hint}, 0) end
end

--- Calls check(expect) of each exercise {name, check}. It is unsolved if an expectation fails or the check, which runs
--- the learner's code, raises an error. Prints a line for each exercise, with the hint, and raises an error if one is
--- unsolved.
return function(list)
  local unsolved = 0
  for _, exercise in ipairs(checked(list)) do
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
end

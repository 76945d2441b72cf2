-- tide.test.exercises: checks what a learner has written, and says which exercises are solved.
local kind_of = require "tide.internal.kind_of"
local raise = require "tide.internal.raise"

--- The exercises of a list, or an error that says what is wrong with it.
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

--- What a check calls: without a condition the exercise is unsolved, and this is the hint.
local function expect(condition, hint)
  if not condition then error({hint = hint}, 0) end
end

--- Calls check(expect) of each exercise {name, check}. It is unsolved if an expectation fails, or if there is an
--- error: what the learner has written runs in the check. Prints a line for each exercise, with the hint, and raises
--- an error if one is unsolved.
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

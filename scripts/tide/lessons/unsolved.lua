-- The exercises of a lesson, generated from its answers: each solution is replaced by the code from which a learner
-- starts. If there is none, the function raises an error until it is written.
local solution_mark = require "tide.lessons.solution_mark"

local kNothing <const> = 'error "nothing is written here yet"'

--- The text of the exercises; nil if no solution is marked.
local function unsolved(answers)
  answers = answers:gsub("^%-%- Answers to the exercises", "-- Exercises"):gsub("%-%-answers", "--exercises", 1)
  local lines, part, started, found = {}, nil, false, false
  for line in answers:gmatch "([^\n]*)\n" do
    local mark, indent = solution_mark(line)
    if mark then
      if mark == "Solution" and not started then lines[#lines + 1] = indent .. kNothing end
      part, started, found = mark ~= "End" and mark or nil, mark == "Start", true
    elseif part == "Start" then
      lines[#lines + 1] = line:gsub("%-%- ?", "", 1)
    elseif not part then
      lines[#lines + 1] = line
    end
  end
  return found and table.concat(lines, "\n") .. "\n" or nil
end

return unsolved

-- Marks in the answers of a lesson whose exercises are checked.
--
-- In a function of the answers:
--   -- Start:
--   -- return slow(x)
--   -- Solution:
--   return fast(x)
--   -- End
-- The code from which a learner starts is in comments, and may be missing.

local kMarks <const> = {Start = true, Solution = true, End = true}

--- "Start", "Solution" or "End" for a line that is a mark, and its indent; nil for other lines.
local function solution_mark(line)
  local indent, mark = line:match "^(%s+)%-%- (%a+):?$"
  if kMarks[mark] then return mark, indent end
end

return solution_mark

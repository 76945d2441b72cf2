-- Runs through a lesson: before each of its cells the comment and the code are shown, and where a
-- section begins, a person at a terminal is asked to go on.
local cells_of = require "tide.internal.lessons.cells"
local lines_to_show = require "tide.internal.lessons.lines_to_show"
local take_heading = require "tide.internal.lessons.take_heading"
local with_calls = require "tide.internal.lessons.with_calls"

local walk = {}

--- Shows a cell. `before` and `behind` stand around each line of code.
local function show(cell, before, behind)
  if cell.heading then io.write("\n", cell.heading, "\n", ("-"):rep(#cell.heading), "\n") end
  if #cell.text > 0 then io.write(cell.heading and "" or "\n", table.concat(cell.text, "\n"), "\n") end
  local lines = lines_to_show(cell.code)
  if #lines > 0 then io.write "\n" end
  for _, line in ipairs(lines) do
    io.write("  |", line == "" and "" or (" %s%s%s"):format(before, line, behind), "\n")
  end
end

--- Waits for Enter. Leaves the program at `q` and at the end of the input.
local function ask(section)
  local question = ("-- Enter goes on with %s; q leaves: "):format(section)
  io.write("\n", question):flush()
  local answer = io.read "l"
  if not answer or answer:find "^%s*[qQ]" then
    io.write(answer and "" or "\n")
    os.exit(true)
  end
  -- The question was for now: the line goes.
  if os.getenv "TERM" ~= "dumb" then io.write "\27[A\27[2K" end
end

--- The source of a lesson with calls that show its cells as they are reached. `options`: `pause`, ask
--- before each section but the first; `color`, color the code. Lines keep their numbers.
function walk.script(source, options)
  local cells, sections = cells_of(source), 0
  local before, behind = "", ""
  if options.color then before, behind = "\27[36m", "\27[0m" end
  --- What the script calls where a cell begins.
  function walk.begin_cell(number)
    local cell = cells[number]
    if cell.heading then sections = sections + 1 end
    if options.pause and cell.heading and sections > 1 then ask(cell.heading) end
    show(cell, before, behind)
    io.flush()
  end
  for _, cell in ipairs(cells) do take_heading(cell) end
  return with_calls(source, cells, "tide.internal.lessons.walk")
end

return walk

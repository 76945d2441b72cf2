-- Runs through a lesson: before each of its cells the comment and the code are shown. A person at a terminal is asked
-- to go on where a section begins and where the screen is full; Lua that is typed there is run.
local cells_of = require "tide.lessons.cells"
local lines_to_show = require "tide.lessons.lines_to_show"
local native = require "tide.native"
local run_typed = require "tide.lessons.run_typed"
local screen_lines = require "tide.lessons.screen_lines"
local take_heading = require "tide.lessons.take_heading"
local with_calls = require "tide.lessons.with_calls"

local kQuestionRows <const> = 2
local kMostForeseen <const> = 6 -- rows of output that are kept free below a cell's code
local kLongText <const> = 5     -- rows of a text that is not begun at the end of a screen

local walk = {}

--- The lines that show a cell. `before` and `after` stand around each line of code.
local function lines_of(cell, before, after)
  local list = {}
  if cell.heading then table.move({"", cell.heading, ("-"):rep(#cell.heading)}, 1, 3, 1, list) end
  if #cell.text > 0 then
    if not cell.heading then list[#list + 1] = "" end
    local text = screen_lines.of_text(cell.text)
    table.move(text, 1, #text, #list + 1, list)
  end
  local code = screen_lines.of_code(lines_to_show(cell.code), "  | ")
  if #code > 0 then list[#list + 1] = "" end
  for _, line in ipairs(code) do
    local text = line:sub(5)
    list[#list + 1] = text == "" and "  |" or ("  | %s%s%s"):format(before, text, after)
  end
  return list
end

--- An estimate of the rows that a cell prints.
local function foreseen(cell)
  local _, count = table.concat(cell.code, "\n"):gsub("%f[%w]print%f[%W]", "")
  return math.min(count, kMostForeseen)
end

--- Asks until Enter alone is pressed, and runs what is typed. Leaves the program at `q` and at the end of the input.
--- `section` begins next; nil in the middle of one.
local function ask(section, main)
  local question = ("-- Enter goes on%s; q leaves; Lua is run: "):format(section and " with " .. section or "")
  local columns = native.terminal_size()
  if columns and #question >= columns then question = "-- Enter goes on; q leaves; Lua is run: " end
  io.stdout:write "\n"
  local asked_before = false
  while true do
    io.stdout:write(question):flush()
    local answer = io.read "l"
    if not answer or answer:find "^%s*[qQ]%s*$" then
      io.stdout:write(answer and "" or "\n")
      os.exit(true)
    end
    if not answer:find "%S" then break end
    run_typed(answer, main)
    asked_before = true
  end
  -- The question was for now: the line goes.
  if not asked_before and os.getenv "TERM" ~= "dumb" then io.stdout:write "\27[A\27[2K" end
end

--- What counts the rows of the screen that are used, and asks where they are.
local function new_screen()
  local screen = {used = 0, main = nil}

  function screen.asked(section)
    ask(section, screen.main)
    screen.used = 0
  end

  --- The rows of a page.
  function screen.rows()
    local _, rows = native.terminal_size()
    return math.max(kLongText, (rows or math.maxinteger) - kQuestionRows)
  end

  function screen.write_lines(lines)
    for _, line in ipairs(lines) do
      if screen.used >= screen.rows() then screen.asked() end
      io.stdout:write(line, "\n")
      screen.used = screen.used + 1
    end
  end

  --- Whether the lesson's main chunk or what it calls of the library writes now: within a function of the lesson a
  --- clock may run.
  local function writes_itself()
    for level = 3, 8 do
      local info = debug.getinfo(level, "Sf")
      if not info or info.func == screen.main then return info ~= nil end
      if not info.source:find "^=%[tide%]" and info.what ~= "C" then return false end
    end
    return false
  end

  --- Counts rows that are written next. A long text is not begun at the end of a screen.
  function screen.make_room(rows)
    local is_full = screen.used > 0 and screen.used + rows > screen.rows()
    if is_full and rows >= kLongText and writes_itself() then screen.asked() end
    screen.used = screen.used + rows
  end

  --- In the place of `print` and `io.write`: lines that are too long are broken between words, and all are counted.
  function screen.watch_output()
    function print(...)
      local texts = table.pack(...)
      for i = 1, texts.n do texts[i] = tostring(texts[i]) end
      local text = native.break_lines(table.concat(texts, "\t"))
      local rows = select(2, text:gsub("\n", "")) + 1
      screen.make_room(rows)
      if rows > screen.rows() and writes_itself() then
        screen.used = screen.used - rows
        return screen.write_lines(screen_lines.split(text))
      end
      io.stdout:write(text, "\n")
    end
    function io.write(...)
      local rows = 0
      for i = 1, select("#", ...) do rows = rows + select(2, tostring((select(i, ...))):gsub("\n", "")) end
      screen.make_room(rows)
      return io.stdout:write(...)
    end
  end

  return screen
end

--- The source of a lesson with calls that show its cells as they are reached. `options`: `pause`, ask
--- before each section but the first and where the screen is full; `color`, color the code. Lines keep their numbers.
function walk.script(source, options)
  local cells, sections, screen = cells_of(source), 0, new_screen()
  local before, after = "", ""
  if options.color then before, after = "\27[36m", "\27[0m" end
  if options.pause then screen.watch_output() end
  --- What the script calls where a cell begins.
  function walk.begin_cell(number)
    local cell = cells[number]
    local lines = lines_of(cell, before, after)
    if cell.heading then sections = sections + 1 end
    if options.pause then
      screen.main = debug.getinfo(2, "f").func
      local begins = cell.heading and sections > 1
      local is_full = screen.used > 0 and screen.used + #lines + foreseen(cell) > screen.rows()
      if begins or is_full then screen.asked(begins and cell.heading or nil) end
      screen.write_lines(lines)
    else
      for _, line in ipairs(lines) do io.stdout:write(line, "\n") end
    end
    io.flush()
  end
  for _, cell in ipairs(cells) do take_heading(cell) end
  return with_calls(source, cells, "tide.lessons.walk")
end

return walk

-- Runs a lesson, showing the comment and the code of each cell before it runs. On a terminal it pauses at the start of
-- each section and when the screen is full, so that at most a screenful is shown at once; Lua that is typed at a pause
-- is run.
local cells_of = require "tide.lessons.cells"
local lines_to_show = require "tide.lessons.lines_to_show"
local native = require "tide.native"
local run_typed = require "tide.lessons.run_typed"
local screen_lines = require "tide.lessons.screen_lines"
local take_heading = require "tide.lessons.take_heading"
local with_calls = require "tide.lessons.with_calls"

local kQuestionRows <const> = 2
local kMostForeseen <const> = 6 -- rows of output that are kept free below a cell's code
local kFewestRows <const> = 5   -- of a page, if the terminal has less

local walk = {}

--- The lines that show a cell. `before` and `after` enclose each line of code.
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

--- The number of rows that a text takes: lines that are wider than the terminal take several.
local function rows_of(text)
  local columns, rows = native.terminal_size(), 0
  for line in text:gsub("\27%[[%d;]*m", ""):gmatch "([^\n]*)\n?" do
    rows = rows + math.max(1, ((utf8.len(line) or #line) + columns - 1) // columns)
  end
  return rows
end

--- Asks until an empty line is entered, and runs other lines. Exits the program at `q` and at the end of the input.
--- `section` is the next section; nil in the middle of one.
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
  -- The line of the question is erased.
  if not asked_before and os.getenv "TERM" ~= "dumb" then io.stdout:write "\27[A\27[2K" end
end

--- Counts the used rows of the screen, and asks when it is full. No question interrupts a cell, which may
--- measure time: output that does not fit on the screen is held back until the cell has ended.
local function new_screen()
  local screen = {used = 0, main = nil}
  local held, is_asking = {}, false

  function screen.asked(section)
    is_asking = true
    ask(section, screen.main)
    is_asking, screen.used = false, 0
  end

  --- Whether the screen has space for this number of rows, and for a question below them.
  function screen.has_space(rows)
    local _, height = native.terminal_size()
    return screen.used + rows <= math.max(kFewestRows, height - kQuestionRows)
  end

  --- Writes a text. Asks first if the rest of the screen is too small for it, and also within a text that is longer
  --- than a screen.
  function screen.write(text)
    if screen.used > 0 and not screen.has_space(rows_of(text)) then screen.asked() end
    for line in text:gmatch "[^\n]*\n?" do
      local rows = rows_of(line)
      if screen.used > 0 and not screen.has_space(rows) then screen.asked() end
      io.stdout:write(line)
      if line:sub(-1) == "\n" then screen.used = screen.used + rows end
    end
  end

  --- Writes output of the lesson, or holds it back. Output of lines typed at a question is not held back.
  local function output(text)
    if is_asking then
      io.stdout:write(text)
    elseif #held > 0 or not screen.has_space(rows_of(text)) then
      held[#held + 1] = text
    else
      screen.write(text)
    end
  end

  --- Writes the output that was held back; without questions if the lesson failed or was interrupted.
  function screen.release(problem)
    local texts = held
    held = {}
    for _, text in ipairs(texts) do
      if problem then io.stdout:write(text) else screen.write(text) end
    end
  end

  --- Replaces `print` and `io.write`: rows are counted, and lines of `print` are wrapped between words.
  function screen.watch_output()
    function print(...)
      local texts = table.pack(...)
      for i = 1, texts.n do texts[i] = tostring(texts[i]) end
      output(native.break_lines(table.concat(texts, "\t")) .. "\n")
    end
    function io.write(...)
      output(table.concat {...})
      return io.stdout
    end
  end

  return screen
end

--- The source of a lesson with calls that show its cells as they are reached. `options`: `pause`, ask
--- before each section except the first and when the screen is full; `color`, color the code. Lines keep their numbers.
function walk.script(source, options)
  local cells, sections, screen = cells_of(source), 0, new_screen()
  local before, after = "", ""
  if options.color then before, after = "\27[36m", "\27[0m" end
  local write = options.pause and screen.write or io.write
  if options.pause then screen.watch_output() end
  --- Called by the script where a cell begins.
  function walk.begin_cell(number)
    local cell = cells[number]
    local lines = lines_of(cell, before, after)
    if cell.heading then sections = sections + 1 end
    if options.pause then
      screen.main = debug.getinfo(2, "f").func
      screen.release()
      local begins = cell.heading and sections > 1
      local is_full = screen.used > 0 and not screen.has_space(#lines + foreseen(cell))
      if begins or is_full then screen.asked(begins and cell.heading or nil) end
    end
    for _, line in ipairs(lines) do write(line .. "\n") end
    io.flush()
  end
  for _, cell in ipairs(cells) do take_heading(cell) end
  local text = with_calls(source, cells, "tide.lessons.walk")
  if not options.pause then return text end
  walk.at_end = setmetatable({}, {__close = function(_, problem) screen.release(problem) end})
  return "local _ <close> = require('tide.lessons.walk').at_end;" .. text
end

return walk

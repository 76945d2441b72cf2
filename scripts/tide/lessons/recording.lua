-- Records the output of a lesson's cells. A separate process runs the lesson; marks in its output
-- separate the cells.
local cells_of = require "tide.lessons.cells"
local notebook = require "tide.display.notebook"
local take_exercises = require "tide.lessons.exercises"
local with_calls = require "tide.lessons.with_calls"

local recording = {}

-- In the process that runs the lesson -------------------------------------------------------------

-- Marks: "\0cell NUMBER\n", "\0clear\n", and "\0form TYPE LENGTH ID\n" followed by LENGTH bytes.

local kForms <const> = {"image/svg+xml", "image/png", "text/html"} -- in order of preference

local function show(forms, id)
  local kind = "text/plain"
  for i = #kForms, 1, -1 do kind = forms[kForms[i]] and kForms[i] or kind end
  io.write(("\0form %s %d %s\n"):format(kind, #forms[kind], id or ""), forms[kind])
end

--- Called by the script where a cell begins.
function recording.begin_cell(number) io.write(("\0cell %d\n"):format(number)) end

--- The source of a lesson that marks its output, without the exercises. Lines keep their numbers.
function recording.script(source)
  io.stdout:setvbuf "no" -- keeps the order of standard output and standard error
  notebook.show = show
  notebook.clear = function() io.write "\0clear\n" end
  local cells = cells_of(source)
  take_exercises(cells)
  return with_calls(source, cells, "tide.lessons.recording")
end

-- In the recording process ------------------------------------------------------------------------

--- Adds text to the outputs of a cell.
local function add_text(outputs, text)
  if text == "" then return end
  local last = outputs[#outputs]
  if not last or last.kind ~= "text/plain" or last.id then
    last = {kind = "text/plain", data = ""}
    outputs[#outputs + 1] = last
  end
  last.data = last.data .. text
end

--- Adds a representation of a value; it replaces the previous one with this id.
local function add_form(outputs, kind, data, id)
  if kind == "text/plain" and not id then return add_text(outputs, data .. "\n") end
  for _, output in ipairs(outputs) do
    if id and output.id == id then
      output.kind, output.data = kind, data
      return
    end
  end
  outputs[#outputs + 1] = {kind = kind, data = data, id = id}
end

--- The outputs in a marked text: a list of {kind = MIME type, data =} for each cell, by
--- its number. Text before all marks belongs to the first cell.
local function read(text)
  local cells, place = {{}}, 1
  local outputs = cells[1]
  while place <= #text do
    local from, last, word, rest = text:find("^%z(%l+) ?([^\n]*)\n", place)
    if not from then
      local stop = text:find("\0", place + 1, true) or #text + 1
      add_text(outputs, text:sub(place, stop - 1))
      place = stop
    elseif word == "form" then
      local kind, length, id = rest:match "^(%S+) (%d+) (.*)$"
      add_form(outputs, kind, text:sub(last + 1, last + length), id ~= "" and id or nil)
      place = last + 1 + length
    else
      if word == "cell" then
        local number = tonumber(rest)
        cells[number] = cells[number] or {}
        outputs = cells[number]
      else
        for i = #outputs, 1, -1 do outputs[i] = nil end
      end
      place = last + 1
    end
  end
  return cells
end

local function quoted(word) return "'" .. word:gsub("'", "'\\''") .. "'" end

local kCommand <const> = "exec /proc/$PPID/exe --lesson-recorder %s </dev/null 2>&1"

--- Runs the lesson at a path with these arguments, for at most `seconds` if given. Returns the outputs
--- of its cells, by number, and whether it ran to the end; if not, the last outputs end with the error.
function recording.of(path, words, seconds)
  local command = seconds and {"--time-limit", ("%d"):format(seconds)} or {}
  command[#command + 1] = quoted(path)
  for _, word in ipairs(words) do command[#command + 1] = quoted(word) end
  local pipe = assert(io.popen(kCommand:format(table.concat(command, " "))))
  local text = pipe:read "a"
  local succeeded = pipe:close() == true
  return read(text), succeeded
end

return recording

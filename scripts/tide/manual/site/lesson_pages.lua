-- Pages of lessons: comments become text, the rest is code with its output.
local cells_of = require "tide.lessons.cells"
local html = require "tide.manual.site.html"
local lesson_cells = require "tide.manual.site.lesson_cells"
local native = require "tide.native"
local recording = require "tide.lessons.recording"
local solution_mark = require "tide.lessons.solution_mark"
local take_exercises = require "tide.lessons.exercises"

local lesson_pages = {}

--- The lesson at a path: {path, name, title, file}; file is its page on the site.
function lesson_pages.lesson(path)
  local first = native.read_embedded(path):match "^%-%- ([^\n]*)"
  local name = path:match "([^/]*)%.lua$"
  return {
    path = path, name = name, file = "lesson-" .. name .. ".html",
    title = first:match "^(Lesson %d+: [^.?]*%??)" or first,
  }
end

--- The lessons in order.
function lesson_pages.list()
  local list = {}
  for _, path in ipairs(native.list_embedded "lessons/") do
    if path:find "^lessons/%d" then list[#list + 1] = lesson_pages.lesson(path) end
  end
  return list
end

--- The number of the exercise whose answer begins with this cell: the number in the heading that it prints, or in
--- its comment if the answers are functions that are checked.
local function exercise_of(cell, checked)
  for _, line in ipairs(checked and cell.text or cell.code) do
    local number = line:match(checked and "^(%d+)%. " or '^heading "(%d+)%. ')
    if number then return tonumber(number) end
  end
end

--- Removes the first paragraph from a comment's lines.
local function take_paragraph(lines)
  while lines[1] and lines[1]:find "%S" do table.remove(lines, 1) end
end

--- The code without solution marks, and without the code from which a learner starts.
local function solved(code)
  local kept, part = {}, nil
  for _, line in ipairs(code) do
    local mark = solution_mark(line)
    part = mark or part
    if not mark and part ~= "Start" then kept[#kept + 1] = line end
  end
  return kept
end

--- The cells of the answers by the number of the exercise; those before the first as `common`, those
--- that check the answers as `checks`. Each is {cell, number of the cell}.
local function answers_of(path)
  local source = native.read_embedded(path)
  local checked = source:find "\nexercises {" ~= nil
  local answers = {common = {}, checks = {}}
  local present = answers.common
  for number, cell in ipairs(cells_of(source)) do
    local exercise = exercise_of(cell, checked)
    if exercise then
      if checked then cell.code = solved(cell.code) else take_paragraph(cell.text) end
      present = {}
      answers[exercise] = present
    elseif number == 1 then
      cell.text = {} -- it describes the file
    elseif checked and present ~= answers.common then
      present = answers.checks
    end
    present[#present + 1] = {cell, number}
  end
  return answers
end

--- The arguments of a lesson that also apply to its answers.
local function words_for_answers(words)
  local taken = {}
  for i, word in ipairs(words) do
    if word == "--device" then taken = {word, words[i + 1]} end
    if word:find "^%-%-device=" then taken = {word} end
  end
  return taken
end

local kFailed <const> = '<p class="problem">%s failed when this page was written: what '
  .. 'it printed ends with the error.</p>'

local function add_folded(page, summary, cells, outputs)
  page[#page + 1] = '<details class="folded"><summary>' .. summary .. "</summary>"
  for _, entry in ipairs(cells) do
    lesson_cells.add(page, entry[1], outputs[entry[2]])
  end
  page[#page + 1] = "</details>"
end

--- Adds the exercises, each with its folded answer. Returns whether the answers ran without errors.
local function add_exercises(page, exercises, lesson, words, seconds)
  if not exercises[1] then return true end
  local path = "lessons/answers/" .. lesson.name .. ".lua"
  local answers = answers_of(path)
  local outputs, succeeded = recording.of(path, words_for_answers(words), seconds)
  page[#page + 1] = '<h2 id="exercises">Exercises</h2>'
  if not succeeded then page[#page + 1] = kFailed:format "The script of the answers" end
  page[#page + 1] = lesson_cells.words(exercises.intro)
  page[#page + 1] = "<ol>"
  for i, text in ipairs(exercises) do
    page[#page + 1] = "<li>" .. lesson_cells.words {text}
    add_folded(page, "Answer", answers[i], outputs)
    page[#page + 1] = "</li>"
  end
  page[#page + 1] = "</ol>"
  add_folded(page, "Common code of all answers", answers.common, outputs)
  if answers.checks[1] then add_folded(page, "Checks of the answers", answers.checks, outputs) end
  return succeeded
end

--- The body of a lesson's page; its entries in the search index, {title, anchor, text}; and whether the lesson and
--- its answers ran to the end. The lesson is run with these arguments, for at most `seconds` if given.
function lesson_pages.body(lesson, words, seconds)
  local headings = {{title = lesson.title, anchor = "", text = ""}}
  local page = {pictures = 0, "<h1>" .. html.escape(lesson.title) .. "</h1>"}
  local cells = cells_of(native.read_embedded(lesson.path))
  local exercises = take_exercises(cells)
  local outputs, succeeded = recording.of(lesson.path, words, seconds)
  if not succeeded then page[#page + 1] = kFailed:format "The lesson" end
  cells[1].text[1] = cells[1].text[1]:sub(#lesson.title + 1):gsub("^%. ?", "")
  for number, cell in ipairs(cells) do
    if cell.heading then
      local title = lesson.title .. ": " .. cell.heading
      headings[#headings + 1] = {title = title, anchor = html.id(cell.heading), text = ""}
    end
    local heading = headings[#headings]
    heading.text = heading.text .. " " .. table.concat(cell.text, " ")
    lesson_cells.add(page, cell, outputs[number])
  end
  local answered = add_exercises(page, exercises, lesson, words, seconds)
  return table.concat(page, "\n"), headings, succeeded and answered
end

return lesson_pages

-- `tide lesson N --html`: a lesson as a standalone page.
local html = require "tide.manual.site.html"
local lesson_pages = require "tide.manual.site.lesson_pages"
local native = require "tide.native"

--- Writes the page of a lesson to a file, or to standard output if the name is empty; the other arguments are
--- the lesson's. Returns an error message, if any.
return function(path, file, ...)
  local lesson = lesson_pages.lesson(path)
  local body, _, succeeded = lesson_pages.body(lesson, {...})
  local text = html.lone_page(lesson.title, body)
  if file == "" then io.write(text) else native.write_file(file, text) end
  if not succeeded then return "lesson: the lesson failed: the page ends with the error" end
end

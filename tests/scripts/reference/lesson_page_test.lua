-- `tide lesson N --html`: a standalone page with the output of the lesson.
local test = require "tide.test"
local describe, it, equal, is_true = test.describe, test.it, test.same_type, test.is_true

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local run = dofile(here .. "/../support/program.lua")

local function count(text, part) return select(2, text:gsub(part:gsub("%p", "%%%0"), "")) end

--- The text of the file that `tide lesson` writes, the program's messages, and whether it succeeded.
local function page_of(lesson, words)
  local path = os.tmpname()
  local said, succeeded = run(("lesson %s --html '%s' %s"):format(lesson, path, words))
  local file <close> = assert(io.open(path))
  os.remove(path)
  return file:read "a", said, succeeded
end

describe("tide lesson --html", function()
  it("writes a page that needs no other files", function()
    local page, said, succeeded = page_of("1", "--device cpu")
    is_true(succeeded, said)
    equal(said, "")
    is_true(page:find("^<!doctype html>") and page:find("</html>%s*$"))
    equal({count(page, "<link"), count(page, " src="), count(page, "http")}, {0, 0, 0})
    is_true(page:find("<style>", 1, true) and page:find("<h1>Lesson 1: tensors</h1>", 1, true))
    equal(page, (run "lesson 1 --html --device cpu"))
  end)
  it("shows the outputs of a part after its code, and each heading once", function()
    local page = page_of("1", "--device cpu")
    local code = page:find('local</span> name, year = <span class="s">&quot;Lua&quot;', 1, true)
    local output = page:find('<pre class="output">  Lua is from 1993; half of that is 996.50</pre>', 1, true)
    local next_part = page:find('<span class="k">local</span> list = {', 1, true)
    is_true(code and output and next_part and code < output and output < next_part)
    is_true(page:find(">1. As much Lua as you need</h2>", 1, true))
    equal({count(page, "1. As much Lua as you need"), count(page, "----")}, {1, 0})
  end)
  it("shows drawings verbatim", function()
    is_true(page_of("1", "--device cpu"):find("<pre><code>        100          1 2 3", 1, true))
  end)
  it("folds the answers below the exercises, with their outputs", function()
    local page = page_of("1", "--device cpu")
    local exercises = page:match '<h2 id="exercises">.*'
    equal(count(exercises, "<summary>Answer</summary>"), 3)
    equal(count(exercises, "<li>"), 3)
    is_true(exercises:find('<pre class="output">', 1, true))
    is_true(not page:find("shows answers", 1, true))
  end)
  it("has the solutions of checked exercises without the learner's starting code", function()
    local page, said, succeeded = page_of("26", "--device cpu")
    is_true(succeeded, said)
    local exercises = page:match '<h2 id="exercises">.*'
    is_true(exercises:find("tide lesson 26 --exercises", 1, true))
    equal(count(exercises, "<summary>Answer</summary>"), 3)
    equal({count(exercises, "Start:"), count(exercises, "Solution:"), count(exercises, "-- End")}, {0, 0, 0})
    local checks = exercises:match "<summary>Checks of the answers</summary>.*"
    equal(count(checks, ": solved"), 3)
  end)
  it("has figures as images with unique ids, as text without gnuplot", function()
    local page = page_of("5", "--digits 8 --epochs 1 --device cpu")
    local has_gnuplot = os.execute "command -v gnuplot >/dev/null"
    if not has_gnuplot then return is_true(page:find("[\u{2580}-\u{259F}]")) end
    is_true(count(page, "<svg") >= 2)
    local ids = {}
    for id in page:gmatch " id=[\"']([^\"']*)" do
      is_true(not ids[id], id)
      ids[id] = true
    end
    for id in page:gmatch "href=[\"']#([^\"']*)" do is_true(ids[id], id) end
  end)
  it("describes an image's size for screen readers", function()
    local png = require "tide.vision".encode_png(require "tide".zeros({3, 20, 30}, {dtype = "uint8"})):bytes()
    local shown = require "tide.manual.site.output_html"["image/png"](png)
    is_true(shown:find('alt="image of 30 x 20 pixels"', 1, true), shown)
  end)
  it("has the error of a lesson that fails", function()
    local page, said, succeeded = page_of("1", "--no-such-option 1")
    is_true(not succeeded)
    is_true(said:find("lesson: the lesson failed: the page ends with the error", 1, true), said)
    is_true(page:find('<p class="problem">The lesson failed', 1, true))
    is_true(page:find("lessons/01_tensors.lua:12: args: unknown option --no_such_option", 1, true))
    is_true(page:find("7. A first slope</h2>", 1, true), "cells that were not reached are shown without outputs")
  end)
end)

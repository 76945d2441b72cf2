-- Every lesson runs on an accelerator and on the cpu, its claims hold, and a terminal shows it screen by screen.
local tide = require "tide"
local json = require "tide.internal.json"
local test = require "tide.test"

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local run = dofile(here .. "/../support/program.lua")
local describe, it = test.describe, test.it

-- In a terminal, with Enter at each question: fails if a screen has too many lines.
local in_terminal = ("python3 -B '%s/../support/screens.py'"):format(here)
local accelerator = tide.cuda.is_available() and "cuda" or "sim"

local function output_of(arguments, before)
  local output, succeeded = run("lesson " .. arguments, before)
  if not succeeded then error(output, 3) end
  return output
end

--- Numbers and names of the lessons, as `tide lesson` lists them.
local lessons = {}
for number, name in output_of(""):gmatch("(%d%d)_([%w_]+)%s") do
  lessons[#lessons + 1] = {number = tonumber(number), name = name}
end

describe("lesson", function()
  it("numbers are consecutive", function()
    test.is_true(#lessons >= 26)
    for i, lesson in ipairs(lessons) do test.equal(lesson.number, i) end
  end)

  it("titles are complete sentences", function()
    for line in output_of(""):gmatch("%d%d_[^\n]*") do
      assert(line:match("Lesson %d+: .*[.?]$") and #line <= 120, line)
    end
  end)

  it("names of the D2L book use the requested device", function()
    test.is_true(output_of("contexts --device sim"):find("tide.gpu(0)       sim:0", 1, true))
    test.is_true(output_of("contexts --device cpu"):find("tide.gpu(0)       cuda:0", 1, true))
  end)

  it("is a notebook with each line of the script's code except its headings and exercises", function()
    for _, lesson in ipairs(lessons) do
      local notebook = json.decode(output_of(lesson.name .. " --notebook"))
      test.equal({notebook.nbformat, notebook.metadata.kernelspec.name}, {4, "tide"})
      local code, ids = {}, {}
      for i, cell in ipairs(notebook.cells) do
        assert(not ids[cell.id], "each cell has an id of its own")
        ids[cell.id] = true
        local text = table.concat(cell.source)
        -- Code follows text; a section that only prints its heading has no code.
        if cell.cell_type == "code" then test.equal(notebook.cells[i - 1].cell_type, "markdown") end
        if cell.cell_type == "code" then
          assert(load(text), text)
          code[#code + 1] = text
        end
      end
      local script = output_of(lesson.name .. " --show"):gsub("\nheading[ (][^\n]*", "")
        :gsub("\nlocal function heading[^\n]*", "")
        :gsub("\nprint %[%[\n\nExercises\n.-%]%]", "")
      local last = notebook.cells[#notebook.cells]
      test.equal(last.cell_type, "markdown")
      test.is_true(table.concat(last.source):find "^## Exercises\n.*\n1%. .*\n2%. ")
      local function squeezed(text) return (text:gsub("\n%-%-[^\n]*", ""):gsub("%s+", "")) end
      test.equal(squeezed("\n" .. table.concat(code, "\n")), squeezed("\n" .. script))
    end
  end)

  for _, lesson in ipairs(lessons) do
    it(("%d passes on an accelerator, at most 24 rows at a time"):format(lesson.number), function()
      output_of(lesson.name .. " --device " .. accelerator, in_terminal)
    end)
    it(("%d passes on the cpu"):format(lesson.number), function()
      output_of(lesson.name .. " --device cpu")
    end)
  end
end)

-- The manual: a page in Markdown for each family of names, made from the reference.
local entries = require "tide.reference"
local example = require "tide.reference.example"
local facts = require "tide.reference.facts"
local native = require "tide.native"
local notes = require "tide.reference.notes"
local pages = require "tide.reference.pages"
local parameters = require "tide.reference.parameters"
local sections = require "tide.reference.sections"

local manual = {}

local function write_parameters(write, given)
  for _, parameter in ipairs(given) do
    local default = parameter.default and " = " .. parameter.default or ""
    write(("- `%s`: %s%s: %s"):format(parameter.name, parameter.type, default, parameter.about))
  end
end

local function write_group(write, group)
  local entry = sections.fullest(group)
  write("### " .. entry.name:gsub("([*_<>|])", "\\%1") .. "\n\n```lua")
  for _, form in ipairs(group) do
    write(form.signature .. (form.results and " -> " .. form.results or ""))
  end
  write("```\n" .. entry.doc .. ".\n")
  write_parameters(write, entry.parameters)
  if entry.call then
    write("- called with `" .. parameters.text(entry.call) .. "`")
    write_parameters(write, entry.call)
  end
  for _, note in ipairs(notes.list(entry)) do write(("- %s: %s"):format(note.title, note.text)) end
  local known = facts.of(entry)
  if known then
    write(("- types of `%s`: %s"):format(known.subject, known.types))
    write("- shapes, as in the example: " .. known.shapes)
    write(("- gradient: %s; waits: %s"):format(known.gradient and "yes" or "no",
      known.waits and "yes" or "no"))
  end
  write("\n```lua\n" .. table.concat(example.lines(entry.example), "\n") .. "\n```\n")
end

--- "A table of parts" for the title "joining" of a family of ops; other families are their title.
local function page_text(page)
  local lines = {}
  local function write(line) lines[#lines + 1] = line end
  write("# " .. page.title .. "\n\n" .. page.about .. "\n")
  for _, family in ipairs(page.families) do
    write("## " .. family:gsub("^%l", string.upper) .. "\n")
    for _, group in ipairs(sections.of(family)) do write_group(write, group) end
  end
  return table.concat(lines, "\n")
end

local kAbout = [[
# Reference of tide

Made by `tide manual` from the rows that the functions are registered from. `tide help NAME` shows
the same at the prompt.

- An argument with `?` may be left out, or be given by name in a table at the end: `x:sum(1, true)`
  is `x:sum(1, {keepdim = true})`.
- Dimensions and positions count from 1, negative ones from the end.
- Calls do not wait for the device unless their page says so.
- Each example is run as a test. `-->` shows what it gives, numbers with four digits. `nn`, `F`,
  `optim` and `autograd` stand for `tide.nn`, `tide.nn.functional`, `tide.optim`, `tide.autograd`.

]]

local function index_text()
  local lines = {}
  for _, page in ipairs(pages) do
    local names, seen = {}, {}
    for _, family in ipairs(page.families) do
      for _, group in ipairs(sections.of(family)) do
        local name = group[1].name
        if not seen[name] then names[#names + 1] = "`" .. name .. "`" end
        seen[name] = true
      end
    end
    lines[#lines + 1] = ("## [%s](%s.md)\n\n%s\n"):format(page.title, page.name,
      table.concat(names, " "))
  end
  return kAbout .. table.concat(lines, "\n")
end

--- The families that no page holds, which the tests want to be none.
function manual.left_out()
  local held, missing = {}, {}
  for _, page in ipairs(pages) do
    for _, family in ipairs(page.families) do held[family] = true end
  end
  for _, entry in ipairs(entries) do
    if not held[entry.family] then
      held[entry.family] = true
      missing[#missing + 1] = entry.family
    end
  end
  return missing
end

--- Writes the pages and README.md, their index, into a folder that exists; gives a line about them.
function manual.write(folder)
  for _, page in ipairs(pages) do
    native.write_file(folder .. "/" .. page.name .. ".md", page_text(page))
  end
  native.write_file(folder .. "/README.md", index_text())
  return ("%d pages and README.md in %s"):format(#pages, folder)
end

return manual

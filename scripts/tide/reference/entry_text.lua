-- The text of the reference on one name, for a terminal.
local example = require "tide.reference.example"
local facts = require "tide.reference.facts"
local lines = require "tide.reference.lines"
local notes = require "tide.reference.notes"
local parameters = require "tide.reference.parameters"
local sections = require "tide.reference.sections"

local kIndent <const> = "    "

--- "boolean = true".
local function type_text(parameter)
  local text = parameter.type or "any"
  if parameter.default then return text .. " = " .. parameter.default end
  return text
end

local kWidestType <const> = 34

local function add_parameters(list, given)
  local name_width, type_width = 0, 0
  for _, parameter in ipairs(given) do
    name_width = math.max(name_width, #parameter.name)
    local width = #type_text(parameter)
    if width <= kWidestType then type_width = math.max(type_width, width) end
  end
  for _, parameter in ipairs(given) do
    local head = kIndent .. parameter.name .. (" "):rep(name_width - #parameter.name + 2)
    local type, width = type_text(parameter), #head + type_width + 2
    if #type > kWidestType then
      lines.add(list, head, type)
      head = (" "):rep(width)
    else
      head = head .. type .. (" "):rep(type_width - #type + 2)
    end
    lines.add(list, head, parameter.about or "")
  end
end

local function add_group(list, group)
  for _, entry in ipairs(group) do
    local results = entry.results and " -> " .. entry.results or ""
    for i, line in ipairs(lines.wrapped(entry.signature .. results, lines.columns - #kIndent)) do
      list[#list + 1] = i == 1 and line or kIndent .. line
    end
  end
  local entry = sections.fullest(group)
  lines.add(list, kIndent, entry.doc)
  add_parameters(list, entry.parameters)
  if entry.call then
    lines.add(list, kIndent, "called with " .. parameters.text(entry.call))
    add_parameters(list, entry.call)
  end
  for _, note in ipairs(notes.list(entry)) do
    lines.add(list, kIndent .. note.title .. ": ", note.text)
  end
  local known = facts.text(entry)
  if known then lines.add(list, kIndent, known) end
  for _, line in ipairs(example.lines(entry.example)) do
    list[#list + 1] = kIndent .. "> " .. line
  end
end

--- The text on entries of one name.
local function entry_text(entries)
  local list = {}
  for _, group in ipairs(sections.divide(entries)) do add_group(list, group) end
  return table.concat(list, "\n")
end

return entry_text

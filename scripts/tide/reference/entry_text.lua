-- The text of the reference on one name, for a terminal.
local example = require "tide.reference.example"
local facts = require "tide.reference.facts"
local lines = require "tide.reference.lines"
local notes = require "tide.reference.notes"

local kIndent <const> = "    "

--- "boolean = true".
local function type_text(parameter)
  local text = parameter.type or "any"
  if parameter.default then return text .. " = " .. parameter.default end
  return text
end

local kWidestType <const> = 34

local function add_parameters(list, parameters)
  local name_width, type_width = 0, 0
  for _, parameter in ipairs(parameters) do
    name_width = math.max(name_width, #parameter.name)
    local width = #type_text(parameter)
    if width <= kWidestType then type_width = math.max(type_width, width) end
  end
  for _, parameter in ipairs(parameters) do
    local head = kIndent .. parameter.name .. (" "):rep(name_width - #parameter.name + 2)
    local type, width = type_text(parameter), #head + type_width + 2
    if #type > kWidestType then
      list[#list + 1] = head .. type
      head = (" "):rep(width)
    else
      head = head .. type .. (" "):rep(type_width - #type + 2)
    end
    lines.add(list, head, parameter.meaning or "")
  end
end

--- The form of a group that names all arguments: the longest.
local function fullest(group)
  local best = group[1]
  for _, entry in ipairs(group) do
    if #entry.parameters > #best.parameters then best = entry end
  end
  return best
end

local function add_group(list, group)
  for _, entry in ipairs(group) do
    local results = entry.results and " -> " .. entry.results or ""
    for i, line in ipairs(lines.wrapped(entry.signature .. results, lines.columns - #kIndent)) do
      list[#list + 1] = i == 1 and line or kIndent .. line
    end
  end
  local entry = fullest(group)
  lines.add(list, kIndent, entry.doc)
  add_parameters(list, entry.parameters)
  for _, field in ipairs(notes.fields) do
    local text = notes.of(entry, field[1])
    if text and field[1] == "see" then
      text = table.concat(notes.other_names(entry, text), ", ")
    end
    if text and text ~= "" and text ~= entry.doc then
      lines.add(list, kIndent .. field[2] .. ": ", text)
    end
  end
  local known = facts.text(entry)
  if known then lines.add(list, kIndent, known) end
  for _, line in ipairs(example.lines(entry.example)) do list[#list + 1] = kIndent .. "> " .. line end
end

--- The text on entries of one name. Forms of one op, such as x:f() and tide.f(), share what is said
--- about them.
local function entry_text(entries)
  local list, group = {}, {}
  for i, entry in ipairs(entries) do
    group[#group + 1] = entry
    local following = entries[i + 1]
    local shared = following and following.doc == entry.doc and following.example == entry.example
    if not shared then
      add_group(list, group)
      group = {}
    end
  end
  return table.concat(list, "\n")
end

return entry_text

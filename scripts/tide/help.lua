-- tide.help: the text of the reference on a name, a value or a family.
local example = require "tide.reference.example"
local entries = require "tide.reference"
local facts = require "tide.reference.facts"
local nearest = require "tide.internal.nearest"
local value_of = require "tide.reference.value_of"
local tide = require "tide"

-- Entries by what a reader may ask for: "mv", "x:mv", "F.relu", tide.mv, "nn.Linear", "Time".
local by_key = {}

local function add(key, entry)
  by_key[key] = by_key[key] or {}
  table.insert(by_key[key], entry)
end

for _, entry in ipairs(entries) do
  add(entry.name, entry)
  if entry.called_as ~= entry.name then add(entry.called_as, entry) end
  local functional = entry.called_as:match "^tide%.nn%.functional%.(.*)"
  if functional then add("F." .. functional, entry) end
  local inside = entry.called_as:match "^tide%.(.*)" -- as after local nn = tide.nn
  if inside and inside ~= entry.name then add(inside, entry) end
end

local function entries_text(list)
  local lines = {}
  for i, entry in ipairs(list) do
    lines[#lines + 1] = entry.signature
    local following = list[i + 1]
    -- Forms of one op, such as x:f() and tide.f(), share what is said about them.
    local shared = following and following.doc == entry.doc and following.example == entry.example
    if not shared then
      lines[#lines + 1] = "    " .. entry.doc
      local known = facts.text(entry)
      if known then lines[#lines + 1] = "    " .. known end
      for _, line in ipairs(example.lines(entry.example)) do
        lines[#lines + 1] = "    > " .. line
      end
    end
  end
  return table.concat(lines, "\n")
end

--- The signatures of a family; nil if there is none of that name.
local function family_text(name)
  local lines = {}
  for _, entry in ipairs(entries) do
    if entry.family == name then lines[#lines + 1] = entry.signature end
  end
  return lines[1] and table.concat(lines, "\n")
end

local kColumns <const> = 100

--- As many of the names as fit into a line of that width.
local function names_line(names, width)
  local line = names[1]
  for i = 2, #names do
    local longer = line .. ", " .. names[i]
    if #longer > width - (i < #names and #", ..." or 0) then return line .. ", ..." end
    line = longer
  end
  return line
end

--- A line for each family: what it is called, and the first of its names.
local function overview()
  local families, names_in, widest = {}, {}, 0
  for _, entry in ipairs(entries) do
    local names = names_in[entry.family]
    if not names then
      names = {}
      names_in[entry.family] = names
      families[#families + 1] = entry.family
      widest = math.max(widest, #entry.family)
    end
    -- Forms that write into x go without saying.
    local name = entry.name
    if not names[name] and not names[name:sub(-1) == "_" and name:sub(1, -2)] then
      names[name] = true
      names[#names + 1] = name
    end
  end
  local lines = {
    "On a name: tide.help \"softmax\", ?softmax at the prompt, `tide help softmax` in a shell.",
    "On a family, with all that is in it: tide.help \"reduction\". These are the families:",
  }
  for _, family in ipairs(families) do
    lines[#lines + 1] = ("  %s%s  %s"):format(family, (" "):rep(widest - #family),
      names_line(names_in[family], kColumns - widest - 4))
  end
  return table.concat(lines, "\n")
end

--- Names that begin like what was asked for, else the one that is spelt nearly so.
local function similar_names(name)
  local start, found, names = name:sub(1, math.max(3, #name - 2)), {}, {}
  for _, entry in ipairs(entries) do
    if entry.name:sub(1, #start) == start and not names[entry.name] then
      found[#found + 1] = entry.name
    end
    names[entry.name] = true
  end
  if #found == 0 then found[1] = nearest(name, names) end
  if #found == 0 then return "; help without a name lists what there is" end
  return "; near it: " .. table.concat(found, ", ", 1, math.min(#found, 5))
end

--- The entries of a function or class; those of an op are all of its name: x:mv, tide.mv.
local function entries_of_value(value)
  local found = {}
  for _, entry in ipairs(entries) do
    if value_of(entry.called_as) == value then
      if entry.parameters then return by_key[entry.name] end
      found[#found + 1] = entry
    end
  end
  return found
end

--- The text of the reference on a name, a function, or a family of them; without one, the families.
-- Behind a text that says that there is none stands false.
local function help(asked)
  if asked == nil then return overview() end
  if type(asked) == "string" then
    local text = by_key[asked] and entries_text(by_key[asked]) or family_text(asked)
    if text then return text end
    return ("there is no help on '%s'%s"):format(asked, similar_names(asked)), false
  end
  local found = entries_of_value(asked)
  if found[1] then return entries_text(found) end
  if type(asked) == "function" then return "a function that has no help" end
  if tide.is_tensor(asked) then return "a tensor: see tide.help(\"Asking a tensor\")" end
  return "a value of type " .. type(asked)
end

return help

-- tide.help: the text of the reference on a name, a value or a family.
local example = require "tide.reference.example"
local entries = require "tide.reference"
local facts = require "tide.reference.facts"
local value_of = require "tide.reference.value_of"
local tide = require "tide"

-- Entries by what a reader may ask for: "mv", "x:mv", "F.relu", tide.mv, "Time".
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

local function overview()
  local lines = {"tide.help(name) explains one name, tide.help(family) lists those of a family:"}
  local seen = {}
  for _, entry in ipairs(entries) do
    if not seen[entry.family] then
      seen[entry.family] = true
      lines[#lines + 1] = "  " .. entry.family
    end
  end
  return table.concat(lines, "\n")
end

--- Names that contain, or begin like, what was asked for.
local function similar_names(name)
  local start, found = name:sub(1, math.max(3, #name - 2)), {}
  for _, entry in ipairs(entries) do
    if entry.name:sub(1, #start) == start and not found[entry.name] then
      found[entry.name] = true
      found[#found + 1] = entry.name
    end
  end
  if #found == 0 then return "" end
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
local function help(asked)
  if asked == nil then return overview() end
  if type(asked) == "string" then
    if by_key[asked] then return entries_text(by_key[asked]) end
    return family_text(asked) or ("there is no help on '%s'%s"):format(asked, similar_names(asked))
  end
  local found = entries_of_value(asked)
  if found[1] then return entries_text(found) end
  if type(asked) == "function" then return "a function that has no help" end
  if tide.is_tensor(asked) then return "a tensor: see tide.help(\"Asking a tensor\")" end
  return "a value of type " .. type(asked)
end

return help

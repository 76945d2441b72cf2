-- Finds entries of the reference by what a reader may call them.
local entries = require "tide.reference"
local nearest = require "tide.internal.nearest"
local value_of = require "tide.reference.value_of"

local lookup = {}

-- Entries by name: "mv", "x:mv", "F.relu", "tide.mv", "nn.Linear". And names by their small
-- letters.
local by_key, by_letters = {}, {}

local function add(key, entry)
  if not by_key[key] then
    by_key[key] = {}
    local letters = key:lower()
    by_letters[letters] = by_letters[letters] or {}
    table.insert(by_letters[letters], key)
  end
  table.insert(by_key[key], entry)
end

for _, entry in ipairs(entries) do
  add(entry.name, entry)
  if entry.called_as ~= entry.name then add(entry.called_as, entry) end
  local functional = entry.called_as:match "^tide%.nn%.functional%.(.*)"
  if functional then add("F." .. functional, entry) end
  local inside = entry.called_as:match "^tide%.(.*)" -- as after local nn = tide.nn
  if inside and inside ~= entry.name then add(inside, entry) end
  local plan = inside and inside:match "^optim%.(lr_scheduler%..*)"
  if plan then add(plan, entry) end
end

--- The entries of a name as it is written; nil if there are none.
function lookup.exact(name) return by_key[name] end

--- The entries of a name in large or small letters; nil if there are none.
function lookup.by_letters(name)
  local found, seen = {}, {}
  for _, key in ipairs(by_letters[name:lower()] or {}) do
    for _, entry in ipairs(by_key[key]) do
      if not seen[entry] then found[#found + 1] = entry end
      seen[entry] = true
    end
  end
  return found[1] and found
end

local kMostSimilar <const> = 5

--- Names that are near to one that there is not, the best first: what begins so, what differs by
--- few letters, and what begins alike.
function lookup.similar(name)
  local known, found, seen = {}, {}, {}
  for _, entry in ipairs(entries) do known[entry.name] = true end
  local function add_name(other)
    if other and not seen[other] and #found < kMostSimilar then found[#found + 1] = other end
    seen[other or ""] = true
  end
  local function add_beginning(start)
    for _, entry in ipairs(entries) do
      if entry.name:sub(1, #start):lower() == start then add_name(entry.name) end
    end
  end
  add_beginning(name:lower())
  add_name(nearest(name, known))
  add_beginning(name:sub(1, math.max(3, #name - 2)):lower())
  return found
end

--- The entries of a function or class; those of an op are all of its name: x:mv, tide.mv.
function lookup.of_value(value)
  local found = {}
  for _, entry in ipairs(entries) do
    if value_of(entry.called_as) == value then
      if entry.row then return by_key[entry.name] end
      found[#found + 1] = entry
    end
  end
  return found
end

return lookup

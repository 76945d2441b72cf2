-- Sections of the reference: entries that share a text, as the forms x:f() and tide.f() of an op
-- do.
local entries = require "tide.reference"

local sections = {}

--- Neighbours of a list of entries whose text and example are the same, in lists.
function sections.divide(list)
  local groups, last = {}, nil
  for _, entry in ipairs(list) do
    if last and last.doc == entry.doc and last.example == entry.example then
      table.insert(groups[#groups], entry)
    else
      groups[#groups + 1] = {entry}
    end
    last = entry
  end
  return groups
end

local by_family -- made when it is first needed

--- The sections of a family, in order.
function sections.of(family)
  if not by_family then
    by_family = {}
    for _, entry in ipairs(entries) do
      by_family[entry.family] = by_family[entry.family] or {}
      table.insert(by_family[entry.family], entry)
    end
  end
  return sections.divide(by_family[family] or {})
end

--- The form that names all arguments: the longest.
function sections.fullest(group)
  local best = group[1]
  for _, entry in ipairs(group) do
    if #entry.parameters > #best.parameters then best = entry end
  end
  return best
end

return sections

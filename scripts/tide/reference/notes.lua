-- The notes of the reference for a name, besides its row and parameters: a formula, shapes, what waits, errors, and
-- related names.
local lookup = require "tide.reference.lookup"
local row_notes = require "tide.reference.row_notes"

local notes = {}

--- The fields in display order, and their titles.
notes.fields = {
  {"formula", "formula"}, {"shapes", "shapes"}, {"counts", "counts from 1"}, {"waits", "waits"},
  {"errors", "errors"}, {"see", "see also"},
}

--- The text of a field of an entry; nil if there is none.
function notes.of(entry, field)
  if entry.declared then return entry.declared[field] end
  return row_notes.of(entry, field)
end

--- The names of a `see` without the entry's own, as of x:f in tide.f: a list.
function notes.other_names(entry)
  local names = {}
  for name in (notes.of(entry, "see") or ""):gmatch "%S+" do
    local found = lookup.exact(name)
    local is_own = found and found[1].name == entry.name and found[1].doc == entry.doc
    if not is_own then names[#names + 1] = name end
  end
  return names
end

--- All notes of an entry, in order: {field, title, text}, except text that is already in the row.
function notes.list(entry)
  local list = {}
  for _, field in ipairs(notes.fields) do
    local name, title = field[1], field[2]
    local text = notes.of(entry, name)
    if name == "see" then text = table.concat(notes.other_names(entry), ", ") end
    if text and text ~= "" and text ~= entry.doc then
      list[#list + 1] = {field = name, title = title, text = text}
    end
  end
  return list
end

return notes

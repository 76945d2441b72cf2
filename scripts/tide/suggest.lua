-- Finds what a misspelt name may have been meant to be.

--- The least number of letters to insert, drop, change or swap with the next to turn a into b
--- (optimal string alignment distance).
local function distance(a, b)
  local before, last, row = {}, {}, {}
  for j = 0, #b do last[j] = j end
  for i = 1, #a do
    row = {[0] = i}
    for j = 1, #b do
      local differs = a:byte(i) ~= b:byte(j)
      row[j] = math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (differs and 1 or 0))
      if i > 1 and j > 1 and a:byte(i) == b:byte(j - 1) and a:byte(i - 1) == b:byte(j) then
        row[j] = math.min(row[j], before[j - 2] + 1)
      end
    end
    before, last = last, row
  end
  return row[#b] or #a
end

--- The names that stand in such a place: "global", or "field" and "method" of what tide has.
local function names_of(kind)
  local names = {}
  if kind == "global" then
    for name in pairs(_G) do names[name] = true end
  else
    local separator = kind == "method" and ":" or "."
    for _, entry in ipairs(require "tide.reference") do
      if entry.called_as:find(separator, 1, true) then names[entry.name] = true end
    end
  end
  return names
end

--- For Lua's message on a nil value that has a name, "; did you mean 'ones'?"; else "".
local function suggest(message)
  local kind, name = message:match "a nil value %((%l+) '([%w_]+)'%)"
  if not kind then return "" end
  if kind ~= "global" and kind ~= "method" then kind = "field" end
  -- Short names are near to too many others.
  local best, least = nil, #name > 5 and 3 or #name > 2 and 2 or 0
  for candidate in pairs(names_of(kind)) do
    if type(candidate) == "string" and math.abs(#candidate - #name) <= least then
      local found = distance(name, candidate)
      if found < least or found == least and best and candidate < best then
        best, least = candidate, found
      end
    end
  end
  return best and best ~= name and ("; did you mean '%s'?"):format(best) or ""
end

return suggest

-- Finds the name that is nearest to a misspelled one.

--- The cost of changing letter i of a to letter j of b; a change of case is cheap.
local function change(a, i, b, j)
  local from, to = a:sub(i, i), b:sub(j, j)
  if from == to then return 0 end
  return from:lower() == to:lower() and 0.25 or 1
end

--- The minimum number of insertions, deletions, changes and swaps of adjacent letters from a to b
--- (optimal string alignment distance).
local function distance(a, b)
  local before, last, row = {}, {}, {}
  for j = 0, #b do last[j] = j end
  for i = 1, #a do
    row = {[0] = i}
    for j = 1, #b do
      row[j] = math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + change(a, i, b, j))
      if i > 1 and j > 1 and a:byte(i) == b:byte(j - 1) and a:byte(i - 1) == b:byte(j) then
        row[j] = math.min(row[j], before[j - 2] + 1)
      end
    end
    before, last = last, row
  end
  return row[#b] or #a
end

--- The shortest candidate with the prefix `name`; nil if there is none.
local function continued(name, names)
  local best
  for candidate in pairs(names) do
    if type(candidate) == "string" and candidate:sub(1, #name) == name
      and (not best or #candidate < #best or #candidate == #best and candidate < best) then
      best = candidate
    end
  end
  return best
end

--- The candidate one of whose words is nearly `name`: is_available for availble; nil if there is none.
local function with_word(name, names)
  local best, least = nil, 2
  for candidate in pairs(names) do
    if type(candidate) == "string" and candidate:find("_", 2, true) then
      for word in candidate:gmatch "%w+" do
        local found = math.abs(#word - #name) <= least and distance(name, word) or least + 1
        if found < least or found == least and best and candidate < best then best, least = candidate, found end
      end
    end
  end
  return best
end

--- The candidate (a key of `names`) that differs from `name` by the fewest letters, else one that
--- has it as a prefix or as a word; nil if none is near. Short names are near to too many others, so less of them
--- may differ.
local function nearest(name, names)
  local best, least = nil, #name > 5 and 3 or #name > 2 and 2 or 0
  for candidate in pairs(names) do
    if type(candidate) == "string" and math.abs(#candidate - #name) <= least then
      local found = distance(name, candidate)
      if found < least or found == least and best and candidate < best then
        best, least = candidate, found
      end
    end
  end
  return best or #name > 2 and continued(name, names) or #name > 5 and with_word(name, names) or nil
end

return nearest

-- Groups: texts for many names. The field `of` of a group lists the names, separated by spaces: a
-- name ("sum"), a full path ("tide.optim.SGD"), or a prefix ("tide.optim.*"; "*" is
-- all). Its other fields are the texts. A path has precedence over a name, a name over a prefix,
-- a long prefix over a short one, and the later of two groups over the earlier one.

--- Reads the lists of groups that these modules return. Gives a function(entry, field): what is
--- said of an entry under that field (nil if nothing), and the group that says it.
local function groups(modules)
  local by_word, beginnings = {}, {}

  local function add(word, group)
    if not by_word[word] then
      by_word[word] = {}
      local beginning = word:match "^(.*)%*$"
      if beginning then beginnings[#beginnings + 1] = beginning end
    end
    table.insert(by_word[word], group)
  end

  for _, module in ipairs(modules) do
    for _, group in ipairs(require(module)) do
      for word in group.of:gmatch "%S+" do add(word, group) end
    end
  end
  table.sort(beginnings, function(a, b) return #a > #b or #a == #b and a < b end)

  local function find_in(word, field)
    local list = by_word[word] or {}
    for i = #list, 1, -1 do
      if list[i][field] ~= nil then return list[i][field], list[i] end
    end
  end

  return function(entry, field)
    if field == "of" then return nil end
    for _, word in ipairs {entry.called_as, entry.name, (entry.name:gsub("_$", ""))} do
      local found, group = find_in(word, field)
      if found ~= nil then return found, group end
    end
    for _, beginning in ipairs(beginnings) do
      if entry.called_as:sub(1, #beginning) == beginning then
        local found, group = find_in(beginning .. "*", field)
        if found ~= nil then return found, group end
      end
    end
  end
end

return groups

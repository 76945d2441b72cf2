-- Looks for words in all texts of the reference: names, what they do, parameters and notes.
local entries = require "tide.reference"
local lines = require "tide.reference.lines"
local notes = require "tide.reference.notes"

local search = {}

-- What a word counts for where it stands.
local kName <const>, kPartOfName <const>, kDoc <const>, kFamily <const> = 12, 6, 4, 2
local kParameterName <const>, kParameter <const>, kNote <const> = 3, 1, 1
local kPhrase <const> = 3 -- words that stand together

--- A word without its ending: "clipping", "clipped" and "clips" are "clip".
local function stem(word)
  local root = #word > 3 and (word:match "^(%l%l%l.*)ing$" or word:match "^(%l%l%l.*)ed$"
    or word:match "^(.*[^s])s$") or word
  return root ~= word and root:match "^(.*([^aeiousl]))%2$" or root
end

--- The words of a text, a set, by their stems.
local function words_of(text)
  local words = {}
  for word in text:lower():gmatch "[%a_][%w_]*" do
    words[stem(word)] = true
    for part in word:gmatch "[^_]+" do words[stem(part)] = true end
  end
  return words
end

--- The texts of an entry: {text, words, score}.
local function fields_of(entry)
  local fields = {
    {text = entry.doc, score = kDoc}, {text = entry.family, score = kFamily},
  }
  for _, parameter in ipairs(entry.parameters) do
    fields[#fields + 1] = {text = parameter.name, score = kParameterName}
    fields[#fields + 1] = {text = parameter.about or "", score = kParameter}
  end
  for _, field in ipairs(notes.fields) do
    local text = field[1] ~= "see" and notes.of(entry, field[1])
    if text then fields[#fields + 1] = {text = text, score = kNote} end
  end
  for _, field in ipairs(fields) do field.words = words_of(field.text) end
  return fields
end

--- How well an entry fits one word; 0 if not at all.
local function word_score(entry, fields, word)
  local name, best, root = entry.name:lower(), 0, stem(word)
  if name == word or stem(name) == root then return kName end
  if name:find(root, 1, true) then
    best = kPartOfName * (0.5 + 0.5 * #root / #name) -- the more of the name, the better
  end
  for part in name:gmatch "%l%l%l%l+" do -- short forms: "grad" for "gradient"
    if best == 0 and word:sub(1, #part) == part then best = kPartOfName / 2 end
  end
  for _, field in ipairs(fields) do
    if field.score > best and field.words[root] then best = field.score end
  end
  return best
end

--- How many of the words an entry has, and how well it fits them.
local function score(entry, words, phrase)
  local fields, count, sum = fields_of(entry), 0, 0
  for _, word in ipairs(words) do
    local own = word_score(entry, fields, word)
    if own > 0 then count = count + 1 end
    sum = sum + own
  end
  for _, field in ipairs(fields) do
    if #words > 1 and field.text:lower():find(phrase, 1, true) then
      return count, sum + kPhrase * field.score
    end
  end
  return count, sum
end

--- The entries that have the most words of a text, best first: a list of {entry, score}. Of the
--- forms of one name there is one.
function search.find(text)
  local words, found, seen = {}, {}, {}
  for word in text:lower():gmatch "[%w_]+" do words[#words + 1] = word end
  if not words[1] then return found end
  local phrase, most = table.concat(words, " "), 1
  for i, entry in ipairs(entries) do
    local key = entry.name:gsub("_$", "") .. entry.doc
    local count, own = 0, 0
    if not seen[key] then count, own = score(entry, words, phrase) end
    if count > most then found, most = {}, count end
    if count == most then found[#found + 1] = {entry = entry, score = own, place = i} end
    seen[key] = true
  end
  table.sort(found, function(a, b)
    return a.score > b.score or a.score == b.score and a.place < b.place
  end)
  return found
end

local kMost <const> = 25

--- The names found as text, a line each; if there is none, a text that says so, and false.
function search.answer(...)
  local text = table.concat({...}, " ")
  local found = search.find(text)
  if not found[1] then return ("nothing in the reference mentions '%s'"):format(text), false end
  local widest, list = 0, {}
  for i = 1, math.min(#found, kMost) do
    widest = math.max(widest, #found[i].entry.called_as)
  end
  for i = 1, math.min(#found, kMost) do
    local entry = found[i].entry
    local head = entry.called_as .. (" "):rep(widest - #entry.called_as + 2)
    list[i] = head .. lines.summary(entry.doc, lines.columns - #head)
  end
  if #found > kMost then list[#list + 1] = ("and %d more"):format(#found - kMost) end
  return table.concat(list, "\n")
end

return search

-- Topics: what there is in a table of the library, or on a subject, as names by group.
local entries = require "tide.reference"
local lines = require "tide.reference.lines"
local pages = require "tide.reference.pages"
local value_of = require "tide.reference.value_of"

local topics = {}

--- Families of a list of entries in order: {title, entries}.
local function families_of(list)
  local families, by_title = {}, {}
  for _, entry in ipairs(list) do
    local family = by_title[entry.family]
    if not family then
      family = {title = entry.family, entries = {}}
      by_title[entry.family] = family
      families[#families + 1] = family
    end
    table.insert(family.entries, entry)
  end
  return families
end

--- The title of a family of ops begins with a small letter.
function topics.title(family) return (family:gsub("^%l", string.upper)) end

--- Rows of a family: {names, doc}. Names of one text share a row; forms of one name are one, and
--- those that write into x go without saying.
local function rows_of(family)
  local rows, seen, last = {}, {}, nil
  for _, entry in ipairs(family.entries) do
    local name = entry.name
    if not seen[name] and not seen[name:sub(-1) == "_" and name:sub(1, -2)] then
      seen[name] = true
      if last and last.doc == entry.doc then
        table.insert(last.names, name)
      else
        last = {names = {name}, doc = entry.doc}
        rows[#rows + 1] = last
      end
    end
  end
  return rows
end

local kWidestName <const> = 28

--- A family as lines: its title, and a line for each name.
local function add_family(list, family)
  list[#list + 1] = topics.title(family.title)
  local rows, widest = rows_of(family), 0
  for _, row in ipairs(rows) do
    row.head = lines.names(row.names, kWidestName)
    widest = math.max(widest, math.min(#row.head, kWidestName))
  end
  for _, row in ipairs(rows) do
    local head = "  " .. row.head .. (" "):rep(widest - #row.head + 2)
    list[#list + 1] = head .. lines.summary(row.doc, lines.columns - #head)
  end
end

local function text_of(about, families)
  local list = about and lines.wrapped(about, lines.columns) or {}
  for _, family in ipairs(families) do
    if #list > 0 then list[#list + 1] = "" end
    add_family(list, family)
  end
  return table.concat(list, "\n")
end

--- Of the pages on a subject: what they are about, and their families.
local function on_pages(name)
  local about, list = {}, {}
  for _, page in ipairs(pages) do
    if page.name == name or page.topic == name then
      about[#about + 1] = page.about
      for _, title in ipairs(page.families) do
        for _, entry in ipairs(entries) do
          if entry.family == title then list[#list + 1] = entry end
        end
      end
    end
  end
  return list[1] and table.concat(about, " "), families_of(list)
end

--- Of a table of the library: its names.
local function in_table(path)
  local prefix, list = "tide." .. path .. ".", {}
  for _, entry in ipairs(entries) do
    local inside = entry.called_as:sub(1, #prefix) == prefix
    if inside and not entry.called_as:find("[.:]", #prefix + 1) then list[#list + 1] = entry end
  end
  return list[1] and families_of(list)
end

-- Words for what several families hold.
local kSubjects <const> = {
  indexing = {"Indexing", "indexing"}, slicing = {"Indexing", "indexing"}, operators = {"Operators", "Indexing"},
}

--- The families of these titles, in that order.
local function families_named(titles)
  local list = {}
  for _, title in ipairs(titles) do
    for _, entry in ipairs(entries) do
      if entry.family == title then list[#list + 1] = entry end
    end
  end
  return families_of(list)
end

--- What there is on a topic, as text: the name of a family, a word for several ("slicing"), or the name of a page
--- ("optim") or of a table ("nn.init", "F"); nil if there is no such topic.
function topics.text(name)
  if name == "environment" then return require "tide.reference.environment"() end
  local named = families_named(kSubjects[name] or {name})
  if named[1] then return text_of(nil, named) end
  local path = name:gsub("^tide%.", ""):gsub("^F$", "nn.functional")
  local about, families = on_pages(path)
  if about then return text_of(about, families) end
  local inside = in_table(path)
  return inside and text_of(nil, inside)
end

--- The text on a table of the library; nil if it is none.
function topics.of_value(value)
  local seen = {}
  for _, entry in ipairs(entries) do
    local path = entry.called_as:match "^tide%.(.*)%.[^.:]*$"
    if path and not seen[path] then
      seen[path] = true
      if value_of("tide." .. path) == value then return topics.text(path) end
    end
  end
end

--- A line for each family: what it is called, and the first of its names.
function topics.overview()
  local families, widest = families_of(entries), 0
  for _, family in ipairs(families) do widest = math.max(widest, #family.title) end
  local list = {
    "On a name: tide.help \"softmax\", ?softmax at the prompt, `tide help softmax` in a shell.",
    "On a value: ?net, ?x.shape at the prompt. On a word in any text: `tide help --search rate`.",
    "On a topic: tide.help \"nn\", \"optim\", \"F\", \"data\", \"vision\", \"environment\", or one of these:",
  }
  for _, family in ipairs(families) do
    local names = {}
    for _, row in ipairs(rows_of(family)) do
      table.move(row.names, 1, #row.names, #names + 1, names)
    end
    list[#list + 1] = ("  %s%s  %s"):format(family.title, (" "):rep(widest - #family.title),
      lines.names(names, lines.columns - widest - 4))
  end
  return table.concat(list, "\n")
end

return topics

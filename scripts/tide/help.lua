-- tide.help: the text of the reference on a name, a topic or a value.
local entry_text = require "tide.reference.entry_text"
local lookup = require "tide.reference.lookup"
local topics = require "tide.reference.topics"

--- On a name, or on words in any text; behind an answer that there is nothing stands false.
local function help_on_name(name)
  local text = topics.text(name)
  if text then return text end
  local found = lookup.exact(name) or lookup.by_letters(name)
  if found then return entry_text(found) end
  if name:find "%s" then return require "tide.reference.search".answer(name) end
  local similar = lookup.similar(name)
  local near = similar[1] and "near it: " .. table.concat(similar, ", ")
    or "help without a name lists what there is"
  return ("there is no help on '%s'; %s\n`tide help --search \"%s\"` looks through all texts")
    :format(name, near, name), false
end

--- The text of the reference on a name, a topic or a value; without one, what there is. Runs no op.
local function help(asked)
  if asked == nil then return topics.overview() end
  if type(asked) == "string" then return help_on_name(asked) end
  return require "tide.reference.value_text"(asked)
end

return help

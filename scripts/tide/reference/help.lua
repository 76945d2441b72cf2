-- Help: the text of the reference on a name, a topic or a value.
local entry_text = require "tide.reference.entry_text"
local lookup = require "tide.reference.lookup"
local refuse_more = require "tide.internal.declare.refuse_more"
local topics = require "tide.reference.topics"
local value_of = require "tide.reference.value_of"

--- Whether entries stand for something that is called, which a topic of their name gives way to.
local function names_function(found)
  for _, entry in ipairs(found) do
    if entry.signature:find("(", 1, true) or type(value_of(entry.called_as)) == "function" then return true end
  end
  return false
end

--- The text of a topic, after the text of a field of its name.
local function topic_text(name, found)
  local topic = topics.text(name)
  local is_field = topic and found and found[1].called_as:find "^%l+%.[%w_]+$"
    and not value_of(found[1].called_as)
  return is_field and entry_text(found) .. "\n\n" .. topic or topic
end

--- Help on a name, or on words in any text; if there is none, a text that says so, and false.
local function help_on_name(name)
  local found = lookup.exact(name)
  local topic = not (found and names_function(found)) and topic_text(name, found)
  if topic then return topic end
  found = found or lookup.by_letters(name)
  if found then return entry_text(found) end
  if name:find "%s" then return require "tide.reference.search".answer(name) end
  local advice = require "tide.reference.other_systems".advice(name)
  if advice then return ("there is no '%s' in tide: %s"):format(name, advice) end
  local similar = lookup.similar(name)
  local near = similar[1] and "near it: " .. table.concat(similar, ", ")
    or "help without a name lists what there is"
  return ("there is no help on '%s'; %s\n`tide help --search \"%s\"` looks through all texts")
    :format(name, near, name), false
end

--- The reference text for a name, a function, or a family of them; if there is none, a text that says so, and false.
---@name help
---@param name_or_function? any  a name, words to search for, or a value; nil lists the families
---@example
--- tide.help("sleep"):match("^[^\n]*") --> "tide.sleep(seconds)"
local function help(asked, ...)
  refuse_more("help", 1, ...)
  if asked == nil then return topics.overview() end
  if type(asked) == "string" then return help_on_name(asked) end
  return require "tide.reference.value_text"(asked)
end

return help

-- The vocabulary: descriptions of parameters, by name and by function.
--
-- The files below vocabulary/ are lists of groups (see groups.lua) whose fields are parameters, as
-- "TYPE = DEFAULT: TEXT". A type is one of those below, a list of one ("tensor[]"), a text in
-- quotes, or several of them ("number | nil"). It may be omitted if a row or a declaration has
-- one, and so may the default if there is none or a declaration has it.
local groups = require "tide.reference.groups"

local vocabulary = {}

local kFiles <const> = {
  "shared", "ops", "linalg", "creation", "nn", "losses", "autograd", "data", "devices", "profiling",
  "others",
}

--- The modules that hold the vocabulary.
function vocabulary.modules()
  local modules = {}
  for i, file in ipairs(kFiles) do modules[i] = "tide.reference.vocabulary." .. file end
  return modules
end

local kTypes <const> = {}
for name in ("any boolean callback class dataset device dtype event false function generator "
  .. "integer loader logger metric module number optimizer PackedSequence sampler scheduler "
  .. "stream string table tensor trainer userdata"):gmatch "%a+" do
  kTypes[name] = true
end

--- Whether a text names types: "integer | tensor[]".
local function is_type(text)
  for word in text:gsub("%[%]", ""):gmatch "[^|]+" do
    word = word:match "^%s*(.-)%s*$"
    if not kTypes[word] and not word:find '^"[^"]*"$' then return false end
  end
  return true
end

local find -- created on first use

--- The description of an entry's parameter: {type, default, about}, the first two nil if there are
--- none, and the group it is from; nil if there is none.
function vocabulary.of(entry, parameter)
  find = find or groups(vocabulary.modules())
  local text, group = find(entry, parameter)
  if not text then return nil end
  local head, about = text:match "^(.-): (.*)$"
  local type, default = (head or ""):match "^(.-)%s*= (.*)$"
  type = type or head
  if not head or not is_type(type) then return {about = text}, group end
  return {type = type ~= "" and type or nil, default = default, about = about}, group
end

return vocabulary

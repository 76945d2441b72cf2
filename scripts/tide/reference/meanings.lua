-- The vocabulary: what a parameter means, by its name and by the function that takes it.
--
-- The files below meanings/ are lists of groups (see groups.lua) whose fields are parameters, as
-- "TYPE = DEFAULT: MEANING". The type may be left out where a row or a declaration has one, and the
-- default where there is none or a declaration has it.
local groups = require "tide.reference.groups"

local meanings = {}

local kFiles <const> = {
  "shared", "ops", "linalg", "creation", "nn", "losses", "optim", "autograd", "data", "training",
  "devices", "vision", "others",
}

--- The modules that hold the vocabulary.
function meanings.modules()
  local modules = {}
  for i, file in ipairs(kFiles) do modules[i] = "tide.reference.meanings." .. file end
  return modules
end

local find -- made when it is first needed

--- What is known of an entry's parameter: {type, default, meaning}, the first two nil if there are
--- none, and the group that says it; nil if nothing is known.
function meanings.of(entry, parameter)
  find = find or groups(meanings.modules())
  local text, group = find(entry, parameter)
  if not text then return nil end
  local head, meaning = text:match "^(.-): (.*)$"
  if not head then return {meaning = text}, group end
  local type, default = head:match "^(.-)%s*= (.*)$"
  type = type or head
  return {type = type ~= "" and type or nil, default = default, meaning = meaning}, group
end

return meanings

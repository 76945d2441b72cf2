-- Entries of the reference for what is declared in the library itself (see internal/declare/declaration.lua).
local declaration = require "tide.internal.declare.declaration"
local families = require "tide.reference.families"
local native = require "tide.native"

--- The files that a family names: a folder stands for those in it.
local function files_of(family)
  local files = {}
  for i = 3, #family do
    if family[i]:find "/$" then
      for _, path in ipairs(native.list_embedded("tide/" .. family[i])) do
        local file = path:match "^tide/(.*%.lua)$"
        if file and not file:sub(#family[i] + 1):find("/", 1, true) then files[#files + 1] = file end
      end
    else
      files[#files + 1] = family[i]
    end
  end
  return files
end

--- The part of a name after the prefix of a family, if the name is of that family.
local function name_in(family, name)
  local beginning = family[2]
  return name:sub(1, #beginning) == beginning and name:sub(#beginning + 1):match "^[%w_]+$"
end

--- Calls add{name, called_as, family, file} for each declared name.
return function(add)
  local blocks, seen = {}, {} -- by file, by name
  for _, family in ipairs(families) do
    for _, file in ipairs(files_of(family)) do
      blocks[file] = blocks[file] or declaration.blocks(file)
      for _, block in ipairs(blocks[file]) do
        local name = name_in(family, block.name)
        if name and not seen[block.name] then
          seen[block.name] = true
          local called_as = block.name:find(":", 1, true) and block.name or "tide." .. block.name
          add {name = name, called_as = called_as, family = family[1], file = file, path = block.name}
        end
      end
    end
  end
end

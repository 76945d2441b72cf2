-- Entries of the reference for what is declared in the library itself (see internal/declare/declaration.lua).
local declaration = require "tide.internal.declare.declaration"
local families = require "tide.reference.families"

--- The files that a family names: a folder stands for those in it.
local function files_of(family)
  local files = {}
  for i = 3, #family do
    local list = family[i]:find "/$" and declaration.files_in(family[i]) or {family[i]}
    table.move(list, 1, #list, #files + 1, files)
  end
  return files
end

--- Calls add{name, called_as, family, file} for each declared name.
return function(add)
  local blocks, seen = {}, {} -- by file, by name
  for _, family in ipairs(families) do
    for _, file in ipairs(files_of(family)) do
      blocks[file] = blocks[file] or declaration.blocks(file)
      for _, block in ipairs(blocks[file]) do
        local name = declaration.name_after(family[2], block.name)
        if name and not seen[block.name] then
          seen[block.name] = true
          local called_as = block.name:find(":", 1, true) and block.name or "tide." .. block.name
          add {name = name, called_as = called_as, family = family[1], file = file, path = block.name}
        end
      end
    end
  end
end

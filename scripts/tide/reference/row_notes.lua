-- Parameters and notes of what is written in C++, from TIDE_NOTES in bindings/ops/rows and bindings/reference.
local declaration = require "tide.internal.declare.declaration"
local native = require "tide.native"

local row_notes = {}

local blocks, by_word -- created on first use

local function read_blocks()
  blocks, by_word = {}, {}
  for _, row in ipairs(native.notes()) do
    local names, block = row[1], declaration.parse(row[2])
    block.words, block.by_name = {}, {}
    for word in names:gmatch(names:find ":$" and ".+" or "%S+") do
      table.insert(block.words, word)
      by_word[word] = by_word[word] or {}
      table.insert(by_word[word], block)
    end
    for _, parameter in ipairs(block.parameters) do block.by_name[parameter.name] = parameter end
    blocks[#blocks + 1] = block
  end
  return blocks
end

--- A list of {words (a name, a path, "FAMILY:" or "*"), parameters, by_name, formula, see, ...}.
function row_notes.blocks() return blocks or read_blocks() end

--- What get(block) returns for the first block of an entry for which it is not nil, and that block.
local function find(entry, get)
  row_notes.blocks()
  for _, word in ipairs {entry.called_as, entry.name, (entry.name:gsub("_$", "")), entry.family .. ":", "*"} do
    for _, block in ipairs(by_word[word] or {}) do
      local found = get(block)
      if found ~= nil then return found, block end
    end
  end
end

--- The parameter {type, default, about} of an entry, and its block; nil if none.
function row_notes.parameter(entry, name) return find(entry, function(block) return block.by_name[name] end) end

--- The note of an entry, such as "formula"; nil if none.
function row_notes.of(entry, field) return (find(entry, function(block) return block[field] end)) end

return row_notes

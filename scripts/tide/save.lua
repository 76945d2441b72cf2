-- tide.save: writes tables of tensors and plain values to a safetensors file.
local native = require "tide.native"
local raise = require "tide.internal.raise"
local structure = require "tide.internal.structure"
local tide = require "tide"

--- The metadata with the text that describes the tables.
local function described(metadata, text)
  if metadata ~= nil and type(metadata) ~= "table" then return metadata end
  local all = {}
  for key, value in pairs(metadata or {}) do all[key] = value end
  if all[structure.key] then raise("save: metadata: the name '%s' is taken", structure.key) end
  all[structure.key] = text
  return all
end

--- save(value, path, metadata): the path may also come first. A tensor, or a table of tensors, numbers,
--- text, booleans, and tables, modules and optimizers of these. The file is replaced as a whole.
local function save(value, path, metadata)
  if type(value) == "string" and type(path) ~= "string" then value, path = path, value end
  if path == nil then raise 'save: the path is missing: tide.save(value, "name")' end
  if type(value) == "table" and not tide.is_tensor(value) then
    local tensors, text = structure.encode(value)
    value, metadata = tensors, described(metadata, text)
  end
  native.save_tensors(value, path, metadata)
end

return save

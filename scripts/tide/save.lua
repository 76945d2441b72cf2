-- tide.save: writes tables of tensors and plain values to a safetensors file.
local native = require "tide.native"
local raise = require "tide.internal.raise"
local refuse_more = require "tide.internal.declare.refuse_more"
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

--- Writes a tensor or a table to a safetensors file, which is replaced atomically; the path may also come first.
--- Tables may contain tensors, numbers, strings, booleans and tables, and modules and optimizers, which are saved as
--- their state_dict. A tensor's name is its path, "model.fc.weight"; a repeated tensor is stored once.
---@param value module | tensor | table  value to save: tables of tensors, numbers and strings, and objects with a
---  state_dict
---@param path string  path of the file
---@param metadata table = nil  strings by name
---@waits for the values
---@errors a value cannot be saved: the message contains its key
---@see tide.load module:state_dict training.CheckpointManager tide.load_torch
---@example
--- local path = os.tmpname()
--- tide.save({w = tide.ones(2), step = 3}, path)
--- local loaded = tide.load(path)
--- os.remove(path)
--- loaded --> {step = 3, w = {1.0, 1.0}}
local function save(value, path, metadata, ...) -- "save"
  refuse_more("save", 3, ...)
  if type(value) == "string" and type(path) ~= "string" then value, path = path, value end
  if path == nil then raise 'save: the path is missing: tide.save(value, "name")' end
  if type(value) == "table" and not tide.is_tensor(value) then
    local tensors, text = structure.encode(value)
    value, metadata = tensors, described(metadata, text)
  end
  native.save(value, path, metadata)
end

return save

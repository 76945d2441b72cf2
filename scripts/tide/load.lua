-- tide.load: reads what tide.save wrote, or the tensors of any safetensors file.
local native = require "tide.native"
local structure = require "tide.internal.structure"

--- What to do about a file that is none of tide.save: what errors add.
local function advice(path)
  local read, head = pcall(native.archives.read_file, path, "load", 4)
  local is_torch = read and (head == "PK\3\4" or head:find "^\x80[\x02-\x05]")
  return is_torch and ": tide.load_torch reads what PyTorch wrote" or ""
end

--- load(path, device): the table, and the file's metadata.
local function load(path, device)
  local read, tensors, metadata = pcall(native.load_tensors, path, device)
  if not read then error(type(tensors) == "string" and tensors .. advice(path) or tensors, 0) end
  local text = metadata[structure.key]
  if not text then return tensors, metadata end
  metadata[structure.key] = nil
  return structure.decode(path, text, tensors), metadata
end

return load

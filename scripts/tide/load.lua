-- tide.load: reads what tide.save wrote, or the tensors of any safetensors file.
local native = require "tide.native"
local structure = require "tide.internal.structure"

--- load(path, device): the table, and the file's metadata.
local function load(path, device)
  local tensors, metadata = native.load_tensors(path, device)
  local text = metadata[structure.key]
  if not text then return tensors, metadata end
  metadata[structure.key] = nil
  return structure.decode(path, text, tensors), metadata
end

return load

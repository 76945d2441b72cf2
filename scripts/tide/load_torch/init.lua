-- tide.load_torch: reads files written by PyTorch's torch.save.
local reader = require "tide.internal.declare.reader"
local Reader = require "tide.load_torch.reader"

local raise = require "tide.internal.raise"

local kUnknown <const> = {note = true, skip = true, error = true}

--- Reads a .pt or .pth file written by PyTorch's torch.save. Creates tensors and plain values only: dicts become
--- tables with the same keys, lists and tuples become lists, sets {value = true}, bytes strings, None nil, and types
--- and devices their names. Tensors share storage as in PyTorch and do not require gradients. The state of a module or
--- an optimizer can be passed to load_state_dict.
---@param path string  path of the file
---@param device device = nil  device of the tensors; nil is cpu
---@param unknown "note" | "skip" | "error" = "note"  whether objects of unknown classes are skipped with a note,
---  skipped silently, or raise an error
---@errors the file is truncated or damaged
---@see tide.save tide.load module:state_dict training.CheckpointManager
---@example
--- local path = os.tmpname()
--- tide.save_torch({w = tide.ones(2), epoch = 3}, path)
--- local loaded = tide.load_torch(path)
--- os.remove(path)
--- loaded --> {epoch = 3, w = {1.0, 1.0}}
local read_arguments = reader "load_torch"

--- Notes are printed to stderr.
local function load_torch(...)
  local given = read_arguments(...)
  if not kUnknown[given.unknown] then
    raise('load_torch: unknown: expected "note", "skip" or "error", got %s', tostring(given.unknown))
  end
  return Reader(given.path, given.device, given.unknown):read()
end

return load_torch

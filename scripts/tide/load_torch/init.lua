-- tide.load_torch: reads what PyTorch's torch.save wrote.
local reader = require "tide.internal.declare.reader"
local Reader = require "tide.load_torch.reader"

local raise = require "tide.internal.raise"

local kUnknown <const> = {note = true, skip = true, error = true}

--- The value that PyTorch's torch.save wrote to a .pt or .pth file. Makes tensors and plain values only: dicts become
--- tables with the same keys, lists and tuples lists, sets {value = true}, bytes text, None nil, and types and
--- devices their names; anything else is an error that names it. Tensors share their elements as in PyTorch, a tensor
--- that is there several times is one tensor, and none requires a gradient. Of a module or an optimizer it is what
--- load_state_dict takes.
---@param path string  name of the file
---@param device device = nil  where tensors go; nil is cpu
---@param unknown "note" | "skip" | "error" = "note"  whether objects of unknown classes are left out with a note,
---  left out, or refused
---@waits saving waits for the values
---@errors what cannot be saved is named with its key; a file that is cut off or damaged
---@see tide.save tide.load module:state_dict training.CheckpointManager
---@example
--- local path = os.tmpname()
--- tide.save_torch({w = tide.ones(2), epoch = 3}, path)
--- local loaded = tide.load_torch(path)
--- os.remove(path)
--- loaded --> {epoch = 3, w = {1.0, 1.0}}
local read_arguments = reader "load_torch"

--- load_torch(path, device, {unknown = "note"}): the value of a .pt or .pth file. Only plain values and tensors are
--- made, whatever the file names. Objects of other classes are left out, which is said on stderr, or with "skip" not
--- said; with "error" they are an error.
local function load_torch(...)
  local given = read_arguments(...)
  if not kUnknown[given.unknown] then
    raise('load_torch: unknown: expected "note", "skip" or "error", got %s', tostring(given.unknown))
  end
  return Reader(given.path, given.device, given.unknown):read()
end

return load_torch

-- tide.save_torch: writes files that PyTorch's torch.load reads.
local reader = require "tide.internal.declare.reader"
local native = require "tide.native"
local pickle = require "tide.save_torch.pickler"

local kFolder <const> = "archive/"

--- Writes a tensor, or a table as tide.save takes it, to a file that torch.load(path, weights_only=True) reads.
--- Tables with the keys 1 to n become lists, others dicts; the state of an optimizer gets the form of PyTorch's,
--- which counts parameters from 0. The file is replaced as a whole.
---@param value any  what is saved: tables of tensors, numbers and texts, and what has a
---  state_dict
---@param path string  name of the file
---@waits saving waits for the values
---@errors what cannot be saved is named with its key; a file that is cut off or damaged
---@see tide.save tide.load module:state_dict training.CheckpointManager tide.load_torch
---@example
--- local path = os.tmpname()
--- tide.save_torch({model = tide.nn.Linear(2, 2)}, path)
--- local loaded = tide.load_torch(path)
--- os.remove(path)
--- loaded.model.weight.shape --> {2, 2}
local read_arguments = reader "save_torch"

--- save_torch(value, path): a tensor, or a table of tensors, numbers, text, booleans, and tables, modules
--- and optimizers of these. The file is replaced as a whole.
local function save_torch(...)
  local given = read_arguments(...)
  local text, storages = pickle(given.value)
  local members = {{kFolder .. "data.pkl", text}, {kFolder .. "byteorder", "little"}}
  for i, tensor in ipairs(storages) do
    members[#members + 1] = {("%sdata/%d"):format(kFolder, i - 1), tensor}
  end
  members[#members + 1] = {kFolder .. "version", "3\n"}
  native.archives.write(given.path, members)
end

return save_torch

-- tide.save_torch: writes files that PyTorch's torch.load reads.
local reader = require "tide.internal.declare.reader"
local native = require "tide.native"
local pickle = require "tide.save_torch.pickler"

local kFolder <const> = "archive/"

--- Writes a tensor, or a table as in tide.save, to a file that torch.load(path, weights_only=True) reads. Tables with
--- the keys 1 to n become lists, others dicts; the state of an optimizer is converted to PyTorch's form, which numbers
--- parameters from 0. The file is replaced atomically.
---@param value any  value to save: tables of tensors, numbers and strings, and objects with a state_dict
---@param path string  path of the file
---@waits for the values
---@errors a value cannot be saved: the message contains its key
---@see tide.save tide.load module:state_dict training.CheckpointManager tide.load_torch
---@example
--- local path = os.tmpname()
--- tide.save_torch({model = tide.nn.Linear(2, 2)}, path)
--- local loaded = tide.load_torch(path)
--- os.remove(path)
--- loaded.model.weight.shape --> {2, 2}
local read_arguments = reader "save_torch"

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

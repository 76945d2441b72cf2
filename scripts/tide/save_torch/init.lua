-- tide.save_torch: writes files that PyTorch's torch.load reads.
local arguments = require "tide.internal.arguments"
local native = require "tide.native"
local pickle = require "tide.save_torch.pickler"

local kFolder <const> = "archive/"

local read_arguments = arguments("save_torch", {"value", "path"}, {path = "string"})

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

-- tide.load_torch: reads what PyTorch's torch.save wrote.
local Reader = require "tide.load_torch.reader"
local arguments = require "tide.internal.arguments"

local read_arguments = arguments("load_torch", {"path", {"device"}}, {path = "string"})

--- load_torch(path, device): the value of a .pt or .pth file. Only plain values and tensors are made,
--- whatever the file names.
local function load_torch(...)
  local given = read_arguments(...)
  return Reader(given.path, given.device):read()
end

return load_torch

-- tide.load_torch: reads what PyTorch's torch.save wrote.
local Reader = require "tide.load_torch.reader"
local arguments = require "tide.internal.arguments"

local raise = require "tide.internal.raise"

local kUnknown <const> = {note = true, skip = true, error = true}

local read_arguments = arguments("load_torch", {"path", {"device"}, {"unknown", "note"}}, {path = "string"})

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

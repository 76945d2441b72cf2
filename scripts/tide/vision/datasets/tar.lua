-- Reads tar archives in byte tensors.
local raise = require "tide.internal.raise"

local kBlock <const> = 512
local kMostMembers <const> = 1000

--- The files of an archive by name, as slices of `bytes`, a uint8 tensor. Errors name `path`.
local function members(caller, path, bytes)
  local files, at, count = {}, 0, 0
  while at + kBlock <= #bytes do
    local head = bytes[{{at + 1, at + kBlock}}]:bytes()
    local name = head:sub(1, 100):match "^[^\0]*"
    if name == "" then return files end
    local size = tonumber(head:sub(125, 136):match "^ *([0-7]+)[ \0]*$" or "", 8)
    count = count + 1
    if not size or at + kBlock + size > #bytes or count > kMostMembers then
      raise("%s: %s is not a complete tar archive: at byte %d", caller, path, at)
    end
    local kind = head:sub(157, 157)
    if (kind == "0" or kind == "\0") and size > 0 then
      files[name] = bytes[{{at + kBlock + 1, at + kBlock + size}}]
    end
    at = at + kBlock + (size + kBlock - 1) // kBlock * kBlock
  end
  return files
end

return members

-- Files that users download: reports missing ones with their sources, and checks MD5 sums.
local native = require "tide.native"
local raise = require "tide.internal.raise"

local downloads = {}

--- Raises the error for missing files. `missing` lists paths; `packed` lists {name, md5} of the files
--- to download from `url` into `folder`. `hint` is added to the message.
function downloads.raise_missing(caller, download, missing, folder, url, packed, hint)
  local text = ("%s: not found: %s"):format(caller, table.concat(missing, ", "))
  if hint then text = text .. ": " .. hint end
  if not download then raise("%s: download = true shows what to download", text) end
  local lines = {text, "tide does not download files. Put these files into " .. folder .. ":"}
  for _, file in ipairs(packed) do
    lines[#lines + 1] = ("  %s%s (MD5 %s)"):format(url, file[1], file[2])
  end
  raise("%s", table.concat(lines, "\n"))
end

--- Raises an error unless a file has the MD5 sum.
function downloads.check(caller, path, sum)
  local found = native.md5(path)
  if found ~= sum then
    raise("%s: %s is damaged: its MD5 sum is %s, not %s: remove it and download it again", caller, path, found, sum)
  end
end

return downloads

-- Files that people fetch: what is missing, where it is found, and whether it is whole.
local native = require "tide.native"
local raise = require "tide.internal.raise"

local downloads = {}

--- Raises the error for files that are not there. `missing` lists paths; `packed` lists {name, md5},
--- the files to fetch into `folder`, which are found under `url`. `hint` may say more.
function downloads.raise_missing(caller, download, missing, folder, url, packed, hint)
  local text = ("%s: not found: %s"):format(caller, table.concat(missing, ", "))
  if hint then text = text .. ": " .. hint end
  if not download then raise("%s: download = true says what to fetch", text) end
  local lines = {text, "tide fetches nothing by itself. Put these files into " .. folder .. ":"}
  for _, file in ipairs(packed) do
    lines[#lines + 1] = ("  %s%s (MD5 %s)"):format(url, file[1], file[2])
  end
  raise("%s", table.concat(lines, "\n"))
end

--- Raises an error unless a file has the MD5 sum.
function downloads.check(caller, path, sum)
  local found = native.md5(path)
  if found ~= sum then
    raise("%s: %s: is damaged: its MD5 sum is %s, not %s: remove it and fetch it again", caller, path, found, sum)
  end
end

return downloads

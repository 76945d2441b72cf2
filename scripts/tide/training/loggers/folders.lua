-- Folders of loggers, save_dir/name/version_N, and their creation.
local kind_of = require "tide.internal.kind_of"
local native = require "tide.native"
local raise = require "tide.internal.raise"

local folders = {}

--- The numbers of the folders version_N in a folder, in order; none if there is no such folder.
function folders.versions(parent)
  local versions = {}
  for _, name in ipairs(native.file_kind(parent) == "folder" and native.list_folder(parent) or {}) do
    versions[#versions + 1] = math.tointeger(name:match "^version_(%d+)$")
  end
  table.sort(versions)
  return versions
end

--- Creates the folder version_N after the largest existing one. Two programs never get the same one:
--- it belongs to the program that created it.
local function make_next(caller, parent)
  native.make_folders(parent)
  local versions = folders.versions(parent)
  local version = versions[#versions] or -1
  for _ = 1, 100 do
    version = version + 1
    local path = parent .. "/version_" .. version
    if native.make_folders(path) then return path, version end
  end
  raise("%s: no version is free in %s", caller, parent)
end

--- Creates the folder of a logger from its options save_dir, name and version. Returns its path, name and version.
function folders.of_logger(caller, given)
  local parent, version = given.save_dir == "" and "." or given.save_dir, given.version
  if given.name ~= "" then parent = parent .. "/" .. given.name end
  if version == nil then
    local path, made = make_next(caller, parent)
    return path, given.name, made
  end
  local number = math.type(version) == "integer" and version >= 0
  if not number and (type(version) ~= "string" or version == "") then
    raise("%s: version: expected an integer or a string, got %s", caller,
      type(version) == "number" and tostring(version) or kind_of(version))
  end
  local path = parent .. "/" .. (number and "version_" .. version or version)
  native.make_folders(path)
  return path, given.name, version
end

return folders

-- Folders of loggers: save_dir/name/version_N, and how they are made.
local arguments = require "tide.internal.arguments"
local raise = require "tide.internal.raise"

local folders = {}

--- A word that a shell takes as it is.
local function quoted(path) return "'" .. path:gsub("'", "'\\''") .. "'" end

--- What a command of the shell prints, both streams, and whether it succeeded.
local function run(caller, command)
  -- A sandbox refuses to start a process.
  local started, pipe, reason = pcall(io.popen, "LC_ALL=C " .. command .. " 2>&1")
  if not started or not pipe then
    raise("%s: the folder cannot be made: %s: %s", caller, command, started and reason or pipe)
  end
  local output = pipe:read "a"
  return output, pipe:close() == true
end

--- Whether files can be made in a folder: all that can be asked in a sandbox.
local function is_writable(path)
  local probe = path .. "/.tide_logger"
  local file = io.open(probe, "wb")
  if not file then return false end
  file:close()
  os.remove(probe)
  return true
end

--- Makes a folder and those above it; does nothing if it is there.
function folders.make(caller, path)
  if path == "" or path:find "\0" then
    raise("%s: expected the name of a folder, got %s", caller, path == "" and "an empty string" or "a zero byte in it")
  end
  if is_writable(path) then return end
  local output, made = run(caller, "mkdir -p -- " .. quoted(path))
  if not made then raise("%s: the folder cannot be made: %s", caller, output:gsub("%s+$", ""):gsub("^mkdir: ", "")) end
end

--- The numbers of the folders version_N in a folder, in order.
function folders.versions(caller, parent)
  local versions = {}
  for number in run(caller, "ls -1 -- " .. quoted(parent)):gmatch "version_(%d+)\n" do
    versions[#versions + 1] = math.tointeger(number)
  end
  table.sort(versions)
  return versions
end

--- Makes the folder version_N behind the largest that is there. Two programs never get the same one:
--- the one that makes the folder has it.
local function make_next(caller, parent)
  folders.make(caller, parent)
  local versions = folders.versions(caller, parent)
  local version = versions[#versions] or -1
  for _ = 1, 100 do
    version = version + 1
    local path = parent .. "/version_" .. version
    local output, made = run(caller, "mkdir -- " .. quoted(path))
    if made then return path, version end
    if not output:find "File exists" then
      raise("%s: the folder cannot be made: %s", caller, output:gsub("%s+$", ""):gsub("^mkdir: ", ""))
    end
  end
  raise("%s: no version is free in %s", caller, parent)
end

--- Makes the folder of a logger from its options save_dir, name and version. Returns its path, the name
--- and the version.
function folders.of_logger(caller, ...)
  local given = arguments(caller, {"save_dir", {"name", "tide_logs"}, {"version"}},
    {save_dir = "string", name = "string"})(...)
  local parent, version = given.save_dir == "" and "." or given.save_dir, given.version
  if given.name ~= "" then parent = parent .. "/" .. given.name end
  if version == nil then
    local path, made = make_next(caller, parent)
    return path, given.name, made
  end
  local number = math.type(version) == "integer" and version >= 0
  if not number and (type(version) ~= "string" or version == "") then
    raise("%s: version: expected a whole number or a string, got %s", caller,
      type(version) == "number" and tostring(version) or type(version))
  end
  local path = parent .. "/" .. (number and "version_" .. version or version)
  folders.make(caller, path)
  return path, given.name, version
end

--- Replaces a file by a text: a reader sees the old one or the new one.
function folders.replace(caller, path, text)
  local temporary = path .. ".new"
  local file, reason = io.open(temporary, "wb")
  if not file then raise("%s: %s", caller, reason) end
  file:setvbuf "no"
  local written
  written, reason = file:write(text)
  file:close()
  if written then written, reason = os.rename(temporary, path) end
  if written then return end
  os.remove(temporary)
  raise("%s: %s: %s", caller, path, reason)
end

return folders

-- tide.load: reads files of tide.save, other safetensors files, or several of them by their index.
local reader = require "tide.internal.declare.reader"
local json = require "tide.internal.json"
local file_metadata = require "tide.internal.file_metadata"
local native = require "tide.native"
local raise = require "tide.internal.raise"
local structure = require "tide.internal.structure"
local tide = require "tide"

local kIndex <const> = ".index.json"
local kMostIndex <const> = 100000000 -- bytes, the limit of a file's header

--- The files that an index lists, in order, and a set of the names of each one's tensors.
local function read_index(path)
  local index, problem = json.decode(native.archives.read_file(path, kMostIndex))
  local map = type(index) == "table" and index.weight_map
  if type(map) ~= "table" then
    raise("%s: is not an index of safetensors files: %s", path, problem or "it has no weight_map")
  end
  local files, names_of = {}, {}
  for name, file in pairs(map) do
    if type(name) ~= "string" or type(file) ~= "string" or file:find "/" or file == ".." then
      raise("%s: weight_map: expected names of tensors and of files in the same folder", path)
    end
    if not names_of[file] then
      names_of[file] = {}
      files[#files + 1] = file
    end
    names_of[file][name] = true
  end
  table.sort(files)
  return files, names_of
end

--- The tensors of all files of an index.
local function load_files(path, device, only)
  local files, names_of = read_index(path)
  local folder, all, metadata = path:match "^(.*/)" or "", {}, {}
  for _, file in ipairs(files) do
    local tensors, own = native.load(folder .. file, device, only)
    for name in pairs(names_of[file]) do
      if tensors[name] == nil and not only then raise("%s: %s has no tensor '%s'", path, file, name) end
      all[name] = tensors[name]
    end
    for key, value in pairs(own) do metadata[key] = value end
  end
  return all, metadata
end

--- Raises an error for a name in `only` that matches no tensor.
local function check_found(path, only, tensors)
  for _, wanted in ipairs(only) do
    local found = tensors[wanted] ~= nil
    for name in pairs(tensors) do found = found or name:sub(1, #wanted + 1) == wanted .. "." end
    if not found then raise("load: only: %s has no tensor '%s', nor any with that prefix", path, tostring(wanted)) end
  end
end

--- Reads a safetensors file: returns the saved table and the file's metadata, or for other programs' files the tensors
--- by name, also of several files by their index.json. The state of a module or an optimizer can be passed to
--- load_state_dict.
---@param path string  path of the file
---@param device device = nil  device of the tensors; nil is cpu
---@param only string[] = nil  names of tensors, or of tables of tensors, to read; nil is all
---@errors the file is truncated or damaged, or lacks a name in only
---@see tide.save module:state_dict training.CheckpointManager tide.load_torch
---@example
--- local path = os.tmpname()
--- local net = tide.nn.Linear(2, 2)
--- tide.save({net = net}, path)
--- net:load_state_dict(tide.load(path).net)
--- os.remove(path)
--- net.weight.shape --> {2, 2}
local read = reader "load"

--- An index "model.safetensors.index.json" is read like one large file.
local function load(...)
  local given = read(...)
  local path, device, only = given.path, given.device or tide.get_default_device(), given.only
  local from = path:sub(-#kIndex) == kIndex and load_files or native.load
  local tensors, metadata = from(path, device, only)
  if only then check_found(path, only, tensors) end
  file_metadata[metadata] = true
  local text = metadata[structure.key]
  if not text then return tensors, metadata end
  metadata[structure.key] = nil
  return structure.decode(path, text, tensors, only ~= nil), metadata
end

return load

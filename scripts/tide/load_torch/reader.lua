-- Reads files of PyTorch's torch.save: zip archives, and the format before version 1.6.
local Unpickler = require "tide.load_torch.unpickler"
local class = require "tide.internal.class"
local constructors = require "tide.load_torch.constructors"
local native = require "tide.native"
local raise = require "tide.internal.raise"
local tide = require "tide"

local kMostNames <const> = 10 -- that an error lists
local kMostBytes <const> = 1 << 62
local kMostPickle <const> = 1 << 30 -- bytes: a compressed member can claim a thousand times its own size

local Reader = class "Reader"

--- Storages are created on `device`. `unknown` selects how unsupported objects are handled.
function Reader:init(path, device, unknown)
  self.path, self.device, self.unknown, self.storages = path, device, unknown, {}
end

--- The first names of a list, separated by commas.
local function listed(names)
  local shown = table.concat(names, ", ", 1, math.min(#names, kMostNames))
  return #names > kMostNames and ("%s and %d more"):format(shown, #names - kMostNames) or shown
end

--- Removes the placeholders of unsupported objects from a value; nil if it is one.
local function without(value, unknown, seen)
  if value == unknown then return nil end
  if type(value) ~= "table" or getmetatable(value) or seen[value] then return value end
  seen[value] = true
  for key, entry in next, value do value[key] = without(entry, unknown, seen) end
  return value
end

--- Reads the pickle at offset `at`; returns its value and the offset after it. Errors refer to the text as `place`.
function Reader:unpickle(text, at, place, find_persistent)
  local unpickler = Unpickler(text, constructors.find, find_persistent)
  local read, value, stop = pcall(unpickler.read, unpickler, at)
  if #unpickler.refused > 0 and (read or Unpickler.is_damage(value)) then
    value = read and self.unknown ~= "error" and without(value, unpickler.unknown, {})
    if not value then
      raise("%s: holds %s: only dense tensors and plain values can be read, such as a state_dict()", self.path,
        listed(unpickler.refused))
    end
    if self.unknown == "note" then
      io.stderr:write(("note: %s: left out %s\n"):format(self.path, listed(unpickler.refused)))
      self.unknown = "skip" -- the same pickle may be read twice
    end
  end
  if read then return value, stop end
  if not Unpickler.is_damage(value) then error(value, 0) end
  raise("%s: the pickle is damaged at byte %d: %s", place, value.at, value.text)
end

--- Returns a function that makes a storage from its persistent id, ("storage", class, key, location, number of
--- elements). elements(unpickler, key, dtype, bytes, count) returns a tensor of its contents, or nil on the first of
--- two passes, which only collects storages.
function Reader:find_storage(elements)
  local storages = self.storages
  return function(unpickler, id)
    if type(id) ~= "table" or id[1] ~= "storage" then unpickler:fail "expected a persistent id of a storage" end
    local kind, key, count = id[2], id[3], id[5]
    if kind == unpickler.unknown then return kind end
    if not unpickler:is_special(kind, "storage") or type(key) ~= "string" or math.type(count) ~= "integer" or
      count < 0 or count > kMostBytes // 8 then
      unpickler:fail "a storage without a type, a name or a size"
    end
    if id[6] ~= nil then return unpickler:refuse "storages that are parts of others" end
    local dtype, size = table.unpack(kind.storage)
    local storage = storages[key]
    if not storage then
      storage = {dtype = dtype, count = count, tensor = elements(unpickler, key, dtype, count * size, count)}
      storages[key] = storage
    elseif storage.dtype ~= dtype or storage.count ~= count then
      unpickler:fail("the storage %s has two types or sizes", key:sub(1, 40))
    end
    return storage.tensor and unpickler:special(storage, "a storage without a tensor") or unpickler.unknown
  end
end

-- Zip archives ------------------------------------------------------------------------------------

--- The folder of all members.
local function folder_of(path, members)
  local folder
  for name in pairs(members) do
    local found = name:match "^(.*/)data%.pkl$"
    if found and folder then raise("%s: is damaged: it holds two files data.pkl", path) end
    folder = found or folder
  end
  if not folder then raise("%s: is a zip archive, but not one of torch.save: it has no data.pkl", path) end
  if members[folder .. "constants.pkl"] then
    raise("%s: is a TorchScript program: save its state_dict() by torch.save", path)
  end
  return folder
end

local function read_archive(self)
  local archive = native.archives.open(self.path)
  local members = archive:members()
  local folder = folder_of(self.path, members)
  local order = members[folder .. "byteorder"]
  if order and (order.size ~= 6 or archive:text(order.number) ~= "little") then
    raise("%s: it was written on a big-endian machine", self.path)
  end
  local pickle = folder .. "data.pkl"
  local number, size = members[pickle].number, members[pickle].size
  if size > kMostPickle then raise("%s: %s has %d bytes, at most 1 GiB is read", self.path, pickle, size) end
  return (self:unpickle(archive:text(number), 1, self.path .. ": " .. pickle,
    self:find_storage(function(unpickler, key, dtype, bytes)
      local member = members[folder .. "data/" .. key]
      if not member then unpickler:fail("there is no storage %s", key:sub(1, 40)) end
      if member.size ~= bytes then
        unpickler:fail("the storage %s has %d bytes, not %d", key:sub(1, 40), member.size, bytes)
      end
      return archive:tensor(member.number, dtype, self.device)
    end)))
end

-- The legacy format -------------------------------------------------------------------------------

--- The magic number of legacy files, a pickle, after the protocol.
local kMagic <const> = "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."
local kVersion <const> = 1001

--- Offsets of the storages in the text: consecutive in the order of the keys, each after its number of elements.
--- `wanted` has their bytes and elements, by key.
local function storage_places(self, text, keys, at, wanted)
  local places = {}
  for _, key in ipairs(keys) do
    local storage = wanted[key]
    if not storage or places[key] then raise("%s: is damaged: it lists storages that no tensor uses", self.path) end
    if at + 8 + storage.bytes - 1 > #text then raise("%s: is cut short", self.path) end
    if string.unpack("<i8", text, at) ~= storage.count then
      raise("%s: is damaged: the storage %s is of another size", self.path, key:sub(1, 40))
    end
    places[key] = at + 8
    at = at + 8 + storage.bytes
  end
  return places
end

local function read_legacy(self)
  local text = native.archives.read_file(self.path)
  local function none(unpickler) return unpickler:refuse "storages in front of the value" end
  local version, at = self:unpickle(text, 3 + #kMagic, self.path, none)
  if version ~= kVersion then raise("%s: is of an unknown version of torch.save", self.path) end
  local system, value_at = self:unpickle(text, at, self.path, none)
  if type(system) ~= "table" or system.little_endian ~= true then
    raise("%s: it was written on a big-endian machine", self.path)
  end
  -- The pickle of the value describes the storages, which come after it: so it is read twice.
  local wanted = {}
  local look = Reader(self.path, nil, self.unknown):find_storage(function(_, key, _, bytes, count)
    wanted[key] = {bytes = bytes, count = count}
  end)
  local _, keys_at = self:unpickle(text, value_at, self.path, look)
  local keys, data_at = self:unpickle(text, keys_at, self.path, none)
  if type(keys) ~= "table" then raise("%s: is damaged: it has no list of storages", self.path) end
  local places = storage_places(self, text, keys, data_at, wanted)
  return (self:unpickle(text, value_at, self.path, self:find_storage(function(unpickler, key, dtype, bytes, count)
    local first = places[key]
    if not first then unpickler:fail("there is no storage %s", key:sub(1, 40)) end
    return tide.from_bytes(text:sub(first, first + bytes - 1), dtype, {count}, {device = self.device})
  end)))
end

--- Describes a file with this head that was not written by torch.save.
local function other_kind(path, head)
  if head:find "^\x80" then
    return "is a pickle, but not one of torch.save: save it by torch.save"
  end
  local form = native.file_form(path)
  return "is not a file of torch.save" .. (form and ": it is " .. form or "")
end

--- The value that torch.save wrote to the file.
function Reader:read()
  local head = native.archives.read_file(self.path, 2 + #kMagic)
  if head:find "^PK" then return read_archive(self) end
  if head:find "^\x80" and head:sub(3) == kMagic then return read_legacy(self) end
  raise("%s: %s", self.path, other_kind(self.path, head))
end

return Reader

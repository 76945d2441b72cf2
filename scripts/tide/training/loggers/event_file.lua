-- Event files: records of a length, its checksum, data and its checksum.
local class = require "tide.internal.class"
local crc32c = require "tide.training.loggers.crc32c"
local raise = require "tide.internal.raise"
local summary = require "tide.training.loggers.summary"

-- Fields: caller, path, size (of the complete records written).
local EventFile = class "EventFile"

--- The bytes of a record.
function EventFile.record(data)
  local length = ("<I8"):pack(#data)
  return length .. ("<I4"):pack(crc32c.masked(length)) .. data .. ("<I4"):pack(crc32c.masked(data))
end

--- Creates a file with a unique name in a folder.
function EventFile:init(caller, folder, wall_time)
  self.caller, self.size = caller, 0
  -- The address of a table differs between programs that start in the same second.
  local own = tostring({}):match "0x(%x+)" or "0"
  local number = 0
  repeat
    self.path = ("%s/events.out.tfevents.%010d.tide.%s.%d"):format(folder, wall_time // 1, own, number)
    number = number + 1
    local there = io.open(self.path, "rb")
    if there then there:close() end
  until not there
  local file, reason = io.open(self.path, "wb")
  if not file then raise("%s: %s", caller, reason) end
  file:close()
  self:append {summary.first_event(wall_time)}
end

--- Appends events. If that fails, the next write overwrites the incomplete records.
function EventFile:append(events)
  local records = {}
  for i, data in ipairs(events) do records[i] = EventFile.record(data) end
  local text = table.concat(records)
  local file, reason = io.open(self.path, "r+b")
  if not file then raise("%s: %s", self.caller, reason) end
  file:setvbuf "no"
  local written
  written, reason = file:seek("set", self.size)
  if written then written, reason = file:write(text) end
  file:close()
  if not written then raise("%s: %s: %s", self.caller, self.path, reason) end
  self.size = self.size + #text
end

return EventFile

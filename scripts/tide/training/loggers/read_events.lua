-- loggers.read_events: reads an event file.
local checked = require "tide.internal.declare.checked"
local crc32c = require "tide.training.loggers.crc32c"
local protobuf = require "tide.training.loggers.protobuf"
local raise = require "tide.internal.raise"
local fields, number = protobuf.fields, protobuf.number

local kHistogram <const> = {"min", "max", "num", "sum", "sum_squares"}

--- A field that must be a string or a message.
local function bytes(value)
  if type(value) ~= "string" then error("a field is a number where bytes are expected", 0) end
  return value
end

--- A field that must be an integer.
local function integer(value)
  if type(value) ~= "number" then error("a field is bytes where an integer is expected", 0) end
  return value
end

local function histogram(text)
  local result = {bucket_limit = {}, bucket = {}}
  for field, value in fields(text) do
    if kHistogram[field] then result[kHistogram[field]] = number(value) end
    if field == 6 then result.bucket_limit = protobuf.list(value) end
    if field == 7 then result.bucket = protobuf.list(value) end
  end
  return result
end

local function image(text)
  local names, result = {"height", "width", "channels"}, {}
  for field, value in fields(text) do
    if names[field] then result[names[field]] = integer(value) end
    if field == 4 then result.png = bytes(value) end
  end
  return result
end

--- The string in a tensor; nil for a numeric tensor.
local function text_of(tensor)
  for field, value in fields(tensor) do
    if field == 8 then return bytes(value) end
  end
end

local kValues <const> = {[2] = number, [4] = image, [5] = histogram, [8] = text_of}

local function add_summary(into, text, step, wall_time)
  for field, entry in fields(text) do
    if field == 1 then
      local added = {step = step, wall_time = wall_time, tag = ""}
      for part, value in fields(entry) do
        if part == 1 then added.tag = bytes(value) end
        if kValues[part] then added.value = kValues[part](value) end
      end
      into[#into + 1] = added
    end
  end
end

local function add_event(into, data)
  local step, wall_time, summaries, values = 0, 0.0, {}, {}
  for field, value in fields(data) do
    if field == 1 then wall_time = number(value) end
    if field == 2 then step = integer(value) end
    if field == 5 then summaries[#summaries + 1] = value end
  end
  for _, text in ipairs(summaries) do add_summary(values, text, step, wall_time) end
  table.move(values, 1, #values, #into + 1, into)
end

local function check(path, text, at, first, last)
  if ("<I4"):unpack(text, last + 1) ~= crc32c.masked(text:sub(first, last)) then
    raise("read_events: %s: the record at byte %d is damaged: its checksum does not match", path, at - 1)
  end
end

--- Reads an event file: returns a list of {step, tag, value, wall_time}, and a message if the last record is truncated.
--- A damaged record is an error.
---@param path string  path of the file
---@example
--- local writer = tide.loggers.SummaryWriter(tide.scratch())
--- writer:add_scalar("loss", 0.5, 3)
--- writer:close()
--- tide.loggers.read_events(writer.path)[1].step --> 3
local read_events = checked("loggers.read_events", function(path)
  local file, reason = io.open(path, "rb")
  if not file then raise("read_events: %s", reason) end
  local text
  text, reason = file:read "a"
  file:close()
  if not text then raise("read_events: %s: %s", path, reason) end
  local events, at = {}, 1
  while at <= #text do
    local left = #text - at + 1
    local cut_off = ("the record at byte %d is truncated"):format(at - 1)
    if left < 12 then return events, cut_off end
    check(path, text, at, at, at + 7)
    local length = ("<i8"):unpack(text, at)
    if length < 0 or length > left - 16 then return events, cut_off end
    check(path, text, at, at + 12, at + 11 + length)
    local read, problem = pcall(add_event, events, text:sub(at + 12, at + 11 + length))
    if not read then raise("read_events: %s: the record at byte %d is damaged: %s", path, at - 1, problem) end
    at = at + 16 + length
  end
  return events
end)

return read_events

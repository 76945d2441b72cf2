-- The wire format of protocol buffers, as far as needed for events.
local protobuf = {}

local kVarint <const>, kDouble <const>, kBytes <const>, kFloat <const> = 0, 1, 2, 5

--- An unsigned integer in groups of 7 bits.
local function varint(value)
  local bytes = {}
  while value > 127 or value < 0 do
    bytes[#bytes + 1], value = string.char(value & 127 | 128), value >> 7
  end
  return table.concat(bytes) .. string.char(value)
end

function protobuf.integer(field, value) return varint(field << 3 | kVarint) .. varint(value) end

function protobuf.double(field, value) return varint(field << 3 | kDouble) .. ("<d"):pack(value) end

--- A float; values out of range become infinite.
function protobuf.float(field, value) return varint(field << 3 | kFloat) .. ("<f"):pack(value) end

--- A string or an encoded message.
function protobuf.bytes(field, text) return varint(field << 3 | kBytes) .. varint(#text) .. text end

--- A list of doubles.
function protobuf.doubles(field, list)
  local texts = {}
  for i, value in ipairs(list) do texts[i] = ("<d"):pack(value) end
  return protobuf.bytes(field, table.concat(texts))
end

-- Reading -----------------------------------------------------------------------------------------

--- The integer at offset `at` and the offset after it.
local function read_varint(text, at)
  local value = 0
  for shift = 0, 63, 7 do
    local group = text:byte(at)
    if not group then error("a number is truncated", 0) end
    value, at = value | (group & 127) << shift, at + 1
    if group < 128 then return value, at end
  end
  error("a number has more than 64 bits", 0)
end

local kSizes <const> = {[kDouble] = 8, [kFloat] = 4}

--- Iterates over the fields of a message: field number and value, where doubles, floats and messages
--- are raw bytes. Raises a message without a position if the data is damaged or not a message.
function protobuf.fields(text)
  if type(text) ~= "string" then error("a field is a number where bytes are expected", 0) end
  local at = 1
  return function()
    if at > #text then return nil end
    local key, value
    key, at = read_varint(text, at)
    local kind, size = key & 7, nil
    if kind == kVarint then
      value, at = read_varint(text, at)
      return key >> 3, value
    end
    if kind == kBytes then size, at = read_varint(text, at) else size = kSizes[kind] end
    if not size then error(("a field has the unknown wire type %d"):format(kind), 0) end
    if size < 0 or size > #text - at + 1 then error("a field is truncated", 0) end
    value, at = text:sub(at, at + size - 1), at + size
    return key >> 3, value
  end
end

--- The number in a field written by protobuf.double or protobuf.float.
function protobuf.number(text)
  if type(text) ~= "string" or #text ~= 4 and #text ~= 8 then error("a field is not a floating-point number", 0) end
  return ((#text == 8 and "<d" or "<f"):unpack(text))
end

--- The numbers in a field written by protobuf.doubles.
function protobuf.list(text)
  if type(text) ~= "string" or #text % 8 ~= 0 then error("a field is not a list of doubles", 0) end
  local list = {}
  for at = 1, #text, 8 do list[#list + 1] = ("<d"):unpack(text, at) end
  return list
end

return protobuf

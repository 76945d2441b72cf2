-- Converts between ONNX's and tide's tensors and dtypes.
local raise = require "tide.internal.raise"
local tide = require "tide"

local tensors = {}

-- By ONNX's number: the dtype the bytes are read as, and for unsigned types that tide lacks the wider
-- dtype that holds their values (for uint64 their bits) and the mask.
local kTypes <const> = {
  [1] = {"float32"}, [2] = {"uint8"}, [3] = {"int8"}, [4] = {"int16", "int32", 0xffff},
  [5] = {"int16"}, [6] = {"int32"}, [7] = {"int64"}, [9] = {"bool"}, [10] = {"float16"},
  [11] = {"float64"}, [12] = {"int32", "int64", 0xffffffff}, [13] = {"int64"}, [16] = {"bfloat16"},
}
local kNames <const> = {
  [0] = "undefined", [8] = "string", [14] = "complex64", [15] = "complex128", [17] = "float8e4m3fn",
  [18] = "float8e4m3fnuz", [19] = "float8e5m2", [20] = "float8e5m2fnuz", [21] = "uint4", [22] = "int4",
  [23] = "float4e2m1",
}
local kBytes <const> = {
  float32 = 4, uint8 = 1, int8 = 1, int16 = 2, int32 = 4, int64 = 8, bool = 1, float16 = 2,
  float64 = 8, bfloat16 = 2,
}

--- Tide's dtype for ONNX's number; raises an error for unsupported ones.
function tensors.dtype_of(number)
  local entry = kTypes[number]
  if not entry then
    raise("elements of the type %s are not supported", kNames[number] or tostring(number))
  end
  return entry[2] or entry[1]
end

--- ONNX's number for tide's dtype.
function tensors.number_of(dtype)
  for number, entry in pairs(kTypes) do
    if entry[1] == dtype and not entry[2] and number ~= 13 then return number end
  end
end

local kString <const> = 8

--- The list of text of a TensorProto with at most one dimension.
local function read_text(message)
  local list, dims = message.string_data or {}, message.dims or {}
  if #dims > 1 then raise("text in %d dimensions is not supported", #dims) end
  if #list ~= (dims[1] or 1) then raise("its size is %d, but it has %d strings", dims[1] or 1, #list) end
  return list
end

--- The number of bytes of a tensor's elements.
local function size_in_bytes(dims, width)
  local total, empty = width, false
  for _, size in ipairs(dims) do
    if size < 0 then raise("its sizes are (%s)", table.concat(dims, ", ")) end
    if size > 0 and total > math.maxinteger // 4 // size then
      raise("its sizes (%s) are too large", table.concat(dims, ", "))
    end
    empty, total = empty or size == 0, total * math.max(size, 1)
  end
  return empty and 0 or total
end

--- The bytes of a tensor stored in another file of the folder.
local function external_bytes(message, folder, bytes)
  local entry = {}
  for _, pair in ipairs(message.external_data or {}) do entry[pair.key or ""] = pair.value end
  local name = entry.location or ""
  if name == "" or name == "." or name == ".." or name:find "[/\\%z]" then
    raise("its data must be in the model's own folder, not in '%s'", name)
  end
  local offset, length = tonumber(entry.offset or 0), tonumber(entry.length or bytes)
  if math.type(offset) ~= "integer" or offset < 0 or length ~= bytes then
    raise("its data in '%s' has the offset %s and length %s, but %d bytes are needed", name,
      entry.offset, entry.length, bytes)
  end
  local file, reason = io.open(folder .. name, "rb")
  if not file then raise("its data is missing: %s", reason) end
  local _ <close> = file
  local size = file:seek "end"
  if not size or offset > size or size - offset < bytes then
    raise("its data is truncated: '%s' ends before byte %d", name, offset + bytes)
  end
  file:seek("set", offset)
  return bytes == 0 and "" or file:read(bytes) or ""
end

--- A tensor on the cpu from the table of a TensorProto, or a list of text; `folder` is the folder of
--- external data. Raises an error for an invalid tensor.
function tensors.read(message, folder)
  if message.data_type == kString then return read_text(message) end
  local entry = kTypes[message.data_type or 0]
  if not entry then tensors.dtype_of(message.data_type or 0) end
  if message.segment then raise "it is stored in segments" end
  local dims = message.dims or {}
  local bytes = size_in_bytes(dims, kBytes[entry[1]])
  local data = message.raw_data
  if message.data_location == 1 then data = external_bytes(message, folder, bytes) end
  if #data ~= bytes then
    raise("its shape (%s) needs %d bytes, but it has %d", table.concat(dims, ", "), bytes, #data)
  end
  local value = tide.from_bytes(data, entry[1], dims, {device = "cpu"})
  if not entry[2] then return value end
  return value:to(entry[2]):bitwise_and(entry[3])
end

--- The table of a TensorProto; waits for the values.
function tensors.write(name, value)
  return {
    name = name, dims = value.shape, data_type = tensors.number_of(value.dtype),
    raw_data = value:bytes(),
  }
end

return tensors

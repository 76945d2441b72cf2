-- The functions and classes that PyTorch pickles may use, which make tensors and plain values.
local tide = require "tide"

--- The storage classes of PyTorch: their types, and the bytes of an element.
local kStorages <const> = {
  FloatStorage = {"float32", 4}, DoubleStorage = {"float64", 8}, HalfStorage = {"float16", 2},
  BFloat16Storage = {"bfloat16", 2}, LongStorage = {"int64", 8}, IntStorage = {"int32", 4},
  ShortStorage = {"int16", 2}, CharStorage = {"int8", 1}, ByteStorage = {"uint8", 1},
  BoolStorage = {"bool", 1}, UntypedStorage = {"uint8", 1},
}

--- Unsupported tensors, and their names in errors.
local kOtherTensors <const> = {
  ["torch._utils._rebuild_sparse_tensor"] = "sparse tensors",
  ["torch._utils._rebuild_sparse_csr_tensor"] = "sparse tensors",
  ["torch._utils._rebuild_nested_tensor"] = "nested tensors",
  ["torch._utils._rebuild_qtensor"] = "quantized tensors",
  ["torch._utils._rebuild_meta_tensor_no_storage"] = "meta tensors without elements",
  ["torch.ComplexFloatStorage"] = "complex tensors",
  ["torch.ComplexDoubleStorage"] = "complex tensors",
  ["torch.QInt8Storage"] = "quantized tensors",
  ["torch.QUInt8Storage"] = "quantized tensors",
  ["torch.QInt32Storage"] = "quantized tensors",
}

local kDtypes <const> = {}
for name in ("float16 float32 float64 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool " ..
  "complex32 complex64 complex128 float8_e4m3fn float8_e5m2"):gmatch "[%w_]+" do
  kDtypes["torch." .. name] = name
end

local kMostElements <const> = 1 << 59

-- Plain values ------------------------------------------------------------------------------------

local function is_plain_table(value) return type(value) == "table" and not getmetatable(value) end

--- Makes a dict from a list of pairs, or from another dict, or an empty one.
local function dict(unpickler, arguments)
  local result, source = {}, arguments[1]
  if source == nil then return result end
  if not is_plain_table(source) then unpickler:fail "expected a table to make a dict" end
  local length = unpickler.lengths[source]
  for i = 1, length or 0 do
    local pair = source[i]
    if not is_plain_table(pair) then unpickler:fail "expected an entry of a dict to be a pair" end
    unpickler:count_copies(1)
    unpickler:set_entry(result, pair[1], pair[2])
  end
  if not length then
    for key, value in next, source do
      unpickler:count_copies(1)
      result[key] = value
    end
  end
  return result
end

local function set(unpickler, arguments)
  local result, source = {}, arguments[1]
  if source == nil then return result end
  if not is_plain_table(source) then unpickler:fail "expected a table to make a set" end
  for i = 1, unpickler.lengths[source] or #source do
    unpickler:count_copies(1)
    unpickler:set_entry(result, source[i], true)
  end
  return result
end

--- Bytes, which protocol 2 encodes as text in latin1.
local function latin1(unpickler, arguments)
  local text = arguments[1]
  if text == nil then return "" end
  if type(text) ~= "string" or not utf8.len(text) or text:find "[\xc4-\xff]" then
    unpickler:fail "expected bytes encoded as latin1"
  end
  unpickler:count_copies(#text)
  return (text:gsub("[\xc2\xc3][\x80-\xbf]", function(pair) return string.char(utf8.codepoint(pair)) end))
end

local function device(unpickler, arguments)
  local kind, index = arguments[1], arguments[2]
  if type(kind) ~= "string" then unpickler:fail "a device without a name" end
  return math.type(index) == "integer" and ("%s:%d"):format(kind, index) or kind
end

--- The first argument, which the others describe.
local function first(unpickler, arguments)
  local value = arguments[1]
  if value ~= nil and unpickler.unfit[value] then unpickler:fail "expected a tensor" end
  return value
end

--- A tuple that becomes a value: torch.Size.
local function sizes(unpickler, arguments)
  if not is_plain_table(arguments[1]) then unpickler:fail "expected a size to be a tuple" end
  return first(unpickler, arguments)
end

-- Tensors -----------------------------------------------------------------------------------------

--- Fails unless `list` is a tuple of sizes with an addressable number of elements.
local function check_sizes(unpickler, list)
  if not is_plain_table(list) then unpickler:fail "expected the sizes of a tensor to be a tuple" end
  local most = kMostElements
  for i = 1, #list do
    local size = list[i]
    if math.type(size) ~= "integer" or size < 0 then unpickler:fail "a tensor with an invalid size" end
    if size > most then unpickler:fail "a tensor whose sizes are too large" end
    most = most // math.max(size, 1)
  end
end

--- _rebuild_tensor(storage, offset, size, stride), and _v2, with further arguments requires_grad, hooks and metadata.
local function tensor(unpickler, arguments)
  local storage, offset, size, stride, further = arguments[1], arguments[2], arguments[3], arguments[4], arguments[7]
  if storage == unpickler.unknown then return storage end
  if not unpickler:is_special(storage, "tensor") then unpickler:fail "a tensor without a storage" end
  if is_plain_table(further) and next(further) ~= nil then
    return unpickler:refuse "tensors that are conjugated or negated lazily"
  end
  check_sizes(unpickler, size)
  if not is_plain_table(stride) then unpickler:fail "expected the strides of a tensor to be a tuple" end
  local fits, result = pcall(tide.as_strided, storage.tensor, size, stride, offset)
  if not fits then
    unpickler:fail("an invalid tensor: %s", tostring(result):match "as_strided: (.*)$" or result)
  end
  return result
end

--- _rebuild_tensor_v3: like _v2, for types without a storage class; the seventh argument is the type.
local function tensor_of_other_type(unpickler, arguments)
  local dtype = arguments[7]
  return unpickler:refuse("tensors of " .. (type(dtype) == "string" and dtype or "a type that tide does not have"))
end

--- _rebuild_from_type_v2(function, type, arguments, state): a tensor with attributes, or of a class
--- derived from it.
local function typed_tensor(unpickler, arguments)
  local make, kind, inner = arguments[1], arguments[2], arguments[3]
  if make == unpickler.unknown or kind == unpickler.unknown then return unpickler.unknown end
  if not unpickler:is_special(make, "call") or not is_plain_table(inner) then
    unpickler:fail "a tensor without a function that makes it"
  end
  if make.call == typed_tensor then unpickler:fail "a typed tensor of a typed tensor" end
  return make.call(unpickler, inner)
end

-- NumPy scalars -------------------------------------------------------------------------------------

--- Formats of string.unpack by NumPy type code.
local kNumbers <const> = {
  b1 = "B", i1 = "i1", i2 = "i2", i4 = "i4", i8 = "i8", u1 = "I1", u2 = "I2", u4 = "I4", f4 = "f", f8 = "d",
}

--- numpy.dtype(code, ...): its state has the byte order.
local function numpy_type(unpickler, arguments)
  local made = {number = kNumbers[arguments[1]], order = "<", is_bool = arguments[1] == "b1"}
  if not made.number then return unpickler:refuse "values of NumPy" end
  function made.take_state(reader, state)
    if not is_plain_table(state) then reader:fail "a NumPy type with an invalid state" end
    made.order = state[2] == ">" and ">" or "<"
  end
  return unpickler:special(made, "a type of NumPy")
end

--- numpy.core.multiarray.scalar(dtype, bytes)
local function numpy_scalar(unpickler, arguments)
  local kind, bytes = arguments[1], arguments[2]
  if kind == unpickler.unknown then return kind end
  if not unpickler:is_special(kind, "number") or type(bytes) ~= "string" then
    unpickler:fail "a number of NumPy without a type"
  end
  local format = kind.order .. kind.number
  if #bytes ~= string.packsize(format) then unpickler:fail "a number of NumPy of another size" end
  local number = string.unpack(format, bytes)
  if kind.is_bool then return number ~= 0 end
  return number
end

local kFunctions <const> = {
  ["numpy.dtype"] = numpy_type,
  ["numpy.core.multiarray.scalar"] = numpy_scalar,
  ["numpy._core.multiarray.scalar"] = numpy_scalar,
  ["collections.OrderedDict"] = dict,
  ["collections.Counter"] = dict,
  ["collections.defaultdict"] = function() return {} end, -- ignores the factory of missing values
  ["builtins.dict"] = dict,
  ["builtins.set"] = set,
  ["builtins.frozenset"] = set,
  ["builtins.bytes"] = latin1,
  ["builtins.bytearray"] = latin1,
  ["_codecs.encode"] = latin1,
  ["torch.Size"] = sizes,
  ["torch.device"] = device,
  ["torch.serialization._get_layout"] = first,
  ["torch._utils._rebuild_tensor"] = tensor,
  ["torch._utils._rebuild_tensor_v2"] = tensor,
  ["torch._utils._rebuild_tensor_v3"] = tensor_of_other_type,
  ["torch._utils._rebuild_parameter"] = first,
  ["torch._utils._rebuild_parameter_with_state"] = first,
  ["torch._tensor._rebuild_from_type_v2"] = typed_tensor,
}

--- Classes that only denote a type.
local kKinds <const> = {}
for name in ("torch.Tensor torch.nn.parameter.Parameter torch.nn.parameter.Buffer builtins.list builtins.int " ..
  "builtins.float builtins.str builtins.bool builtins.tuple"):gmatch "[%w_.]+" do
  kKinds[name] = true
end

local constructors = {}

--- Resolves a Python name: returns a plain value, a table with `call`, which makes one, or a table with `storage`, a
--- type and the bytes of an element. Returns nil and optionally a description if it is unknown.
function constructors.find(name)
  if kFunctions[name] then return {call = kFunctions[name]} end
  if kKinds[name] then return {} end
  if kDtypes[name] then return kDtypes[name] end
  local storage = kStorages[name:match "^torch%.(%w+)$" or name:match "^torch%.storage%.(%w+)$"]
  if storage then return {storage = storage} end
  return nil, kOtherTensors[name]
end

--- The PyTorch storage class of a type.
function constructors.storage_class(dtype)
  for name, storage in pairs(kStorages) do
    if storage[1] == dtype and name ~= "UntypedStorage" then return name end
  end
end

return constructors

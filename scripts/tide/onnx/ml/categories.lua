-- Categories: labels to numbers and back, one-hot codes, scores by label.
local raise = require "tide.internal.raise"
local tide = require "tide"
local values = require "tide.onnx.values"

local ops = {}

ops.text = {CategoryMapper = true, LabelEncoder = true, OneHotEncoder = true}

ops.attributes = {
  CategoryMapper = "cats_int64s cats_strings default_int64 default_string",
  LabelEncoder = "classes_strings default_float default_int64 default_string default_tensor "
    .. "keys_floats keys_int64s keys_strings keys_tensor "
    .. "values_floats values_int64s values_strings values_tensor",
  OneHotEncoder = "cats_int64s cats_strings zeros",
  ZipMap = "classlabels_int64s classlabels_strings",
}

--- The entries of x, a tensor or a list of text, as a flat list; waits.
local function entries(x) return tide.is_tensor(x) and values.list(x) or x end

--- The attribute of a node with one of these suffixes: its list, and the suffix.
local function list_of(node, stem, endings)
  for _, ending in ipairs(endings) do
    local list = node.attributes[stem .. ending]
    if list then return tide.is_tensor(list) and values.list(list) or list, ending end
  end
  return nil
end

--- Maps the entries of x, text to text or numbers; nan is also a valid key.
local function map(x, keys, results, default)
  local by_key, of_nan = {}, nil
  for i, key in ipairs(keys) do
    if key ~= key then of_nan = of_nan or results[i]
    elseif by_key[key] == nil then by_key[key] = results[i] end
  end
  local mapped = {}
  for i, entry in ipairs(entries(x)) do
    local result
    if entry ~= entry then result = of_nan else result = by_key[entry] end
    if result == nil then mapped[i] = default else mapped[i] = result end
  end
  return mapped
end

--- A flat list in the shape of x: a tensor of this dtype, or a list of text unchanged.
local function shaped(list, x, dtype)
  if dtype == "text" then return list end
  local shape = tide.is_tensor(x) and x.shape or {#x}
  local device = tide.is_tensor(x) and x.device or "cpu"
  return tide.tensor(list, {dtype = dtype, device = device}):reshape(shape)
end

local kEndings <const> = {"_strings", "_int64s", "_floats", "_tensor"}
local kTypes <const> = {_strings = "text", _int64s = "int64", _floats = "float32"}

--- The value for entries without a key.
local function default_of(a, dtype)
  if a.default_tensor then return entries(a.default_tensor)[1] end
  if dtype == "text" then return a.default_string or "_Unused" end
  if dtype:find "float" then return a.default_float or -0.0 end
  return a.default_int64 or -1
end

--- Keys and values of the node; version 1 has a list of text whose positions count from 0.
local function pairs_of(node, is_text)
  local a = node.attributes
  if a.classes_strings then
    local positions = {}
    for i in ipairs(a.classes_strings) do positions[i] = i - 1 end
    if is_text then return a.classes_strings, positions, "int64", a.default_int64 or -1 end
    return positions, a.classes_strings, "text", a.default_string or "_Unused"
  end
  local keys, results, ending = list_of(node, "keys", kEndings), list_of(node, "values", kEndings)
  if not keys or not results or #keys ~= #results then
    raise("%d keys for %d values", keys and #keys or 0, results and #results or 0)
  end
  local stored = a.values_tensor
  local dtype = kTypes[ending] or tide.is_tensor(stored) and stored.dtype or "text"
  return keys, results, dtype, default_of(a, dtype)
end

function ops.LabelEncoder(node, x)
  local keys, results, dtype, default = pairs_of(node, not tide.is_tensor(x))
  return shaped(map(x, keys, results, default), x, dtype)
end

function ops.CategoryMapper(node, x)
  local a = node.attributes
  if not a.cats_int64s or not a.cats_strings or #a.cats_int64s ~= #a.cats_strings then
    raise "cats_int64s and cats_strings must have the same length"
  end
  if tide.is_tensor(x) then return map(x, a.cats_int64s, a.cats_strings, a.default_string or "_Unused") end
  return shaped(map(x, a.cats_strings, a.cats_int64s, a.default_int64 or -1), x, "int64")
end

--- A row of zeros with a 1 at the category of each entry; with `zeros = 0` an unknown category is an error.
function ops.OneHotEncoder(node, x)
  local a = node.attributes
  local categories = a.cats_strings or a.cats_int64s
  if not categories then raise "expected cats_int64s or cats_strings" end
  local hot
  if tide.is_tensor(x) then
    local own = x:to("int64"):unsqueeze(-1)
    hot = own:eq(tide.tensor(categories, {dtype = "int64", device = x.device}))
  else
    local numbers = {}
    for i = 1, #categories do numbers[i] = i end
    hot = shaped(map(x, categories, numbers, 0), x, "int64"):unsqueeze(-1):eq(tide.tensor(numbers))
  end
  if a.zeros == 0 and not hot:any(-1):all():item() then raise "an entry is not a known category" end
  return hot:to("float32")
end

--- A table of scores by label for each row; waits.
function ops.ZipMap(node, x)
  local labels = node.attributes.classlabels_strings or node.attributes.classlabels_int64s
  local rows = (x:dim() == 1 and x:unsqueeze(1) or x):tolist()
  for i, row in ipairs(rows) do
    if not labels or #labels ~= #row then raise("%d labels for %d scores", labels and #labels or 0, #row) end
    local by_label = {}
    for k, label in ipairs(labels) do by_label[label] = row[k] end
    rows[i] = by_label
  end
  return rows
end

return ops

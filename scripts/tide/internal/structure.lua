-- Describes the tables of a file of tensors: JSON text, which tide.save writes to the metadata and
-- tide.load reads.
--
-- Lists are arrays, other tables {"fields": {name: value}} or, if keys are not UTF-8 text,
-- {"table": [[key, value]]}. {"tensor": name} is a tensor of the file, {"bytes": hex} text that is not
-- UTF-8, {"float": "inf" | "-inf" | "nan"} a number that JSON lacks. Floats have a point or an exponent.
local json = require "tide.internal.json"
local raise = require "tide.internal.raise"
local savable = require "tide.internal.savable"
local tide = require "tide"
local with_decimal_point = require "tide.internal.with_decimal_point"

local structure = {}

local kDeepest <const> = 100 -- each table takes up to three levels of JSON, which json.decode limits

local kFloats <const> = {inf = math.huge, ["-inf"] = -math.huge, nan = 0 / 0}

-- Writing -----------------------------------------------------------------------------------------

local function text_of(text)
  if utf8.len(text) then return json.quoted(text) end
  return ('{"bytes":"%s"}'):format(text:gsub(".", function(c) return ("%02x"):format(c:byte()) end))
end

local function number_of(value)
  if math.type(value) == "integer" then return ("%d"):format(value) end
  if value ~= value then return '{"float":"nan"}' end
  if value == math.huge or value == -math.huge then
    return value > 0 and '{"float":"inf"}' or '{"float":"-inf"}'
  end
  local text = ("%.17g"):format(value)
  return text:find "[.e]" and text or text .. ".0"
end

--- The key as part of a tensor's name, which is UTF-8 without zeros.
local function name_part(key)
  local name = tostring(key)
  return (name:gsub(utf8.len(name) and "%z" or "[%z\128-\255]", "?"))
end

--- The name of a tensor: its path, followed by a number if that is taken by another tensor
--- or by the format.
local function free_name(names, wanted)
  local name, number = wanted, 1
  while names[name] or name == "__metadata__" do
    number = number + 1
    name = ("%s~%d"):format(wanted, number)
  end
  return name
end

local Writer = {}
Writer.__index = Writer

function Writer:tensor(value, name)
  if not self.name_of[value] then
    name = free_name(self.tensors, name)
    self.name_of[value], self.tensors[name] = name, value
  else
    self.shared = true
  end
  return ('{"tensor":%s}'):format(json.quoted(self.name_of[value]))
end

--- Text of a plain table; `name` is that of its tensors up to their keys.
function Writer:table(value, place, prefix, depth)
  if self.above[value] then
    raise("save: %s: a table inside itself cannot be saved: it is %s", place, self.above[value])
  end
  if depth > kDeepest then raise("save: %s: tables are nested more than %d deep", place, kDeepest) end
  self.above[value] = place
  local keys, parts = savable.keys("save", value, place), {}
  local is_list, has_names = true, true
  for i, key in ipairs(keys) do
    is_list = is_list and key == i
    has_names = has_names and type(key) == "string" and utf8.len(key)
    local name = prefix .. name_part(key)
    parts[i] = self:value(value[key], name, name, depth + 1)
  end
  self.above[value] = nil
  if is_list then return "[" .. table.concat(parts, ",") .. "]" end
  for i, key in ipairs(keys) do
    local written = type(key) == "string" and text_of(key) or number_of(key)
    parts[i] = has_names and written .. ":" .. parts[i] or ("[%s,%s]"):format(written, parts[i])
  end
  return (has_names and '{"fields":{%s}}' or '{"table":[%s]}'):format(table.concat(parts, ","))
end

--- Text of a value that stands at `place`.
function Writer:value(value, place, name, depth)
  if tide.is_tensor(value) then return self:tensor(value, name) end
  local kind = type(value)
  if kind == "boolean" then return tostring(value) end
  if kind == "number" then return number_of(value) end
  if kind == "string" then return text_of(value) end
  if kind ~= "table" then raise("save: %s: a %s cannot be saved", place, kind) end
  if getmetatable(value) then value = savable.state_of("save", value, place) end
  return self:table(value, place, name == "" and "" or name .. ".", depth)
end

--- Whether a table holds only tensors, each under its name in the file.
local function is_flat(value, tensors)
  for key, entry in next, value do
    if not tide.is_tensor(entry) or not rawequal(tensors[key], entry) then return false end
  end
  return true
end

--- The tensors of a table by their names in a file, and the text that describes the table; no text if
--- the names and tensors say all.
structure.encode = with_decimal_point(function(value)
  if getmetatable(value) then value = savable.state_of("save", value, "the object") end
  local writer = setmetatable({
    name_of = {}, tensors = {}, above = {}, shared = false,
  }, Writer)
  local text = writer:value(value, "the table", "", 1)
  local flat = not writer.shared and is_flat(value, writer.tensors)
  return writer.tensors, not flat and text or nil
end)

-- Reading -----------------------------------------------------------------------------------------

local Reader = {}
Reader.__index = Reader

function Reader:damaged(format, ...)
  raise("%s: the description of its tables is damaged: %s", self.path, format:format(...))
end

local read = {}

function read.tensor(self, name)
  local tensor = type(name) == "string" and self.tensors[name] or nil
  if tensor == nil and self.is_part then return nil end
  if tensor == nil then self:damaged("there is no tensor '%s'", tostring(name)) end
  self.unnamed[name] = nil
  return tensor
end

function read.bytes(self, hex)
  if type(hex) ~= "string" or #hex % 2 == 1 or hex:find "%X" then self:damaged "bytes that are not hexadecimal" end
  return (hex:gsub("%x%x", function(pair) return string.char(tonumber(pair, 16)) end))
end

function read.float(self, name)
  return kFloats[name] or self:damaged("an unknown number '%s'", tostring(name))
end

function read.fields(self, fields)
  if type(fields) ~= "table" then self:damaged "fields that are not an object" end
  local result = {}
  for key, value in pairs(fields) do
    if type(key) ~= "string" then self:damaged "fields that are not an object" end
    result[key] = self:value(value)
  end
  return result
end

read["table"] = function(self, pairs_of)
  local result = {}
  if type(pairs_of) ~= "table" then self:damaged "a table that is not a list" end
  for _, pair in ipairs(pairs_of) do
    if type(pair) ~= "table" or #pair ~= 2 then self:damaged "a table whose entries are not pairs" end
    local key = self:value(pair[1])
    if type(key) ~= "string" and math.type(key) ~= "integer" then self:damaged "a key of a wrong type" end
    result[key] = self:value(pair[2])
  end
  return result
end

function Reader:value(node)
  if type(node) ~= "table" then return node end
  local tag, content = next(node)
  if tag == nil or type(tag) == "number" then
    local list = {}
    for i, entry in ipairs(node) do list[i] = self:value(entry) end
    return list
  end
  if not read[tag] or next(node, tag) ~= nil then self:damaged("unknown '%s'", tag) end
  return read[tag](self, content)
end

--- The table that a text describes, with these tensors of the file `path`; if `is_part`, without those that are not
--- among them.
function structure.decode(path, text, tensors, is_part)
  local reader = setmetatable({path = path, tensors = tensors, unnamed = {}, is_part = is_part}, Reader)
  for name in pairs(tensors) do reader.unnamed[name] = true end
  local document, problem = json.decode(text)
  if document == nil then reader:damaged("%s", problem or "it is null") end
  local value = reader:value(document)
  if type(value) ~= "table" then reader:damaged "it is not a table" end
  local unnamed = next(reader.unnamed)
  if unnamed then reader:damaged("it does not name the tensor '%s'", unnamed) end
  return value
end

--- The name in a file's metadata of the text.
structure.key = "tide.structure"

return structure

-- Writes values as a pickle of protocol 2, like torch.save, for torch.load with weights_only = True.
local class = require "tide.internal.class"
local constructors = require "tide.load_torch.constructors"
local raise = require "tide.internal.raise"
local savable = require "tide.internal.savable"
local tide = require "tide"

local kDeepest <const> = 100
local kFunction <const> = "save_torch"

local Pickler = class "Pickler"

--- `storages`: the tensors whose elements are stored, in order.
function Pickler:init()
  self.parts, self.storages, self.number_of, self.above = {}, {}, {}, {}
end

function Pickler:put(...)
  local parts = self.parts
  for i = 1, select("#", ...) do parts[#parts + 1] = (select(i, ...)) end
end

local function text_of(text) return "X" .. string.pack("<s4", text) end

function Pickler:integer(value)
  if value >= -(1 << 31) and value < 1 << 31 then return self:put(string.pack("<c1i4", "J", value)) end
  self:put(string.pack("<c1Bi8", "\x8a", 8, value))
end

--- A string: text if it is UTF-8, else bytes, encoded as latin1 characters.
function Pickler:string(value)
  if utf8.len(value) then return self:put(text_of(value)) end
  local characters = value:gsub("[\x80-\xff]", function(byte) return utf8.char(byte:byte()) end)
  self:put("c_codecs\nencode\n", text_of(characters), text_of "latin1", "\x86R")
end

function Pickler:integers(list)
  self:put "("
  for _, value in ipairs(list) do self:integer(value) end
  self:put "t"
end

--- A tensor with its own storage; repeated tensors are the same object in Python.
function Pickler:tensor(value)
  local number = self.number_of[value]
  if number then return self:put(string.pack("<c1I4", "j", number)) end
  number = #self.storages
  self.number_of[value], self.storages[number + 1] = number, value
  local strides, stride = {}, 1
  for d = value:dim(), 1, -1 do
    strides[d], stride = stride, stride * math.max(value:size(d), 1)
  end
  self:put("ctorch._utils\n_rebuild_tensor_v2\n((", text_of "storage",
    ("ctorch\n%s\n"):format(constructors.storage_class(value.dtype)), text_of(tostring(number)), text_of "cpu")
  self:integer(value:numel())
  self:put("tQ", "K\0")
  self:integers(value.shape)
  self:integers(strides)
  self:put("\x89", "ccollections\nOrderedDict\n)R", "tR", string.pack("<c1I4", "r", number))
end

--- The state of an optimizer in PyTorch's form: parameters are numbered from 0, and each group lists its parameters.
--- nil for other tables.
local function optimizer_state(value)
  if type(value.state) ~= "table" or type(value.param_groups) ~= "table" then return nil end
  local state, groups, number = {}, {}, 0
  for i, group in ipairs(value.param_groups) do
    if type(group) ~= "table" or math.type(group.params) ~= "integer" then return nil end
    local copy, params = {}, {}
    for key, option in pairs(group) do copy[key] = option end
    for i = 1, group.params do
      params[i], state[number] = number, value.state[number + 1]
      number = number + 1
    end
    copy.params, groups[i] = params, copy
  end
  return #groups > 0 and {state = state, param_groups = groups} or nil
end

--- A plain table: a Python list if its keys are 1 to n, else a dict.
function Pickler:table(value, place, depth)
  if self.above[value] then
    raise("%s: %s: a table inside itself cannot be saved: it is %s", kFunction, place, self.above[value])
  end
  if depth > kDeepest then raise("%s: %s: tables are nested more than %d deep", kFunction, place, kDeepest) end
  self.above[value] = place
  local content = optimizer_state(value) or value
  local keys = savable.keys(kFunction, content, place)
  local is_list = #keys > 0 and keys[1] == 1 and keys[#keys] == #keys
  self:put(is_list and "](" or "}(")
  local prefix = depth == 1 and "" or place .. "."
  for _, key in ipairs(keys) do
    if not is_list then self:key(key) end
    self:value(content[key], prefix .. tostring(key), depth + 1)
  end
  self:put(is_list and "e" or "u")
  self.above[value] = nil
end

function Pickler:key(key)
  if type(key) == "string" then return self:string(key) end
  self:integer(key)
end

--- A value; `place` is its path, for errors.
function Pickler:value(value, place, depth)
  if tide.is_tensor(value) then return self:tensor(value) end
  local kind = math.type(value) or type(value)
  if kind == "boolean" then return self:put(value and "\x88" or "\x89") end
  if kind == "integer" then return self:integer(value) end
  if kind == "float" then return self:put(string.pack(">c1d", "G", value)) end
  if kind == "string" then return self:string(value) end
  if kind ~= "table" then raise("%s: %s: a %s cannot be saved", kFunction, place, kind) end
  if getmetatable(value) then value = savable.state_of(kFunction, value, place) end
  self:table(value, place, depth)
end

--- The pickle of a value, and the tensors whose elements are its storages "0", "1", ...
local function pickle(value)
  local pickler = Pickler()
  pickler:put "\x80\x02"
  pickler:value(value, "the value", 1)
  pickler:put "."
  return table.concat(pickler.parts), pickler.storages
end

return pickle

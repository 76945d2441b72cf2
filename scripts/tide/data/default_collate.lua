-- data.default_collate: makes a batch from a list of samples.
local checked = require "tide.internal.declare.checked"
local protocol = require "tide.data.protocol"
local raise = require "tide.internal.raise"
local tide = require "tide"

local collate

--- "number", "tensor", "list", "table", ...: values of different kinds cannot be batched.
local function kind_of(value)
  if tide.is_tensor(value) then return "tensor" end
  if type(value) ~= "table" then return type(value) end
  if protocol.is_list(value) then return "list" end
  return not getmetatable(value) and "table" or protocol.kind_of(value)
end

--- "sample 7", or "sample 7, image[2]" inside of it.
local function place(at, k)
  local position = tostring(at.positions and at.positions[k] or k)
  return at.path == "" and "sample " .. position or ("sample %s, %s"):format(position, at.path)
end

--- The location of entry `key`.
local function inside(at, key)
  local step = math.type(key) and ("[%s]"):format(key)
    or (at.path == "" and "" or ".") .. tostring(key)
  return {positions = at.positions, path = at.path .. step}
end

local function fail(at, j, what_j, k, what_k)
  raise("default_collate: samples cannot be batched: %s is %s, %s is %s: pass a collate_fn " ..
    "that makes them equal", place(at, j), what_j, place(at, k), what_k)
end

local function shape_text(x) return ("a tensor of shape (%s)"):format(table.concat(x.shape, ", ")) end

local function same_shape(a, b)
  if #a ~= #b then return false end
  for d = 1, #a do
    if a[d] ~= b[d] then return false end
  end
  return true
end

local function stack(values, at)
  local shape = values[1].shape
  for k = 2, #values do
    if not same_shape(shape, values[k].shape) then
      fail(at, 1, shape_text(values[1]), k, shape_text(values[k]))
    end
  end
  return tide.stack(values)
end

--- Entry `key` of all samples, as a batch.
local function column(values, key, at)
  local entries = {}
  for k = 1, #values do entries[k] = values[k][key] end
  return collate(entries, inside(at, key))
end

--- Raises an error for a list that also has other keys.
local function check_keys(list, at, k)
  local count = 0
  for _ in next, list do count = count + 1 end
  if count ~= #list then
    raise("default_collate: %s is a list with other keys besides: a batch is made of lists, or of tables " ..
      "with keys", place(at, k))
  end
end

local function by_position(values, at)
  local count = #values[1]
  for k = 1, #values do check_keys(values[k], at, k) end
  for k = 2, #values do
    if #values[k] ~= count then
      fail(at, 1, ("a list of %d"):format(count), k, ("a list of %d"):format(#values[k]))
    end
  end
  local batch = {}
  for i = 1, count do batch[i] = column(values, i, at) end
  return batch
end

--- Raises an error for a sample without `key` that another sample has.
local function fail_without(at, j, key, k)
  local name = tostring(key)
  fail(at, j, ("a table with '%s'"):format(name), k, ("one without '%s'"):format(name))
end

local function by_key(values, at)
  local first = values[1]
  for k = 2, #values do
    for key in pairs(first) do
      if values[k][key] == nil then fail_without(at, 1, key, k) end
    end
    for key in pairs(values[k]) do
      if first[key] == nil then fail_without(at, k, key, 1) end
    end
  end
  local batch = {}
  for key in pairs(first) do batch[key] = column(values, key, at) end
  return batch
end

local function to_tensor(values) return tide.tensor(values) end

local kCollate = {
  tensor = stack, number = to_tensor, boolean = to_tensor, list = by_position, table = by_key,
  string = function(values) return values end,
}

function collate(values, at)
  local kind = kind_of(values[1])
  for k = 2, #values do
    local other = kind_of(values[k])
    if other ~= kind then fail(at, 1, "a " .. kind, k, "a " .. other) end
  end
  local make = kCollate[kind]
  if not make then
    raise("default_collate: %s is a %s: a batch is made of tensors, numbers, booleans, strings and " ..
      "tables of them; pass a collate_fn for others", place(at, 1), kind)
  end
  return make(values, at)
end

--- Makes a batch from a list of samples: tensors are stacked, numbers become a tensor, strings a list; tables are
--- batched by key.
---@param samples table  a list of samples
---@see data.DataLoader
---@param _positions? table  positions of the samples, for error messages
---@example
--- tide.data.default_collate({{x = 1, name = "a"}, {x = 2, name = "b"}}) --> {name = {"a", "b"}, x = {1, 2}}
local default_collate = checked("data.default_collate", function(samples, positions)
  if not protocol.is_list(samples) then raise "default_collate: samples: expected a list, got a table with names" end
  if #samples == 0 then raise "default_collate: the list of samples is empty" end
  return collate(samples, {positions = positions, path = ""})
end)

return default_collate

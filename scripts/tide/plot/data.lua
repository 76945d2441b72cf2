-- Data of plots: lists and tensors, copied when passed. The tensors of a figure are read together, in
-- one wait, when it is first drawn.
local kind_of = require "tide.internal.kind_of"
local raise = require "tide.internal.raise"
local tide = require "tide"

local data = {}

--- Appends the numbers of nested lists and determines their shape. An element of a list may be a
--- one-element tensor.
local function flatten(caller, name, list, depth, shape, flat)
  if shape[depth] and shape[depth] ~= #list then
    raise("%s: %s: the inner lists differ in length: %d and %d", caller, name, shape[depth], #list)
  end
  if #list == 0 and next(list) ~= nil then
    raise("%s: %s: expected a list of numbers, got values by name ('%s')", caller, name,
      tostring(next(list)))
  end
  shape[depth] = #list
  for i = 1, #list do
    local value = list[i]
    local kind = tide.is_tensor(value) and "tensor" or type(value)
    if kind == "table" then
      flatten(caller, name, value, depth + 1, shape, flat)
    elseif kind == "number" or kind == "boolean" or kind == "tensor" then
      if #shape ~= depth then raise("%s: %s: numbers and lists are mixed", caller, name) end
      if kind == "tensor" then
        if value:numel() ~= 1 then
          raise("%s: %s: expected a single value at %d, got shape (%s)", caller, name, i,
            table.concat(value.shape, ", "))
        end
        flat.unread = flat.unread or {}
        flat.unread[#flat + 1] = value:detach():reshape({1}):clone()
      end
      flat[#flat + 1] = kind == "number" and value + 0.0 or value == true and 1.0 or 0.0
    else
      raise("%s: %s: expected numbers, got %s at %d", caller, name, kind, i)
    end
  end
end

--- Takes a tensor or a list of numbers. `dims` lists the allowed numbers of dimensions, any if nil.
--- The result has `shape`, and, after data.read, `numbers` in row-major order.
function data.take(caller, name, value, dims)
  local taken
  if tide.is_tensor(value) then
    taken = {shape = value.shape, tensor = value:detach():clone()}
  elseif type(value) == "table" and getmetatable(value) == nil then
    local shape, flat = {}, {}
    flatten(caller, name, value, 1, shape, flat)
    taken = {shape = shape, unread = flat.unread, numbers = flat}
    flat.unread = nil
  else
    raise("%s: %s: expected a tensor or a list of numbers, got %s", caller, name, kind_of(value))
  end
  if not dims then return taken end
  for _, count in ipairs(dims) do
    if #taken.shape == count then return taken end
  end
  raise("%s: %s: expected %s dimension%s, got shape (%s)", caller, name, table.concat(dims, " or "),
    dims[#dims] == 1 and "" or "s", table.concat(taken.shape, ", "))
end

--- The number of elements.
function data.count(taken)
  local count = 1
  for _, size in ipairs(taken.shape) do count = count * size end
  return count
end

--- Reads the data of several results of take. Waits once if there are unread tensors.
function data.read(list)
  local tensors, targets = {}, {}
  local function request(tensor, numbers, first)
    if tensor:numel() == 0 then return end
    local copy = tensor:reshape(-1):to {device = "cpu", non_blocking = true}
    tensors[#tensors + 1] = copy:to "float64"
    targets[#targets + 1] = {numbers, first, tensor:numel()}
  end
  local read = {}
  for _, taken in ipairs(list) do
    read[taken] = taken.numbers or {}
    if taken.tensor then request(taken.tensor, read[taken], 1) end
    for index, tensor in pairs(taken.unread or {}) do request(tensor, read[taken], index) end
  end
  if #tensors > 0 then
    local all, from = tide.cat(tensors):tolist(), 1
    for _, target in ipairs(targets) do
      local numbers, first, count = table.unpack(target)
      table.move(all, from, from + count - 1, first, numbers)
      from = from + count
    end
  end
  for taken, numbers in pairs(read) do
    taken.numbers, taken.tensor, taken.unread = numbers, nil, nil
  end
end

return data

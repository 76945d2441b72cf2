-- The protocol of data sets: which values are data sets, their lengths, and checks of arguments.
local kind_of = require "tide.internal.kind_of"
local raise = require "tide.internal.raise"
local tide = require "tide"

local protocol = {}

local function index(value, name) return value[name] end

--- The function that a table or an object has under `name`; nil if it has none, even where reading
--- an unknown name is an error.
function protocol.method(value, name)
  if type(value) ~= "table" and type(value) ~= "userdata" or tide.is_tensor(value) then return nil end
  local found, method = pcall(index, value, name)
  return found and type(method) == "function" and method or nil
end

local method = protocol.method

--- Whether samples can only be iterated over: an IterableDataset, or any object that has
--- iter() and no get(i).
function protocol.is_stream(value)
  return method(value, "iter") ~= nil and method(value, "get") == nil
end

--- Whether a loader may call get_batch. A class that overrides get does not use the get_batch of its base class, and
--- an object can opt out by can_batch = false.
function protocol.can_batch(dataset)
  if not method(dataset, "get_batch") then return false end
  local level = dataset
  while type(level) == "table" do
    if rawget(level, "can_batch") == false then return false end
    if rawget(level, "get_batch") ~= nil then return true end
    if rawget(level, "get") ~= nil then return false end
    local meta = getmetatable(level)
    level = type(meta) == "table" and meta.__index
  end
  return true
end

--- Whether `value` is a plain list, which can hold samples.
function protocol.is_list(value)
  return type(value) == "table" and not getmetatable(value)
    and (value[1] ~= nil or next(value) == nil)
end

--- "integer", "tensor", or the class of an object: for messages.
function protocol.kind_of(value)
  return math.type(value) or kind_of(value)
end

--- The number of samples: `#value`, `value:len()`, or the length of a list or a tensor; nil if unknown.
function protocol.length(value)
  local meta = debug.getmetatable(value)
  if type(meta) == "table" and meta.__len then return #value end
  local len = method(value, "len")
  if len then return len(value) end
  if protocol.is_list(value) then return #value end
end

--- Like length, but raises an error if there is none.
function protocol.need_length(caller, what, value)
  local count = protocol.length(value)
  if math.type(count) == "integer" and count >= 0 then return count end
  if count == nil then
    raise("%s: %s has no length: #%s or %s:len() must return one", caller, what, what, what)
  end
  raise("%s: the length of %s must be a non-negative integer, got %s", caller, what, tostring(count))
end

--- The value itself if it is a data set, a data set of its rows for a tensor, and one of its
--- entries for a list.
function protocol.as_dataset(caller, value, what)
  if method(value, "get") or method(value, "iter") then return value end
  if tide.is_tensor(value) then return require "tide.data.tensor_dataset"(value) end
  if protocol.is_list(value) then return require "tide.data.list_dataset"(value) end
  raise("%s: %s: expected a dataset (with get(i) and a length, or with iter()), a tensor or a list, got %s",
    caller, what or "dataset", protocol.kind_of(value))
end

--- Like as_dataset, but samples must have positions.
function protocol.as_map(caller, value, what)
  local dataset = protocol.as_dataset(caller, value, what)
  if protocol.is_stream(dataset) then
    raise("%s: %s: an IterableDataset has no get(i), so its samples have no positions", caller,
      what or "dataset")
  end
  return dataset
end

--- An iterator over `value:iter()` that continues to return nil after the end.
function protocol.steps(value)
  local step, state, control = value:iter()
  if type(step) ~= "function" and not protocol.method(debug.getmetatable(step), "__call") then
    raise("%s: iter() must return a function, got %s", protocol.kind_of(value), protocol.kind_of(step))
  end
  local ended = false
  local function pass_on(first, ...)
    control, ended = first, first == nil
    return first, ...
  end
  return function()
    if ended then return nil end
    return pass_on(step(state, control))
  end
end

--- Raises an error unless the value is nil or a tide.Generator.
function protocol.check_generator(caller, value)
  local meta = debug.getmetatable(value)
  if value ~= nil and not (type(meta) == "table" and meta.__name == "tide.Generator") then
    raise("%s: generator: expected a tide.Generator, got %s", caller, protocol.kind_of(value))
  end
  return value
end

--- A number converted to an integer if it is integral; else nil, also for strings.
function protocol.whole(value) return type(value) == "number" and math.tointeger(value) or nil end

--- The position of a sample among `count`, which may be counted from the end (-1 is the last).
function protocol.check_position(caller, position, count)
  local i = protocol.whole(position)
  if i and i < 0 then i = count + 1 + i end
  if i and i >= 1 and i <= count then return i end
  raise("%s: get(%s): expected a position from 1 to %d, the number of samples", caller, tostring(position),
    count)
end

return protocol

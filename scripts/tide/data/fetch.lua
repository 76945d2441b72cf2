-- How samples are read and become a batch. Nothing here knows the loader: a function gets all that
-- it needs as arguments.
local default_collate = require "tide.data.default_collate"
local protocol = require "tide.data.protocol"
local raise = require "tide.internal.raise"
local tide = require "tide"

local fetch = {}

--- What pcall gave for the sample at `position`, but for its first value: an error is raised
--- again, with the position.
local function checked(position, succeeded, ...)
  if not succeeded then
    local message = ...
    if type(message) ~= "string" then error(message, 0) end
    raise("DataLoader: sample %s: %s", tostring(position), message)
  end
  if ... == nil then raise("DataLoader: sample %s: get(%s) gave nil", tostring(position), tostring(position)) end
  return ...
end

--- Several values as a list, a single one as it is; nothing for nil.
local function one(...)
  if select("#", ...) < 2 then return (...) end
  return {...}
end

--- The batch of samples, as values: those of collate_fn; without one those of default_collate,
--- which are several if a sample is a list.
local function batch_of(samples, positions, collate_fn)
  if collate_fn then return collate_fn(samples) end
  local batch = default_collate(samples, positions)
  if protocol.is_list(samples[1]) and #batch > 0 then return table.unpack(batch, 1, #batch) end
  return batch
end

--- The values of one sample, not made into a batch; collate_fn, if given, converts them.
--- `pass` is as in fetch.batch.
function fetch.sample(dataset, position, collate_fn, pass)
  if not collate_fn then return checked(position, pcall(dataset.get, dataset, position)) end
  return collate_fn(one(fetch.sample(dataset, position, nil, pass)))
end

--- The batch of the samples at these positions, a list or an int64 tensor, as values. A data set
--- with get_batch(positions) makes it itself, unless there is a collate_fn. `pass` is {seed, epoch},
--- on which, with a position, a sample's random numbers may depend and on nothing else.
function fetch.batch(dataset, positions, collate_fn, pass)
  local listed = not tide.is_tensor(positions)
  if listed and type(positions) ~= "table" then
    raise("DataLoader: batch_sampler gave a %s, expected a list or a tensor of positions", type(positions))
  end
  if not collate_fn and protocol.method(dataset, "get_batch") then
    return dataset:get_batch(listed and tide.tensor(positions, {dtype = "int64"}) or positions)
  end
  if not listed then positions = positions:tolist() end
  local samples = {}
  for k, position in ipairs(positions) do
    samples[k] = one(fetch.sample(dataset, position, nil, pass))
  end
  return batch_of(samples, positions, collate_fn)
end

--- Opens an iterable data set: returns a function that gives the values of the next sample, and
--- then nil.
function fetch.open(dataset)
  local step, state, control = dataset:iter()
  local number = 0
  local function pass_on(succeeded, first, ...)
    if not succeeded then checked(number, false, first) end
    control = first
    if first ~= nil then return first, ... end
  end
  return function()
    number = number + 1
    return pass_on(pcall(step, state, control))
  end
end

--- The next batch of an opened data set, as values: up to `size` samples, nil if none are left, or
--- with drop_last fewer than `size`.
function fetch.next_batch(next_sample, size, drop_last, collate_fn)
  local samples = {}
  while #samples < size do
    local sample = one(next_sample())
    if sample == nil then break end
    samples[#samples + 1] = sample
  end
  if #samples == 0 or drop_last and #samples < size then return nil end
  return batch_of(samples, nil, collate_fn)
end

--- The next sample of an opened data set, as values; nil if none are left.
function fetch.next_sample(next_sample, collate_fn)
  if not collate_fn then return next_sample() end
  local sample = one(next_sample())
  if sample ~= nil then return collate_fn(sample) end
end

return fetch

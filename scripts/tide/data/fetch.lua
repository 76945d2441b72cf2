-- Reads samples and makes batches. Independent of the loader: functions get everything as arguments.
local default_collate = require "tide.data.default_collate"
local kind_of = require "tide.internal.kind_of"
local native = require "tide.native"
local protocol = require "tide.data.protocol"
local raise = require "tide.internal.raise"
local tide = require "tide"

local fetch = {}

--- Returns the results of a pcall for the sample at `position`, or raises its error again, with the position.
local function checked(position, succeeded, ...)
  if not succeeded then
    local message = ...
    if type(message) ~= "string" then error(message, 0) end
    raise("DataLoader: sample %s: %s", tostring(position), message)
  end
  if ... == nil then raise("DataLoader: sample %s: get(%s) returned nil", tostring(position), tostring(position)) end
  return ...
end

--- Several values as a list, a single one unchanged.
local function one(...)
  if select("#", ...) < 2 then return (...) end
  return {...}
end

--- Returns the results of `name`; raises an error if the first is nil, which would end the loop.
local function some(name, ...)
  if ... == nil then raise("DataLoader: %s returned nil, which would end the loop", name) end
  return ...
end

--- The batch of samples, as values: the results of collate_fn, or of default_collate, which are several if a sample is
--- a list.
local function batch_of(samples, positions, collate_fn)
  if collate_fn then return some("collate_fn", collate_fn(samples)) end
  local batch = default_collate(samples, positions)
  if protocol.is_list(samples[1]) and #batch > 0 then return table.unpack(batch, 1, #batch) end
  return batch
end

--- The seed for sample or worker `number` in a pass (Steele, Lea and Flood, "Fast splittable pseudorandom number
--- generators", 2014).
function fetch.mix(pass, number)
  local z = pass.seed
  for _, word in ipairs {pass.epoch, number} do
    z = (z ~ word) + 0x9E3779B97F4A7C15
    z = (z ~ (z >> 30)) * 0xBF58476D1CE4E5B9
    z = (z ~ (z >> 27)) * 0x94D049BB133111EB
    z = z ~ (z >> 31)
  end
  return z
end

-- The generators of tide and of math.random are seeded, saved and restored together.

local function seed_random(seed)
  tide.manual_seed(seed)
  math.randomseed(seed)
end

--- The states of both; the second is nil if the script has replaced math.random.
local function random_states() return tide.get_rng_state(), native.math_random_state() end

local function set_random_states(state, math_state)
  tide.set_rng_state(state)
  if math_state then native.math_random_state(math_state) end
end

--- pcall(fn, ...) with random numbers that depend only on the pass and `number`; restores the script's generators.
local function seeded_pcall(pass, number, fn, ...)
  local state, math_state = random_states()
  seed_random(fetch.mix(pass, number))
  local function restored(...)
    set_random_states(state, math_state)
    return ...
  end
  return restored(pcall(fn, ...))
end

--- Returns the results of seeded_pcall, or raises its error again.
local function whole(succeeded, ...)
  if not succeeded then error((...), 0) end
  return ...
end

--- The values of one sample, unbatched; collate_fn, if given, converts them.
--- `pass` and `number` are as in fetch.batch.
function fetch.sample(dataset, position, collate_fn, pass, number)
  if collate_fn then
    return some("collate_fn", collate_fn(one(fetch.sample(dataset, position, nil, pass, number))))
  end
  -- A sampler's positions may be of any kind.
  local place = protocol.whole(position) or number
  return checked(position, seeded_pcall(pass, place, dataset.get, dataset, position))
end

--- The batch of the samples at these positions, a list or an int64 tensor, as values. A data set with
--- get_batch(positions) makes it itself, unless there is a collate_fn. `pass` is {seed, epoch}; it and a sample's
--- position, or the number of the batch, determine the random numbers.
function fetch.batch(dataset, positions, collate_fn, pass, number)
  local listed = not tide.is_tensor(positions)
  if listed and type(positions) ~= "table" then
    raise("DataLoader: batch_sampler returned a %s, expected a list or a tensor of positions", kind_of(positions))
  end
  if not collate_fn and protocol.can_batch(dataset) then
    if listed then positions = tide.tensor(positions, {dtype = "int64"}) end
    return some("get_batch", whole(seeded_pcall(pass, number, dataset.get_batch, dataset, positions)))
  end
  if not listed then positions = positions:tolist() end
  local samples = {}
  for k, position in ipairs(positions) do
    samples[k] = one(fetch.sample(dataset, position, nil, pass, number << 32 | k))
  end
  return batch_of(samples, positions, collate_fn)
end

--- Opens an iterable data set: returns an iterator over samples. Its random numbers are those of `worker` in the pass;
--- the script's are not affected.
function fetch.open(dataset, pass, worker)
  local outer, outer_math = random_states()
  seed_random(fetch.mix(pass, worker))
  local step, number = protocol.steps(dataset), 0
  local own, own_math = random_states()
  set_random_states(outer, outer_math)
  local function pass_on(succeeded, ...)
    own, own_math = random_states()
    set_random_states(outer, outer_math)
    if not succeeded then checked(number, false, ...) end
    return ...
  end
  return function()
    number = number + 1
    outer, outer_math = random_states()
    set_random_states(own, own_math)
    return pass_on(pcall(step))
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
  if sample ~= nil then return some("collate_fn", collate_fn(sample)) end
end

return fetch

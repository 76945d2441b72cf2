-- data.DataLoader: iterates over a data set in batches, in order or reshuffled in every pass.
local fetch = require "tide.data.fetch"
local define = require "tide.internal.declare.define"
local known_fields = require "tide.internal.known_fields"
local methods = require "tide.internal.declare.methods"
local native = require "tide.native"
local protocol = require "tide.data.protocol"
local raise = require "tide.internal.raise"
local samplers = require "tide.data.samplers"
local tide = require "tide"
local workers = require "tide.data.workers"

--- Iterates over a data set, a list or a tensor in batches: for x, y in loader do. With num_workers, threads read the
--- samples, each in its own Lua state. Batches and random numbers (also of math.random) do not depend on the number of
--- workers, only on tide.manual_seed, the pass and the position.
---@param dataset dataset  has #dataset and dataset:get(i), i from 1; also a list, a tensor or an IterableDataset
---@param batch_size integer > 0 | false = nil  samples per batch; false for single samples; nil is 1
---@param shuffle boolean = nil  reshuffle in each pass; nil is false
---@param sampler sampler = nil  iterates over the positions of the samples, from 1
---@param batch_sampler sampler = nil  iterates over lists of positions; replaces batch_size, shuffle, sampler and
---  drop_last
---@param num_workers integer >= 0 = 0  threads that read samples, each in its own Lua state; 0 reads in the loop itself
---@param collate_fn function = nil  makes a batch from a list of samples; nil is default_collate
---@param pin_memory boolean = false  put batches into pinned memory, which is faster to copy to CUDA devices
---@param drop_last boolean = false  drop the last batch if it is incomplete
---@param timeout number >= 0 = 0  seconds to wait for a worker; 0 is unlimited
---@param worker_init_fn function = nil  called with the worker's number, from 1, when it starts
---@param generator generator = nil  random generator of the order; nil is the default one
---@param prefetch_factor integer > 0 = nil  batches that each worker reads ahead; nil is 2
---@param persistent_workers boolean = false  keep the workers between passes
---@counts positions of samples
---@waits only for its workers
---@errors options that exclude each other; an error in a sample names its position
---@see data.TensorDataset data.Subset data.RandomSampler data.default_collate
---@example
--- local sizes = {}
--- for x in tide.data.DataLoader(tide.ones(5, 3), {batch_size = 2}) do sizes[#sizes + 1] = #x end
--- sizes --> {2, 2, 1}
local DataLoader, read = define("data.DataLoader")

--- Batches have no positions: ipairs over a loader would end immediately.
known_fields.watch(DataLoader, {refuse = function(_, name)
  if math.type(name) == "integer" then raise "DataLoader: batches are read by `for x, y in loader do`" end
end})
known_fields.optional(DataLoader, "batch_sampler", "collate_fn", "generator", "prefetch_factor", "sampler",
  "worker_init_fn")

--- Raises an error for two options that exclude each other.
local function exclude(given, name, other, why)
  if given[name] and given[other] then
    raise("DataLoader: %s and %s exclude each other: %s", name, other, why)
  end
end

local function check_workers(given)
  if given.num_workers > 0 then return end
  for _, name in ipairs {"prefetch_factor", "persistent_workers", "timeout"} do
    if given[name] and given[name] ~= 0 then
      raise("DataLoader: %s is for workers: it needs num_workers > 0, which is 0", name)
    end
  end
end

--- Raises an error for options that do not apply to an iterable data set.
local function check_stream(given)
  for _, name in ipairs {"shuffle", "sampler", "batch_sampler"} do
    if given[name] then
      raise("DataLoader: %s cannot go with an IterableDataset as dataset: its samples have no positions",
        name)
    end
  end
end

local function check_options(given)
  protocol.check_generator("DataLoader", given.generator)
  check_workers(given)
  if protocol.is_stream(given.dataset) then check_stream(given) end
  exclude(given, "sampler", "shuffle", "a sampler decides the order")
  if given.batch_sampler and given.batch_size == 1 then given.batch_size = nil end -- as without it
  for _, other in ipairs {"batch_size", "shuffle", "sampler", "drop_last"} do
    exclude(given, "batch_sampler", other, "a batch_sampler decides what makes a batch")
  end
  if given.batch_size == false and given.drop_last then
    raise "DataLoader: batch_size = false and drop_last exclude each other: there are no batches"
  end
end

--- The sampler of lists of positions, or without batches of positions.
local function indices_of(self)
  if self.batch_sampler then return self.batch_sampler end
  if self.batch_size then
    return samplers.BatchSampler(self.sampler, self.batch_size, self.drop_last)
  end
  return self.sampler
end

--- `dataset` has `#dataset` samples, read by `dataset:get(i)` or together by `dataset:get_batch(positions)`; or it has
--- iter(), or is a list or a tensor.
function DataLoader:init(...)
  local given = read(...)
  given.dataset = protocol.as_dataset("DataLoader", given.dataset)
  check_options(given)
  for name, value in pairs(given) do
    if name ~= "shuffle" then self[name] = value end -- the sampler handles it
  end
  self.passes = setmetatable({}, {__mode = "k"}) -- the passes of `for` loops, by the last batch
  self.epoch = 0
  if given.batch_size == nil and not given.batch_sampler then self.batch_size = 1 end
  if self.num_workers > 0 then workers.check(self) end
  if protocol.is_stream(self.dataset) then return end
  if given.batch_sampler then
    self.batch_sampler = samplers.as_sampler("DataLoader", given.batch_sampler, "batch_sampler")
  elseif given.sampler then
    self.sampler = samplers.as_sampler("DataLoader", given.sampler, "sampler")
  elseif given.shuffle then
    self.sampler = samplers.RandomSampler(self.dataset, {generator = given.generator})
  else
    self.sampler = samplers.SequentialSampler(self.dataset)
  end
  self.indices = indices_of(self)
end

--- The number of batches of a pass, or of samples without batches.
function DataLoader:__len()
  if self.indices then
    return protocol.need_length("DataLoader", self.batch_sampler and "batch_sampler" or "sampler", self.indices)
  end
  local count, size = protocol.need_length("DataLoader", "dataset", self.dataset), self.batch_size
  if not size then return count end
  return self.drop_last and count // size or (count + size - 1) // size
end

function DataLoader:__pairs() raise "DataLoader: batches are read by `for x, y in loader do`" end

-- A pass ------------------------------------------------------------------------------------------

--- The value with its tensors in pinned memory.
local function pinned(value)
  if protocol.method(value, "pin_memory") or tide.is_tensor(value) then return value:pin_memory() end
  if type(value) ~= "table" or getmetatable(value) then return value end
  local copy = {}
  for key, entry in pairs(value) do copy[key] = pinned(entry) end
  return copy
end

local function all_pinned(...)
  local values = table.pack(...)
  for k = 1, values.n do values[k] = pinned(values[k]) end
  return table.unpack(values, 1, values.n)
end

--- Whether each batch is a sample.
local function is_one_each(self) return not self.batch_size and not self.batch_sampler end

--- The first of the loader and its samplers that has a field of this name, and the field; or nil.
local function find_field(holder, name)
  while type(holder) == "table" do
    local value = rawget(holder, name)
    if value then return holder, value end
    holder = rawget(holder, "sampler") or rawget(holder, "batch_sampler")
  end
end

--- The sampler that counts epochs, as DistributedSampler does, and the epoch of its next pass.
local function epoch_of(self) return find_field(rawget(self, "sampler") or rawget(self, "batch_sampler"), "epoch") end

--- The states of the generators that the order of samples depends on; `own` is nil for the default one.
local function random_states(self)
  local _, generator = find_field(self, "generator")
  local _, epoch = epoch_of(self)
  return {default = tide.get_rng_state(), own = generator and generator:get_state(), epoch = epoch}
end

local function set_own_states(self, states)
  local _, generator = find_field(self, "generator")
  if states.own and generator then generator:set_state(states.own) end
  local sampler = epoch_of(self)
  if states.epoch and sampler then sampler.epoch = states.epoch end
end

local function set_random_states(self, states)
  tide.set_rng_state(states.default)
  set_own_states(self, states)
end

--- Returns an iterator over the positions of the batches of a pass: the remaining ones if the pass was resumed.
local function open_indices(self, pass)
  local indices = self.indices
  local own = not is_one_each(self) and indices.iter == samplers.BatchSampler.iter -- not overridden
  local function open() return own and indices:batches() or protocol.steps(indices) end
  if not pass.resumed then return open() end
  local now = random_states(self)
  set_random_states(self, pass.resumed)
  local step = open()
  for _ = 1, pass.taken do step() end
  set_random_states(self, now)
  return step
end

--- A pass over a data set with positions.
local function map_pass(self, pass)
  local dataset, collate_fn = self.dataset, self.collate_fn
  local get = is_one_each(self) and fetch.sample or fetch.batch
  local next_indices, number = open_indices(self, pass), pass.taken
  return function()
    local indices = next_indices()
    if indices == nil then return nil end
    number = number + 1
    return get(dataset, indices, collate_fn, pass, number)
  end
end

--- A pass whose batches are made by workers, and the pool to close if the pass is not finished.
local function worked_pass(self, pass)
  if not self.indices then return workers.stream(self, pass) end
  local pool = self.pool or workers.pool(self, pass, is_one_each(self))
  local step = pool:pass(open_indices(self, pass), pass)
  if not self.persistent_workers then return step, pool end
  self.pool = pool
  return step
end

--- A pass over an iterable data set, in this thread.
local function stream_pass(self, pass)
  local next_sample = fetch.open(self.dataset, pass, 1)
  return function()
    if not self.batch_size then return fetch.next_sample(next_sample, self.collate_fn) end
    return fetch.next_batch(next_sample, self.batch_size, self.drop_last, self.collate_fn)
  end
end

--- Starts a pass: {seed, epoch}, the number of batches taken, and, if resumed, the initial states of the generators.
local function new_pass(self)
  local saved = self.resumed
  self.resumed, self.epoch = nil, self.epoch + 1
  local seed = self.generator and self.generator:initial_seed() or tide.initial_seed()
  local position = {
    seed = saved and saved.seed or seed, taken = saved and saved.taken or 0,
    start = saved and saved.start or random_states(self),
  }
  self.position = position
  return {seed = position.seed, epoch = self.epoch, taken = position.taken, resumed = saved and saved.start}
end

--- Wraps the iterator `step` to count its batches.
local function counted(self, step)
  local position = self.position
  local function count(...)
    if ... ~= nil then
      position.taken = position.taken + 1
    elseif self.position == position then
      self.position = nil -- the pass is over
    end
    return ...
  end
  return function() return count(step()) end
end

--- Starts a pass: an iterator over batches, each of one value or several.
---@example
--- local loader = tide.data.DataLoader({1, 2, 3}, {batch_size = 2})
--- loader:iter()() --> {1, 2}
function DataLoader:iter()
  local pass = new_pass(self)
  local make = self.num_workers > 0 and worked_pass or self.indices and map_pass or stream_pass
  local step, pool = make(self, pass)
  if not self.indices then
    for _ = 1, pass.taken do step() end
  end
  step = counted(self, step)
  if not self.pin_memory then return step, nil, nil, pool end
  return function() return all_pinned(step()) end, nil, nil, pool
end

--- Starts a pass with the batches numbered from 1: for i, x, y in loader:enumerate() do.
---@example
--- local loader = tide.data.DataLoader({7, 8})
--- loader:enumerate()() --> 1, {7}
function DataLoader:enumerate()
  local step, _, _, pool = self:iter()
  local i = self.position.taken
  local function number(first, ...)
    if first == nil then return nil end
    i = i + 1
    return i, first, ...
  end
  return function() return number(step()) end, nil, nil, pool
end

-- State -------------------------------------------------------------------------------------------

--- The state of the loader: passes started, batches taken, and the state of the random order.
---@example
--- local loader = tide.data.DataLoader({7, 8})
--- loader:iter()()
--- loader:state_dict().taken --> 1
function DataLoader:state_dict()
  local at = self.resumed or self.position
  local now = random_states(self)
  local state = setmetatable({epoch = self.epoch, sampler_epoch = now.epoch}, native.list)
  if not at then return state end
  if self.resumed then state.epoch = self.epoch + 1 end
  state.seed, state.taken, state.start, state.generator = at.seed, at.taken, at.start, now.own
  return state
end

--- Restores a state: the next loop continues with the remaining batches of the pass, in the same order. With a
--- shuffled order, also restore tide.get_rng_state().
---@param state_dict table  result of state_dict
---@example
--- local loader, other = tide.data.DataLoader({7, 8}), tide.data.DataLoader({7, 8})
--- loader:iter()()
--- other:load_state_dict(loader:state_dict())
--- other:iter()() --> {8}
function DataLoader:load_state_dict(state_dict)
  local state = state_dict
  if state.taken and math.type(state.taken) ~= "integer" or math.type(state.epoch) ~= "integer" then
    raise "load_state_dict: expected a state of a DataLoader"
  end
  self.position = nil
  self.resumed = state.taken and {seed = state.seed, taken = state.taken, start = state.start}
  self.epoch = state.taken and state.epoch - 1 or state.epoch
  set_own_states(self, {own = state.generator, epoch = state.sampler_epoch})
end

-- Loops over the loader itself --------------------------------------------------------------------

local function refuse(what)
  raise("DataLoader: a loop over the loader itself requires batches that start with a tensor or a table, " ..
    "got a %s: write `in loader:iter()`", what)
end

--- Makes the first value of a batch unique among the loops over the loader, to identify its loop. A value already used
--- by another loop, which may have ended early, is replaced by a view or a copy.
local function own(self, value)
  local tensor = tide.is_tensor(value)
  if not tensor and type(value) ~= "table" then refuse(type(value)) end
  if self.passes[value] == nil then return value end
  if tensor then return value:view_as(value) end
  local copy = {}
  for key, entry in next, value do copy[key] = entry end
  return setmetatable(copy, getmetatable(value))
end

--- `for x, y in loader do`: Lua calls the loader with the first value of the last batch, which identifies the pass;
--- nil starts a new one. So loops may be nested and left early.
function DataLoader:__call(_, last)
  local step
  if last == nil then
    step = self:iter()
  else
    step, self.passes[last] = self.passes[last], nil
    if not step then raise "DataLoader: called by hand: write `for x, y in loader do` or loader:iter()" end
  end
  local function pass_on(first, ...)
    if first == nil then return nil end
    first = own(self, first)
    self.passes[first] = step
    return first, ...
  end
  return pass_on(step())
end

methods(DataLoader, "loader")

return DataLoader

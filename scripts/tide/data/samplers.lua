-- Samplers: the order in which a loader visits samples. A sampler is any object whose iter() returns an iterator over
-- positions.
local define = require "tide.internal.declare.define"
local known_fields = require "tide.internal.known_fields"
local methods = require "tide.internal.declare.methods"
local protocol = require "tide.data.protocol"
local raise = require "tide.internal.raise"
local tide = require "tide"

--- Iterates over a list.
local function each(list)
  local i = 0
  return function()
    i = i + 1
    return list[i]
  end
end

-- Sampler -----------------------------------------------------------------------------------------

--- The base class of samplers: a class defines iter(), which iterates over the positions of a pass, or order(), which
--- returns them in a tensor; and __len or len.
---@example
--- local Back = tide.class("Back", tide.data.Sampler)
--- function Back:order() return tide.tensor{3, 2, 1} end
--- local list = {}
--- for i in Back():iter() do list[#list + 1] = i end
--- list --> {3, 2, 1}
local Sampler = define "data.Sampler"

known_fields.watch(Sampler, {})

Sampler.__len = require "tide.data.dataset".Dataset.__len

--- Iterates over positions, or lists of them. Classes define this, or order(): all positions of a pass in an int64
--- tensor, which a loader splits into batches without waiting for its values.
---@example
--- tide.data.BatchSampler({1, 2, 3}, 2):iter()() --> {1, 2}
function Sampler:iter()
  if not self.order then
    raise("%s: the class does not define iter()", getmetatable(self).name)
  end
  return each(self:order():tolist())
end

--- Whether a sampler returns its order in one tensor, and no class overrides iter.
local function has_order(sampler)
  return protocol.method(sampler, "order") ~= nil and sampler.iter == Sampler.iter
end

-- The positions of a data set ---------------------------------------------------------------------

--- All positions in order.
---@param data_source dataset  the data set
---@counts the positions returned
---@see data.DataLoader data.RandomSampler data.WeightedRandomSampler data.BatchSampler
---@example
--- tide.data.SequentialSampler({7, 8, 9}):iter()() --> 1
local SequentialSampler, read_sequential = define("data.SequentialSampler", Sampler)

--- data.SequentialSampler(dataset): 1, 2, 3, ...
function SequentialSampler:init(...)
  local given = read_sequential(...)
  self.data_source = protocol.as_map("SequentialSampler", given.data_source, "data_source")
end

function SequentialSampler:__len()
  return protocol.need_length("SequentialSampler", "data_source", self.data_source)
end

function SequentialSampler:order() return tide.arange(1, #self + 1) end

--- Positions in random order, or drawn with replacement.
---@param data_source dataset  the data set
---@param replacement boolean = false  draw with replacement
---@param num_samples integer > 0 = nil  number of samples to draw; nil is #data_source
---@param generator generator = nil  random generator of the order; nil is the default one
---@counts the positions returned
---@see data.DataLoader data.WeightedRandomSampler data.BatchSampler
---@example
--- #tide.data.RandomSampler({7, 8, 9}, {num_samples = 5}) --> 5
local RandomSampler, read_random = define("data.RandomSampler", Sampler)

--- Each pass has a new random order.
function RandomSampler:init(...)
  local given = read_random(...)
  self.data_source = protocol.as_map("RandomSampler", given.data_source, "data_source")
  self.replacement = given.replacement
  self.generator = protocol.check_generator("RandomSampler", given.generator)
  self.num_samples = given.num_samples
  if self:count() == 0 then raise("RandomSampler: data_source has no samples to draw from") end
end

--- The number of samples that there are.
function RandomSampler:count()
  return protocol.need_length("RandomSampler", "data_source", self.data_source)
end

function RandomSampler:__len() return self.num_samples or self:count() end

function RandomSampler:order()
  local count, wanted, options = self:count(), #self, {generator = self.generator}
  if self.replacement then return tide.randint(1, count, {wanted}, options) end
  local orders = {}
  for k = 1, (wanted + count - 1) // count do orders[k] = tide.randperm(count, options) end
  return (#orders == 1 and orders[1] or tide.cat(orders)):narrow(1, 1, wanted)
end

-- Positions that are given ------------------------------------------------------------------------

--- These positions in random order.
---@param indices integer[] | tensor  positions of the samples, from 1
---@param generator generator = nil  random generator of the order; nil is the default one
---@counts the positions returned
---@see data.DataLoader data.RandomSampler data.WeightedRandomSampler data.BatchSampler
---@example
--- #tide.data.SubsetRandomSampler({3, 5}) --> 2
local SubsetRandomSampler, read_subset = define("data.SubsetRandomSampler", Sampler)

--- An int64 tensor of the positions in a list or a tensor.
local function positions_of(caller, name, value)
  local given = value
  if protocol.is_list(value) then
    for i, position in ipairs(value) do
      if not protocol.whole(position) then
        raise("%s: %s[%d]: expected a position, got %s", caller, name, i, tostring(position))
      end
    end
    value = tide.tensor(value, {dtype = "int64"})
  end
  if not tide.is_tensor(value) or value:dim() ~= 1 or value:is_floating_point() then
    raise("%s: %s: expected a list or a tensor of positions, got %s", caller, name,
      tide.is_tensor(given) and ("a tensor of shape (%s), %s"):format(table.concat(given.shape, ", "), given.dtype)
        or protocol.kind_of(given))
  end
  return value:to("int64")
end

--- data.SubsetRandomSampler(indices, generator): these positions, in a new random order in each
--- pass.
function SubsetRandomSampler:init(...)
  local given = read_subset(...)
  self.indices = positions_of("SubsetRandomSampler", "indices", given.indices)
  self.generator = protocol.check_generator("SubsetRandomSampler", given.generator)
end

function SubsetRandomSampler:__len() return #self.indices end

function SubsetRandomSampler:order()
  return self.indices:index_select(1,
    tide.randperm(#self.indices, {generator = self.generator}):to(self.indices.device))
end

-- Positions by weight -----------------------------------------------------------------------------

--- Positions drawn with these weights, with replacement by default.
---@param weights number[] | tensor  weight of each sample
---@param num_samples integer > 0  number of samples to draw
---@param replacement boolean = true  draw with replacement
---@param generator generator = nil  random generator of the order; nil is the default one
---@counts the positions returned
---@see data.DataLoader data.RandomSampler data.BatchSampler
---@example
--- tide.data.WeightedRandomSampler({0, 1, 0}, 4):iter()() --> 2
local WeightedRandomSampler, read_weighted = define("data.WeightedRandomSampler", Sampler)

--- data.WeightedRandomSampler(weights, num_samples, {replacement, generator}): num_samples positions,
--- drawn with probabilities in proportion to weights[i].
function WeightedRandomSampler:init(...)
  local given = read_weighted(...)
  local caller = "WeightedRandomSampler"
  self.num_samples = given.num_samples
  self.replacement = given.replacement
  self.generator = protocol.check_generator(caller, given.generator)
  if not tide.is_tensor(given.weights) and not protocol.is_list(given.weights) then
    raise("%s: weights: expected a list or a tensor, got %s", caller, protocol.kind_of(given.weights))
  end
  self.weights = tide.as_tensor(given.weights, {dtype = "float64"})
  if self.weights:dim() ~= 1 then
    raise("%s: weights must have one dimension, got shape (%s)", caller,
      table.concat(self.weights.shape, ", "))
  end
end

function WeightedRandomSampler:__len() return self.num_samples end

function WeightedRandomSampler:order()
  return self.weights:multinomial(self.num_samples, self.replacement, {generator = self.generator})
end

-- Batches -----------------------------------------------------------------------------------------

--- A sampler for the option `name`: the value itself, or a sampler of the entries of a list or a tensor.
local function as_sampler(caller, value, name)
  if protocol.method(value, "iter") then return value end
  if tide.is_tensor(value) then
    local order = positions_of(caller, name, value)
    return setmetatable({order = function() return order end, len = function() return #order end}, Sampler)
  end
  if protocol.is_list(value) then
    return {iter = function() return each(value) end, len = function() return #value end}
  end
  raise("%s: %s: expected a sampler (with iter()), or a list or a tensor of positions, got %s",
    caller, name, protocol.kind_of(value))
end

--- Groups the positions of a sampler into lists of batch_size.
---@param sampler sampler  iterates over the positions of the samples, from 1
---@param batch_size integer > 0  samples per batch
---@param drop_last boolean = false  drop the last batch if it is incomplete
---@counts the positions returned
---@see data.DataLoader data.RandomSampler data.WeightedRandomSampler
---@example
--- tide.data.BatchSampler({1, 2, 3}, 2):iter()() --> {1, 2}
local BatchSampler, read_batch = define("data.BatchSampler", Sampler)

function BatchSampler:init(...)
  local given = read_batch(...)
  self.sampler = as_sampler("BatchSampler", given.sampler, "sampler")
  self.batch_size = given.batch_size
  self.drop_last = given.drop_last
end

function BatchSampler:__len()
  local count = protocol.need_length("BatchSampler", "sampler", self.sampler)
  return self.drop_last and count // self.batch_size
    or (count + self.batch_size - 1) // self.batch_size
end

--- Lists of up to `size` of the positions that a sampler gives.
local function chunks(size, drop_last, sampler)
  local step = protocol.steps(sampler)
  return function()
    local batch = {}
    while #batch < size do
      local position = step()
      if position == nil then break end
      batch[#batch + 1] = position
    end
    if #batch == 0 or drop_last and #batch < size then return nil end
    return batch
  end
end

--- The batches for a loader: tensors if the sampler has order(), else lists.
function BatchSampler:batches()
  local size = self.batch_size
  if not has_order(self.sampler) then
    return chunks(size, self.drop_last, self.sampler)
  end
  local order = self.sampler:order()
  local taken, last = 0, self.drop_last and #order - #order % size or #order
  return function()
    if taken >= last then return nil end
    local batch = order:narrow(1, taken + 1, math.min(size, last - taken))
    taken = taken + size
    return batch
  end
end

--- One pass: a list of positions each time.
function BatchSampler:iter()
  return chunks(self.batch_size, self.drop_last, self.sampler)
end

-- Distributed samples -----------------------------------------------------------------------------

--- The part of the samples for process rank, from 0, of num_replicas; all parts have the same length.
---@param dataset dataset  has #dataset and dataset:get(i), i from 1; also a list or a tensor
---@param num_replicas integer > 0 = nil  number of processes; required
---@param rank integer >= 0 = nil  rank of this process, from 0; required
---@param shuffle boolean = true  reshuffle in each pass
---@param seed integer = 0  the seed of the order
---@param drop_last boolean = false  drop the last batch if it is incomplete
---@param pad boolean = true  repeat samples so that all processes have the same number
---@counts the positions returned
---@see data.DataLoader data.RandomSampler data.WeightedRandomSampler data.BatchSampler
---@example
--- #tide.data.DistributedSampler(tide.ones(5), {num_replicas = 2, rank = 0}) --> 3
local DistributedSampler, read_distributed = define("data.DistributedSampler", Sampler)

--- Positions from the start are repeated to make the parts equally long, or with drop_last = true the last samples are
--- dropped. With pad = false, for validation, each sample occurs once, and some parts have one sample less.
function DistributedSampler:init(...)
  local given = read_distributed(...)
  local caller = "DistributedSampler"
  self.dataset = protocol.as_map(caller, given.dataset)
  if given.num_replicas == nil or given.rank == nil then
    raise("%s: num_replicas and rank are required", caller)
  end
  self.num_replicas = given.num_replicas
  self.rank = given.rank
  if self.rank >= self.num_replicas then
    raise("%s: rank must be in 0..%d, got %s", caller, self.num_replicas - 1, tostring(given.rank))
  end
  self.shuffle = given.shuffle
  self.drop_last = given.drop_last
  self.pad = given.pad
  if self.drop_last and not self.pad then
    raise("%s: pad = false has no effect with drop_last = true: pass only one of them", caller)
  end
  self.seed, self.epoch = protocol.whole(given.seed), 0
  if not self.seed then raise("%s: seed must be an integer, got %s", caller, tostring(given.seed)) end
end

--- Sets the epoch of the next pass of a DistributedSampler. With shuffle, the order depends on the epoch and is the
--- same in all processes. The first pass has epoch 0; each further pass increments it.
---@param epoch integer  number of the pass
---@example
--- local sampler = tide.data.DistributedSampler({7, 8}, {num_replicas = 2, rank = 0})
--- sampler:set_epoch(3)
function DistributedSampler:set_epoch(epoch)
  self.epoch = epoch
end

function DistributedSampler:__len()
  local count = protocol.need_length("DistributedSampler", "dataset", self.dataset)
  if self.drop_last then return count // self.num_replicas end
  return (count + self.num_replicas - 1 - (self.pad and 0 or self.rank)) // self.num_replicas
end

--- The positions of all samples in the next pass.
function DistributedSampler:whole_order()
  local count = protocol.need_length("DistributedSampler", "dataset", self.dataset)
  if not self.shuffle then return tide.arange(1, count + 1) end
  local generator = tide.Generator()
  generator:manual_seed(self.seed + self.epoch)
  self.epoch = self.epoch + 1
  return tide.randperm(count, {generator = generator})
end

function DistributedSampler:order()
  local order = self:whole_order()
  local count, own = #order, #self
  if own == 0 then return order:narrow(1, 1, 0) end
  local total = self.pad and own * self.num_replicas or count
  if total > count then
    local repeated = {}
    for k = 1, (total + count - 1) // count do repeated[k] = order end
    order = tide.cat(repeated)
  end
  return order[{{self.rank + 1, total, self.num_replicas}}]
end

methods(Sampler, "sampler")
methods(BatchSampler, "sampler")
methods(DistributedSampler, "sampler")

return {
  Sampler = Sampler, SequentialSampler = SequentialSampler, RandomSampler = RandomSampler,
  SubsetRandomSampler = SubsetRandomSampler, WeightedRandomSampler = WeightedRandomSampler,
  BatchSampler = BatchSampler, DistributedSampler = DistributedSampler, as_sampler = as_sampler,
}

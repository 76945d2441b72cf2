-- data.Subset: some samples of a data set; data.random_split: splits a data set at random.
local Dataset = require "tide.data.dataset".Dataset
local protocol = require "tide.data.protocol"
local define = require "tide.internal.declare.define"
local reader = require "tide.internal.declare.reader"
local raise = require "tide.internal.raise"
local tide = require "tide"

--- The samples of a data set at these positions.
---@param dataset dataset  has #dataset and dataset:get(i), i from 1; also a list or a tensor
---@param indices integer[] | tensor  positions of the samples, from 1
---@counts positions of samples
---@see data.DataLoader data.TensorDataset data.ListDataset data.random_split
---@example
--- tide.data.Subset({7, 8, 9}, {3, 1}):get(1) --> 9
local Subset, read = define("data.Subset", Dataset)

--- Sample i is sample indices[i] of the data set.
function Subset:init(...)
  local given = read(...)
  self.dataset = protocol.as_map("Subset", given.dataset)
  local indices = given.indices
  if tide.is_tensor(indices) then indices = indices:tolist() end
  if not protocol.is_list(indices) then
    raise("Subset: indices: expected a list or a tensor of positions, got %s",
      protocol.kind_of(indices))
  end
  local count = protocol.need_length("Subset", "dataset", self.dataset)
  for i, position in ipairs(indices) do
    local whole = protocol.whole(position)
    if not whole or whole < 1 or whole > count then
      raise("Subset: indices[%d] is %s: expected a position from 1 to %d, the number of samples", i,
        tostring(position), count)
    end
  end
  self.indices = indices
  self.can_batch = protocol.can_batch(self.dataset)
end

function Subset:__len() return #self.indices end

function Subset:get(i)
  return self.dataset:get(self.indices[protocol.check_position("Subset", i, #self.indices)])
end

--- The batch at these positions of the subset, if the data set has get_batch.
function Subset:get_batch(positions)
  if not self.can_batch then raise "Subset: get_batch: the dataset has no get_batch" end
  self.positions = self.positions or tide.tensor(self.indices, {dtype = "int64"})
  return self.dataset:get_batch(self.positions:index_select(1, positions))
end

-- random_split ------------------------------------------------------------------------------------

--- Whether the lengths are fractions: their sum is 1 up to rounding, and not above 1.
local function are_fractions(sum) return sum <= 1 and sum >= 1 - 1e-9 end

--- Integer lengths for fractions of `count`, rounded down; remaining samples go to the first parts, one each.
local function lengths_of(fractions, count)
  local lengths, left = {}, count
  for i, fraction in ipairs(fractions) do
    if fraction < 0 or fraction > 1 then
      raise("random_split: lengths[%d]: a fraction must be in 0..1, got %s", i, tostring(fraction))
    end
    lengths[i] = math.floor(count * fraction)
    left = left - lengths[i]
  end
  for i = 1, left do
    local at = (i - 1) % #lengths + 1
    lengths[at] = lengths[at] + 1
  end
  return lengths
end

--- Splits a data set at random into subsets of these lengths or fractions; returns a list.
---@param dataset dataset  has #dataset and dataset:get(i), i from 1; also a list or a tensor
---@param lengths number[]  number of samples of each part, or fractions that sum to 1
---@param generator generator = nil  random generator of the order; nil is the default one
---@counts positions of samples
---@see data.DataLoader data.TensorDataset data.ListDataset data.Subset
---@example
--- local parts = tide.data.random_split(tide.ones(10), {0.8, 0.2})
--- #parts[1], #parts[2] --> 8, 2
local read_split = reader "data.random_split"

--- Lengths are numbers of samples, which must add up to the size of the data set, or fractions that add up to 1.
local function random_split(...)
  local given = read_split(...)
  local dataset = protocol.as_map("random_split", given.dataset)
  local count = protocol.need_length("random_split", "dataset", dataset)
  local lengths, sum = given.lengths, 0
  if not protocol.is_list(lengths) or #lengths == 0 then
    raise("random_split: lengths: expected a list of numbers, got %s", protocol.kind_of(lengths))
  end
  for i, length in ipairs(lengths) do
    if type(length) ~= "number" then
      raise("random_split: lengths[%d]: expected a number, got %s", i, protocol.kind_of(length))
    end
    sum = sum + length
  end
  if are_fractions(sum) then
    lengths, sum = lengths_of(lengths, count), count
  end
  for i, length in ipairs(lengths) do
    if not protocol.whole(length) or length < 0 then
      raise("random_split: lengths[%d]: expected a number of samples, got %s (fractions must add up to 1)",
        i, tostring(length))
    end
  end
  if sum ~= count then
    raise("random_split: the lengths add up to %s, the dataset has %d samples", tostring(sum), count)
  end
  local generator = protocol.check_generator("random_split", given.generator)
  local order = tide.randperm(count, {generator = generator}):tolist()
  local parts, taken = {}, 0
  for i, length in ipairs(lengths) do
    length = math.tointeger(length)
    parts[i] = Subset(dataset, table.move(order, taken + 1, taken + length, 1, {}))
    taken = taken + length
  end
  return parts
end

return {Subset = Subset, random_split = random_split}

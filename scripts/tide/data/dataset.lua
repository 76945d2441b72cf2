-- data.Dataset and data.IterableDataset: the base classes of data sets.
local define = require "tide.internal.declare.define"
local known_fields = require "tide.internal.known_fields"
local raise = require "tide.internal.raise"

--- The base class of data sets with positions: a class defines get(i) and __len or len, and may define
--- get_batch(positions).
---@example
--- local Squares = tide.class("Squares", tide.data.Dataset)
--- function Squares:len() return 3 end
--- function Squares:get(i) return i * i end
--- tide.data.DataLoader(Squares(), {batch_size = 3}):iter()() --> {1, 4, 9}
local Dataset = define "data.Dataset"

--- The base class of data sets without positions, which are iterated over: a class defines iter().
---@example
--- local Words = tide.class("Words", tide.data.IterableDataset)
--- function Words:iter() return ("to be or"):gmatch "%a+" end
--- tide.data.DataLoader(Words(), {batch_size = 2}):iter()() --> {"to", "be"}
local IterableDataset = define "data.IterableDataset"

--- A sample may have several values, which indexing cannot return.
known_fields.watch(Dataset, {refuse = function(made, name)
  if math.type(name) == "integer" then raise("%s: samples are read by dataset:get(%d)", made.name, name) end
end})
known_fields.optional(Dataset, "can_batch")

known_fields.watch(IterableDataset, {refuse = function(made, name)
  if math.type(name) == "integer" then raise("%s: samples are read by `in dataset:iter() do`", made.name) end
end})

--- The default __len, which calls the method `len`.
local function length(self)
  if self.len then return self:len() end
  raise("%s: the class defines neither __len nor len", getmetatable(self).name)
end

Dataset.__len, IterableDataset.__len = length, length

--- Sample i, as one value or several. Classes define it.
function Dataset:get()
  raise("%s: the class does not define get(i)", getmetatable(self).name)
end

--- `a + b`: the samples of a, then those of b.
function Dataset.__add(a, b) return require "tide.data.concat_dataset"({a, b}) end

--- Returns an iterator over the samples; it may be a triple as returned by pairs. Classes define it.
function IterableDataset:iter()
  raise("%s: the class does not define iter()", getmetatable(self).name)
end

--- `a + b`: the samples of a, then those of b.
function IterableDataset.__add(a, b) return require "tide.data.chain_dataset"({a, b}) end

return {Dataset = Dataset, IterableDataset = IterableDataset}

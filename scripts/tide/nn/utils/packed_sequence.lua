-- nn.utils.rnn.PackedSequence: sequences of different lengths without padding, for recurrent layers; and the
-- functions that pack and unpack sequences.
local checked = require "tide.internal.declare.checked"
local class = require "tide.internal.class"
local define = require "tide.internal.declare.define"
local reader = require "tide.internal.declare.reader"
local kind_of = require "tide.internal.kind_of"
local raise = require "tide.internal.raise"
local tide = require "tide"

local packing = {}

--- Sequences without padding: all first elements, then all second ones, ...; packed:to(device) moves them.
---@param data tensor  elements step by step
---@param batch_sizes integer[] | tensor  number of sequences at each step
---@param sorted_indices tensor = nil  order of the sequences, from 1
---@param unsorted_indices tensor = nil  inverse of sorted_indices, from 1
---@example
--- nn.utils.rnn.PackedSequence(tide.tensor{1, 3, 2}, {2, 1}).batch_sizes --> {2, 1}
local PackedSequence, read_packed = define("nn.utils.rnn.PackedSequence")
packing.PackedSequence = PackedSequence

--- The integers of a list or tensor.
local function numbers(value) return tide.is_tensor(value) and value:tolist() or value end

--- `data` has the first elements of all sequences, the longest sequence first, then the second elements, and so on.
--- `sorted_indices` are the positions of the sequences before they were sorted by length (nil: they already were).
function PackedSequence:init(...)
  local given = read_packed(...)
  self.data = given.data
  -- On the host, where the loop over the steps runs.
  self.batch_sizes = tide.as_tensor(numbers(given.batch_sizes), {dtype = "int64", device = "cpu"})
  self.sizes = numbers(given.batch_sizes)
  self.sorted_indices = given.sorted_indices
  self.unsorted_indices = given.unsorted_indices
    or given.sorted_indices and given.sorted_indices:argsort()
end

--- The same sequences with other data, such as a layer's output.
function PackedSequence:with_data(data)
  return PackedSequence(data, self.sizes, self.sorted_indices, self.unsorted_indices)
end

--- The sequences on another device or with another type; the indices follow the device.
function PackedSequence:to(...)
  local data = self.data:to(...)
  local function follow(indices) return indices and indices:to(data.device) end
  return PackedSequence(data, self.sizes, follow(self.sorted_indices),
    follow(self.unsorted_indices))
end

-- Methods of tensors.
for _, name in ipairs {
  "cpu", "cuda", "float", "double", "half", "bfloat16", "long", "int", "short", "char", "byte",
} do
  PackedSequence[name] = function(self, ...) return self:to(self.data[name](self.data, ...)) end
end

function PackedSequence:pin_memory() return self:with_data(self.data:pin_memory()) end

function PackedSequence:is_pinned() return self.data:is_pinned() end

function PackedSequence:__tostring()
  return ("PackedSequence(%d sequences, %d elements)"):format(self.sizes[1], #self.data)
end

--- Returns the lengths as a list, checked.
local function checked_lengths(name, lengths, batch, longest)
  local list = numbers(lengths)
  if type(list) ~= "table" then
    raise("%s: lengths: expected a list or a tensor, got %s", name, kind_of(lengths))
  end
  if #list ~= batch then raise("%s: %d lengths for %d sequences", name, #list, batch) end
  for i, length in ipairs(list) do
    if not math.tointeger(length) or length < 1 or length > longest then
      raise("%s: length %d must be an integer in 1..%d, got %s", name, i, longest,
        tostring(length))
    end
  end
  return list
end

--- Positions (from 1) of the packed elements in a flattened (longest, n) or (n, longest) tensor; `order` has the
--- original position of each sorted sequence.
local function padded_positions(sizes, order, batch, batch_first, longest)
  local list = {}
  for t, count in ipairs(sizes) do
    for row = 1, count do
      local sequence = order and order[row] or row
      list[#list + 1] = batch_first and (sequence - 1) * longest + t or (t - 1) * batch + sequence
    end
  end
  return list
end

--- Packs padded sequences for recurrent layers; with {enforce_sorted = false} lengths may be in any order.
---@param input tensor  sequences padded to the same length
---@use nn: lengths
---@param batch_first boolean = false  (n, length, ...) instead of (length, n, ...)
---@use nn: enforce_sorted = true
---@example
--- nn.utils.rnn.pack_padded_sequence(tide.tensor{{1, 2}, {3, 0}}, {2, 1}, true).data --> {1, 3, 2}
local read_pack = reader "nn.utils.rnn.pack_padded_sequence"

--- With enforce_sorted the longest sequence must come first; otherwise they are sorted here.
function packing.pack_padded_sequence(...)
  local given = read_pack(...)
  local x, batch_first = given.input, given.batch_first
  if x:dim() < 2 then
    raise("pack_padded_sequence: expected an input of at least 2 dimensions, got %d", x:dim())
  end
  local batch, steps = x:size(batch_first and 1 or 2), x:size(batch_first and 2 or 1)
  local lengths = checked_lengths("pack_padded_sequence", given.lengths, batch, steps)
  if batch == 0 then raise("pack_padded_sequence: there are no sequences") end
  local order = {}
  for i = 1, batch do order[i] = i end
  if given.enforce_sorted then
    for i = 2, batch do
      if lengths[i] > lengths[i - 1] then
        raise("pack_padded_sequence: lengths must not increase (%d after %d): sort the sequences, or "
          .. "pass {enforce_sorted = false}", lengths[i], lengths[i - 1])
      end
    end
  else
    table.sort(order, function(a, b)
      return lengths[a] > lengths[b] or lengths[a] == lengths[b] and a < b
    end)
  end
  local sizes = {}
  for t = 1, lengths[order[1]] do
    local count = 0
    while count < batch and lengths[order[count + 1]] >= t do count = count + 1 end
    sizes[t] = count
  end
  local on = {device = x.device}
  local from = tide.tensor(padded_positions(sizes, order, batch, batch_first, steps), on)
  local sorted = not given.enforce_sorted and tide.tensor(order, on) or nil
  return PackedSequence(x:flatten(1, 2):index_select(1, from), sizes, sorted)
end

--- The padded sequences of a PackedSequence, in their order before packing, and a tensor of their lengths.
---@param sequence PackedSequence  packed sequences
---@param batch_first boolean = false  (n, length, ...) instead of (length, n, ...)
---@use nn: padding_value = 0.0
---@param total_length integer >= 0 = nil  length to pad to; nil is the longest length
---@example
--- local rnn = nn.utils.rnn
--- local packed = rnn.pack_padded_sequence(tide.tensor{{1, 2}, {3, 9}}, {2, 1}, true)
--- rnn.pad_packed_sequence(packed, true) --> {{1, 2}, {3, 0}}, {2, 1}
local read_pad = reader "nn.utils.rnn.pad_packed_sequence"

--- Raises an error unless `value` is a PackedSequence.
local function check_packed(name, value)
  if not class.is_a(value, PackedSequence) then
    raise("%s: expected a PackedSequence, got %s", name, kind_of(value))
  end
end

function packing.pad_packed_sequence(...)
  local given = read_pad(...)
  local packed, batch_first = given.sequence, given.batch_first
  check_packed("pad_packed_sequence", packed)
  local sizes, data = packed.sizes, packed.data
  local batch, longest = sizes[1], given.total_length or #sizes
  if longest < #sizes then
    raise("pad_packed_sequence: total_length must be at least %d, got %d", #sizes, longest)
  end
  local order = packed.sorted_indices and packed.sorted_indices:tolist()
  local lengths = {}
  for row = 1, batch do lengths[row] = 0 end
  for _, count in ipairs(sizes) do
    for row = 1, count do
      local sequence = order and order[row] or row
      lengths[sequence] = lengths[sequence] + 1
    end
  end
  local to = tide.tensor(padded_positions(sizes, order, batch, batch_first, longest), {device = data.device})
  local shape = data.shape
  shape[1] = batch * longest
  local padded = data:new_full(shape, given.padding_value):index_copy(1, to, data)
  local first = batch_first and {batch, longest} or {longest, batch}
  return padded:unflatten(1, first), tide.tensor(lengths)
end

--- Packs a list of sequences (length, ...).
---@use nn: sequences, enforce_sorted = true
---@example
--- local packed = nn.utils.rnn.pack_sequence{tide.ones(3, 2), tide.ones(1, 2)}
--- local y, h = nn.GRU(2, 4)(packed)
--- y.data.shape, h.shape --> {4, 4}, {1, 2, 4}
packing.pack_sequence = checked("nn.utils.rnn.pack_sequence", function(sequences, enforce_sorted)
  local lengths = {}
  local padded = require("tide.nn.utils.rnn").pad_sequence(sequences)
  for i, sequence in ipairs(sequences) do lengths[i] = #sequence end
  return packing.pack_padded_sequence(padded, lengths, {enforce_sorted = enforce_sorted})
end)

--- The sequences of a PackedSequence, as a list.
---@param packed PackedSequence  packed sequences
---@example
--- local rnn = nn.utils.rnn
--- rnn.unpack_sequence(rnn.pack_sequence{tide.tensor{1, 2}, tide.tensor{3}}) --> {{1, 2}, {3}}
packing.unpack_sequence = checked("nn.utils.rnn.unpack_sequence", function(packed)
  check_packed("unpack_sequence", packed)
  local padded, lengths = packing.pad_packed_sequence(packed, true)
  return require("tide.nn.utils.rnn").unpad_sequence(padded, lengths, true)
end)

return packing

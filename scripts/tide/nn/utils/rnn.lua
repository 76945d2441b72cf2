-- tide.nn.utils.rnn: sequences of different lengths in one tensor.
local reader = require "tide.internal.declare.reader"
local kind_of = require "tide.internal.kind_of"
local raise = require "tide.internal.raise"
local strict_table = require "tide.internal.strict_table"
local tide = require "tide"

local rnn = {}

--- Stacks sequences (length, ...), padded to the longest: (longest, n, ...), or (n, longest, ...).
---@use nn: sequences
---@param batch_first boolean = false  (n, length, ...) instead of (length, n, ...)
---@use nn: padding_value = 0
---@param padding_side "right" | "left" = "right"  side on which to pad
---@example
--- nn.utils.rnn.pad_sequence({tide.tensor{1, 2}, tide.tensor{3}}, {batch_first = true}) --> {{1, 2}, {3, 0}}
local read_pad = reader "nn.utils.rnn.pad_sequence"

--- Reverts pad_sequence: returns the sequences of these lengths as a list.
---@param padded tensor  sequences padded to the same length
---@use nn: lengths
---@param batch_first boolean = false  (n, length, ...) instead of (length, n, ...)
---@example
--- nn.utils.rnn.unpad_sequence(tide.tensor{{1, 2}, {3, 0}}, tide.tensor{2, 1}, true) --> {{1, 2}, {3}}
local read_padded = reader "nn.utils.rnn.unpad_sequence"

--- Raises an error unless `sequences` is a non-empty list of tensors with at least one dimension.
local function check_sequences(sequences)
  if #sequences == 0 then raise "pad_sequence: sequences: the list is empty" end
  for i, sequence in ipairs(sequences) do
    if not tide.is_tensor(sequence) then
      raise("pad_sequence: expected sequence %d to be a tensor, got %s", i, kind_of(sequence))
    end
    if sequence:dim() == 0 then raise("pad_sequence: sequence %d has no dimensions", i) end
  end
end

function rnn.pad_sequence(...)
  local given = read_pad(...)
  check_sequences(given.sequences)
  local side = given.padding_side
  if side ~= "left" and side ~= "right" then
    raise("pad_sequence: unknown padding_side '%s': expected left or right", side)
  end
  local longest = 0
  for _, sequence in ipairs(given.sequences) do longest = math.max(longest, #sequence) end
  local rows = {}
  for i, sequence in ipairs(given.sequences) do
    local missing = longest - #sequence
    if missing > 0 then
      local shape = sequence.shape
      shape[1] = missing
      local filling = sequence:new_full(shape, given.padding_value)
      local pair = side == "left" and {filling, sequence} or {sequence, filling}
      sequence = tide.cat(pair, 1)
    end
    rows[i] = sequence
  end
  return tide.stack(rows, given.batch_first and 1 or 2)
end

function rnn.unpad_sequence(...)
  local given = read_padded(...)
  local padded, lengths = given.padded, given.lengths
  if tide.is_tensor(lengths) then lengths = lengths:tolist() end
  if type(lengths) ~= "table" then
    raise("unpad_sequence: lengths: expected a list, got %s", kind_of(lengths))
  end
  if padded:dim() < 2 then
    raise("unpad_sequence: padded: expected at least 2 dimensions, got %d", padded:dim())
  end
  local across = given.batch_first and 1 or 2
  local batch, longest = padded:size(across), padded:size(3 - across)
  if #lengths ~= batch then
    raise("unpad_sequence: %d lengths for %d sequences", #lengths, batch)
  end
  local sequences = {}
  for i, length in ipairs(lengths) do
    if not math.tointeger(length) or length < 0 or length > longest then
      raise("unpad_sequence: length %d: expected an integer in 0..%d, got %s", i, longest,
        tostring(length))
    end
    sequences[i] = padded:select(across, i):narrow(1, 1, length)
  end
  return sequences
end

for name, value in pairs(require "tide.nn.utils.packed_sequence") do rnn[name] = value end

--- Sequences of different lengths: see tide.nn.utils.rnn.NAME.
---@type table
---@example
--- nn.utils.rnn.pad_sequence({tide.tensor{1, 2}, tide.tensor{3}}, {batch_first = true}) --> {{1, 2}, {3, 0}}
return strict_table("tide.nn.utils.rnn", rnn)

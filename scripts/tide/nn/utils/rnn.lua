-- tide.nn.utils.rnn: sequences of different lengths as one tensor.
local arguments = require "tide.arguments"
local raise = require "tide.raise"
local tide = require "tide"

local rnn = {}

local read_pad = arguments("pad_sequence", {
  "sequences", {"batch_first", false}, {"padding_value", 0}, {"padding_side", "right"},
})

--- Sequences (length, ...) side by side, filled up with padding_value: (longest, n, ...), or
--- (n, longest, ...) with batch_first.
function rnn.pad_sequence(...)
  local given = read_pad(...)
  local longest = 0
  for _, sequence in ipairs(given.sequences) do longest = math.max(longest, #sequence) end
  local rows = {}
  for i, sequence in ipairs(given.sequences) do
    local missing = longest - #sequence
    if missing > 0 then
      local shape = sequence.shape
      shape[1] = missing
      local filling = sequence:new_full(shape, given.padding_value)
      local pair = given.padding_side == "left" and {filling, sequence} or {sequence, filling}
      sequence = tide.cat(pair, 1)
    end
    rows[i] = sequence
  end
  return tide.stack(rows, given.batch_first and 1 or 2)
end

--- A list of the sequences of these lengths out of what pad_sequence gave.
function rnn.unpad_sequence(padded, lengths, batch_first)
  if tide.is_tensor(lengths) then lengths = lengths:tolist() end
  local batch = padded:size(batch_first and 1 or 2)
  if #lengths ~= batch then
    raise("unpad_sequence: %d lengths for %d sequences", #lengths, batch)
  end
  local sequences = {}
  for i, length in ipairs(lengths) do
    local row = padded:select(batch_first and 1 or 2, i)
    sequences[i] = row:narrow(1, 1, length)
  end
  return sequences
end

return rnn

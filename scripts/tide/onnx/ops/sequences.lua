-- Sequences, represented as lists of tensors, and optional values, which may be nil.
local kind_of = require "tide.internal.kind_of"
local raise = require "tide.internal.raise"
local tide = require "tide"
local values = require "tide.onnx.values"

local ops = {
  host = {
    SequenceAt = {2}, SequenceErase = {2}, SequenceInsert = {3}, SplitToSequence = {2},
  },
}

ops.attributes = {
  ConcatFromSequence = "axis new_axis",
  Optional = "type",
  SequenceEmpty = "dtype",
  SplitToSequence = "axis keepdims",
}

local function check_sequence(value)
  if tide.is_tensor(value) or type(value) ~= "table" then
    raise("expected a sequence, got %s", tide.is_tensor(value) and "tensor" or kind_of(value))
  end
  return value
end

--- Converts a position from 0, or from the end, to one from 1.
local function index_of(position, count, default)
  if not position then return default end
  local index = values.list(position)[1]
  if index < 0 then index = index + count end
  if index < 0 or index >= count then raise("position %d of %d", index, count) end
  return index + 1
end

function ops.SequenceEmpty() return {} end

function ops.SequenceConstruct(_, ...) return {...} end

function ops.SequenceAt(_, sequence, position)
  return check_sequence(sequence)[index_of(position, #sequence)]
end

function ops.SequenceErase(_, sequence, position)
  local left = table.move(check_sequence(sequence), 1, #sequence, 1, {})
  table.remove(left, index_of(position, #sequence, #sequence))
  return left
end

function ops.SequenceInsert(_, sequence, element, position)
  local longer = table.move(check_sequence(sequence), 1, #sequence, 1, {})
  local index = position and values.list(position)[1] or #sequence
  if index < -#sequence or index > #sequence then raise("position %d of %d", index, #sequence) end
  table.insert(longer, (index < 0 and index + #sequence or index) + 1, element)
  return longer
end

function ops.SequenceLength(_, sequence)
  return tide.tensor(#check_sequence(sequence), {dtype = "int64", device = "cpu"})
end

function ops.ConcatFromSequence(node, sequence)
  check_sequence(sequence)
  if #sequence == 0 then raise "the sequence is empty" end
  local axis, rank = node.attributes.axis, sequence[1]:dim()
  if node.attributes.new_axis == 1 then return tide.stack(sequence, values.dim(axis, rank + 1)) end
  return tide.cat(sequence, values.dim(axis, rank))
end

function ops.SplitToSequence(node, x, split)
  local dim = values.dim(node.attributes.axis or 0, x:dim())
  if not split then
    local parts = x:split(1, dim)
    if node.attributes.keepdims == 0 then
      for i, part in ipairs(parts) do parts[i] = part:squeeze(dim) end
    end
    return parts
  end
  local sizes = values.list(split)
  return x:split(split:dim() == 0 and sizes[1] or sizes, dim)
end

function ops.Optional(_, value) return value end

function ops.OptionalGetElement(_, value)
  if value == nil then raise "the optional value is empty" end
  return value
end

function ops.OptionalHasElement(_, value)
  return tide.tensor(value ~= nil, {device = "cpu"})
end

return ops

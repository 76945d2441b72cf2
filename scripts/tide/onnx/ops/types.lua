-- Constants, copies, and casts.
local raise = require "tide.internal.raise"
local tensors = require "tide.onnx.tensors"
local tide = require "tide"
local values = require "tide.onnx.values"

local ops = {host = {ConstantOfShape = {1}, Range = {1, 2, 3}}, with_run = {}}

ops.text = {Identity = true}

ops.attributes = {
  Cast = "saturate to",
  CastLike = "saturate",
  Constant = "value value_float value_floats value_int value_ints value_string value_strings",
  ConstantOfShape = "value",
  EyeLike = "dtype k",
}

--- A constant is on the cpu, and moves to the device of an op's other inputs.
function ops.Constant(node)
  local a = node.attributes
  if a.value ~= nil then return a.value end
  if a.value_float then return tide.tensor(a.value_float, {dtype = "float32", device = "cpu"}) end
  if a.value_int then return tide.tensor(a.value_int, {dtype = "int64", device = "cpu"}) end
  if a.value_floats then return tide.tensor(a.value_floats, {dtype = "float32", device = "cpu"}) end
  if a.value_ints then return values.integers(a.value_ints) end
  if a.value_string then return {a.value_string} end
  if a.value_strings then return a.value_strings end
  raise "expected its value to be a tensor, numbers or text"
end

function ops.with_run.ConstantOfShape(run, node, shape)
  local value = node.attributes.value
  local number = value and value:item() or 0.0
  local dtype = value and value.dtype or "float32"
  local floating = dtype:find "float" ~= nil
  return tide.full(values.list(shape), number,
    {dtype = dtype, device = floating and run.device or "cpu"})
end

--- Casting floats to integers truncates.
function ops.Cast(node, x) return x:to(tensors.dtype_of(node.attributes.to)) end

function ops.CastLike(_, x, like) return x:to(like.dtype) end

function ops.Identity(_, x) return x end

function ops.Range(_, start, limit, step)
  local first, last, by = start:item(), limit:item(), step:item()
  if by == 0 then raise "the step is 0" end
  local count = math.max(0, math.ceil((last - first) / by))
  -- Multiplies, because accumulating steps would drift.
  local counted = tide.arange(count, {dtype = start.dtype, device = "cpu"})
  return counted * by + first
end

function ops.with_run.EyeLike(run, node, x)
  local rows, columns = x:size(1), x:size(2)
  local dtype = node.attributes.dtype and tensors.dtype_of(node.attributes.dtype) or x.dtype
  local k = node.attributes.k or 0
  local ones = tide.ones(rows, columns, {dtype = dtype, device = run.device or x.device})
  return ones:tril(k):triu(k)
end

return ops

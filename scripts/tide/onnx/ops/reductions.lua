-- Reductions along axes, cumulative sums, argmax and argmin.
local tide = require "tide"
local values = require "tide.onnx.values"

local ops = {host = {CumSum = {2}}}

ops.attributes = {
  CumSum = "exclusive reverse",
}

--- Defines reduce(x, dims, keepdim) as an op; axes are an attribute or, in newer versions, an input.
local function define(name, reduce)
  ops.host[name] = {2}
  ops.attributes[name] = "axes keepdims noop_with_empty_axes"
  ops[name] = function(node, x, axes)
    local a, rank = node.attributes, x:dim()
    local list = values.list(axes) or a.axes
    if not list or #list == 0 then
      if a.noop_with_empty_axes == 1 then return x end
      list = {}
      for i = 1, rank do list[i] = i - 1 end
    end
    if rank == 0 then return reduce(x:reshape(1), {1}, false):to(x.dtype) end
    return reduce(x, values.dims(list, rank), a.keepdims ~= 0):to(x.dtype)
  end
end

define("ReduceSum", function(x, dims, keep) return x:sum(dims, keep) end)
define("ReduceMean", function(x, dims, keep)
  if x:is_floating_point() then return x:mean(dims, keep) end
  local count = 1
  for _, d in ipairs(dims) do count = count * x:size(d) end
  return x:sum(dims, keep):div(count, {rounding_mode = "trunc"})
end)
--- The result of a reduction over zero elements: `value` everywhere.
local function of_nothing(x, dims, keep, value)
  return x:sum(dims, keep):to(x.dtype):fill_(value)
end

define("ReduceMax", function(x, dims, keep)
  if x.dtype == "bool" then return x:any(dims, keep) end
  if x:numel() > 0 then return x:amax(dims, keep) end
  return of_nothing(x, dims, keep, x:is_floating_point() and -math.huge or tide.iinfo(x.dtype).min)
end)
define("ReduceMin", function(x, dims, keep)
  if x.dtype == "bool" then return x:all(dims, keep) end
  if x:numel() > 0 then return x:amin(dims, keep) end
  return of_nothing(x, dims, keep, x:is_floating_point() and math.huge or tide.iinfo(x.dtype).max)
end)
define("ReduceL1", function(x, dims, keep) return x:abs():sum(dims, keep) end)
define("ReduceL2", function(x, dims, keep) return (x * x):sum(dims, keep):sqrt() end)
define("ReduceSumSquare", function(x, dims, keep) return (x * x):sum(dims, keep) end)
define("ReduceLogSum", function(x, dims, keep) return x:sum(dims, keep):log() end)
define("ReduceLogSumExp", function(x, dims, keep) return x:logsumexp(dims, keep) end)
define("ReduceProd", function(x, dims, keep)
  table.sort(dims)
  for i = #dims, 1, -1 do x = x:prod(dims[i], keep) end
  return x
end)

--- Positions from 0 of the first or, with select_last_index, the last of equal elements.
local function define_position(name, find)
  ops.attributes[name] = "axis keepdims select_last_index"
  ops[name] = function(node, x)
    local a = node.attributes
    local dim = values.dim(a.axis or 0, x:dim())
    local keep = a.keepdims ~= 0
    if a.select_last_index ~= 1 then return find(x, dim, keep) - 1 end
    return x:size(dim) - find(x:flip(dim), dim, keep)
  end
end

define_position("ArgMax", tide.argmax)
define_position("ArgMin", tide.argmin)

function ops.CumSum(node, x, axis)
  local dim = values.dim(axis:item(), x:dim())
  local own = node.attributes.reverse == 1 and x:flip(dim) or x
  local count = own:size(dim)
  if node.attributes.exclusive == 1 and count > 0 then -- subtracting x afterwards would not be exact
    own = tide.cat({tide.zeros_like(own:narrow(dim, 1, 1)), own:narrow(dim, 1, count - 1)}, dim)
  end
  local sums = own:cumsum(dim):to(x.dtype)
  return node.attributes.reverse == 1 and sums:flip(dim) or sums
end

return ops

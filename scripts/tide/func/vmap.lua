-- tide.func.vmap: vectorizes a function of one sample over a batch.
local batched = require "tide.func.batched"
local reader = require "tide.internal.declare.reader"
local kind_of = require "tide.internal.kind_of"
local raise = require "tide.internal.raise"
local tide = require "tide"

--- Returns a function that applies fn, written for one sample, to a batch. The batch is along dimension 1 of the
--- arguments, or in_dims; ops without a batching rule run sample by sample.
---@param fn function  the function to call
---@param in_dims any = 1  batch dimension of each argument, from 1; false for none
---@param out_dims any = 1  batch dimension of the results, from 1
---@param randomness "error" | "different" | "same" = "error"  whether samples share random numbers
---@param chunk_size integer >= 0 = nil  samples computed together; nil is all
---@example
--- tide.func.vmap(function(x, y) return x:dot(y) end)(tide.ones(3, 2), tide.ones(3, 2)) --> {2.0, 2.0, 2.0}
local read = reader "func.vmap"

local function is_plain(value) return type(value) == "table" and not getmetatable(value) end

--- The dimension in `dims` for part `key` of a value; a number or false applies to all parts.
local function dim_of_part(dims, key)
  if is_plain(dims) then return dims[key] end
  return dims
end

--- Returns `value` with each tensor replaced by visit(tensor, dim).
local function mapped(value, dim, visit)
  if tide.is_tensor(value) then return visit(value, dim) end
  if not is_plain(value) then return value end
  local result = {}
  for key, part in pairs(value) do result[key] = mapped(part, dim_of_part(dim, key), visit) end
  return result
end

--- Checks a dimension; returns it counted from 1, or nil without a batch.
local function checked_dim(what, dim, tensor)
  if dim == nil or dim == false then return nil end
  local place = math.tointeger(dim)
  if place and place < 0 then place = place + tensor:dim() + 1 end
  if not place or place < 1 or place > tensor:dim() then
    raise("vmap: %s: there is no dimension %s: the tensor has %d", what, tostring(dim),
      tensor:dim())
  end
  return place
end

--- The size of the batch, which must be equal in all arguments.
local function batch_size(args, in_dims)
  local size
  for i = 1, args.n do
    mapped(args[i], dim_of_part(in_dims, i), function(tensor, dim)
      local place = checked_dim("in_dims", dim, tensor)
      local own = place and tensor:size(place)
      if own and size and own ~= size then
        raise("vmap: the batch has %d samples in one argument, but %d in another", size, own)
      end
      size = own or size
    end)
  end
  if not size then raise "vmap: no argument has a batch dimension: see in_dims" end
  return size
end

--- Runs fn for the entire batch.
local function run(given, args, size)
  local levels = batched.levels
  local level = #levels + 1
  levels[level] = {size = size, randomness = given.randomness}
  local _ <close> = setmetatable({}, {__close = function()
    for i = #levels, level, -1 do levels[i] = nil end
  end})
  local inputs = {}
  for i = 1, args.n do
    inputs[i] = mapped(args[i], dim_of_part(given.in_dims, i), function(tensor, dim)
      local place = checked_dim("in_dims", dim, tensor)
      if not place then return tensor end
      return batched.wrap(place == 1 and tensor or tensor:movedim(place, 1), level)
    end)
  end
  local results = table.pack(given.fn(table.unpack(inputs, 1, args.n)))
  for i = 1, results.n do
    results[i] = mapped(results[i], dim_of_part(given.out_dims, i), function(tensor, dim)
      local value = batched.full_value(tensor, level)
      if dim == nil or dim == false then
        if batched.value_at(tensor, level) then
          raise "vmap: out_dims: a result that differs between samples requires a dimension"
        end
        return tensor
      end
      local place = checked_dim("out_dims", dim, value)
      return place == 1 and value or value:movedim(1, place)
    end)
  end
  return results
end

--- The arguments with samples first..last.
local function chunk(args, in_dims, first, last)
  local part = {n = args.n}
  for i = 1, args.n do
    part[i] = mapped(args[i], dim_of_part(in_dims, i), function(tensor, dim)
      local place = checked_dim("in_dims", dim, tensor)
      return place and tensor:narrow(place, first, last - first + 1) or tensor
    end)
  end
  return part
end

--- Joins the results of chunks along their batch dimensions.
local function joined(values, dim)
  local first = values[1]
  if tide.is_tensor(first) then return dim and tide.cat(values, dim) or first end
  if not is_plain(first) then return first end
  local result = {}
  for key in pairs(first) do
    local parts = {}
    for i, value in ipairs(values) do parts[i] = value[key] end
    result[key] = joined(parts, dim_of_part(dim, key))
  end
  return result
end

--- `in_dims` and `out_dims` are one dimension for all arguments or results, or a list with a dimension or false (no
--- batch) for each; for a table of tensors, a table with the same keys.
---
--- Code that needs a value, such as item, `if` on a tensor, or results whose shape depends on values, is an error.
--- tide.rand and similar functions are not batched: all samples get the same numbers.
local function vmap(...)
  local given = read(...)
  if type(given.fn) ~= "function" and not (getmetatable(given.fn) or {}).__call then
    raise("vmap: fn: expected a function, got %s", kind_of(given.fn))
  end
  local randomness = given.randomness
  if randomness ~= "error" and randomness ~= "different" and randomness ~= "same" then
    raise("vmap: randomness must be error, different or same, got %s", randomness)
  end
  return function(...)
    local args = table.pack(...)
    local size = batch_size(args, given.in_dims)
    local at_once = given.chunk_size or size
    if at_once < 1 and size > 0 then raise "vmap: chunk_size must be at least 1, got 0" end
    if at_once >= size then
      local results = run(given, args, size)
      return table.unpack(results, 1, results.n)
    end
    local all, count = {}, 0
    for first = 1, size, at_once do
      local last = math.min(first + at_once - 1, size)
      local results = run(given, chunk(args, given.in_dims, first, last), last - first + 1)
      count = results.n
      for i = 1, count do
        all[i] = all[i] or {}
        all[i][#all[i] + 1] = results[i]
      end
    end
    for i = 1, count do all[i] = joined(all[i], dim_of_part(given.out_dims, i)) end
    return table.unpack(all, 1, count)
  end
end

return vmap

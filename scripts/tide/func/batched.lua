-- Batched tensors: the arguments of a function under vmap. Each represents one sample, and stores the entire batch in
-- a tensor with a first dimension hidden from the function. Ops called with one are dispatched here
-- (`__tensor_function`), and run by the rules of batching_rules.lua or, without a rule, sample by sample.
local native = require "tide.native"
local raise = require "tide.internal.raise"
local tensor_operators = require "tide.internal.tensor_operators"
local tide = require "tide"

local batched = {}

local Batched = {__name = "tide.Batched", __metatable = "tide.Batched"}

--- The active levels of vmap: {size =, randomness =}. A tensor of an inner level may contain one of an outer level.
batched.levels = {}

--- A batched tensor of a level; `value` has the batch as its first dimension.
function batched.wrap(value, level)
  return setmetatable({_value = value, _level = level}, Batched)
end

local function is_batched(value)
  return type(value) == "table" and debug.getmetatable(value) == Batched
end
batched.is_batched = is_batched

--- Whether `value` is a table without a metatable.
local function is_plain(value)
  return type(value) == "table" and not getmetatable(value)
end

--- The tensor with the batch, if `value` is batched at this level; else nil.
function batched.value_at(value, level)
  return is_batched(value) and value._level == level and value._value or nil
end

--- The innermost level of the arguments, and of the elements of lists; 0 if none is batched.
local function innermost(list, count)
  local level = 0
  for i = 1, count do
    local value = list[i]
    if is_batched(value) then
      level = math.max(level, value._level)
    elseif is_plain(value) then
      level = math.max(level, innermost(value, #value))
    end
  end
  return level
end

--- `value`, a tensor without the batch of this level, repeated for each sample.
function batched.expand(value, level)
  local shape = value.shape
  return value:unsqueeze(1):expand(batched.levels[level].size, table.unpack(shape))
end

--- The tensor with the batch of `value`, repeated for each sample if it is not batched.
function batched.full_value(value, level)
  return batched.value_at(value, level) or batched.expand(value, level)
end

--- `value` batched at all active levels, so that each sample has its own copy.
function batched.at_all_levels(value)
  local function level_of(v) return is_batched(v) and v._level or 0 end
  for level = 1, #batched.levels do
    if level_of(value) < level then
      value = batched.wrap(batched.expand(value, level), level)
    end
  end
  return value
end

--- Wraps the tensors in results, and in lists, as batched at the level.
local function wrap_results(level, ...)
  local results = table.pack(...)
  for i = 1, results.n do
    local value = results[i]
    if tide.is_tensor(value) then
      results[i] = batched.wrap(value, level)
    elseif is_plain(value) then
      results[i] = {wrap_results(level, table.unpack(value))}
    end
  end
  return table.unpack(results, 1, results.n)
end
batched.wrap_results = wrap_results

-- Sample by sample --------------------------------------------------------------------------------

--- The arguments of one sample.
local function of_sample(args, level, sample)
  local own = {n = args.n}
  for i = 1, args.n or #args do
    local value = batched.value_at(args[i], level)
    if value then
      own[i] = value:select(1, sample)
    elseif is_plain(args[i]) and innermost(args[i], #args[i]) > 0 then
      own[i] = of_sample(args[i], level, sample)
    else
      own[i] = args[i]
    end
  end
  return own
end

--- Joins one result of all samples; `list[i]` is that of sample i.
local function joined(name, level, list)
  local first = list[1]
  if tide.is_tensor(first) then
    for _, value in ipairs(list) do
      if table.concat(value.shape, ",") ~= table.concat(first.shape, ",") then
        raise("vmap: %s: the shapes of its results differ between samples", name)
      end
    end
    return batched.wrap(tide.stack(list), level)
  end
  if is_plain(first) then
    local parts = {}
    for i in ipairs(first) do
      local values = {}
      for sample, value in ipairs(list) do values[sample] = value[i] end
      parts[i] = joined(name, level, values)
    end
    return parts
  end
  for _, value in ipairs(list) do
    if value ~= first then
      raise("vmap: %s: its results differ between samples, but are not tensors", name)
    end
  end
  return first
end

--- Runs the op sample by sample.
function batched.one_by_one(name, op, level, args)
  local size = batched.levels[level].size
  if size == 0 then raise("vmap: %s: the batch is empty", name) end
  local results, count = {}, 0
  for sample = 1, size do
    local own = of_sample(args, level, sample)
    local values = table.pack(op(table.unpack(own, 1, own.n)))
    count = values.n
    for i = 1, count do
      results[i] = results[i] or {}
      results[i][sample] = values[i]
    end
  end
  for i = 1, count do results[i] = joined(name, level, results[i]) end
  return table.unpack(results, 1, count)
end

-- Calls -------------------------------------------------------------------------------------------

--- y:op_(...): runs the op and writes its result into y.
local function in_place(name, args, level)
  local x = args[1]
  local value = batched.value_at(x, level)
  if not value then
    raise("vmap: %s: cannot write values that differ between samples into an unbatched tensor", name)
  end
  local result = native.methods[name:sub(1, -2)](table.unpack(args, 1, args.n))
  local found, own = table.concat(result.shape, ", "), table.concat(x.shape, ", ")
  if found ~= own then
    raise("vmap: %s: a result of shape (%s) cannot be written into shape (%s)", name, found, own)
  end
  value:copy_(batched.full_value(result, level))
  return x
end

--- Runs `op`, called `name`, for arguments of which some are batched.
function batched.call(name, op, ...)
  local args = table.pack(...)
  local level = innermost(args, args.n)
  if level > #batched.levels then
    raise("vmap: %s: the tensor belongs to a vmap that has ended", name)
  end
  local rule = require("tide.func.batching_rules")[name]
  if rule then
    local results = table.pack(rule(name, op, level, args))
    if results.n > 0 then return table.unpack(results, 1, results.n) end
  end
  if name:sub(-1) == "_" then
    if native.methods[name:sub(1, -2)] then return in_place(name, args, level) end
    raise("vmap: %s is not supported for batched tensors", name)
  end
  return batched.one_by_one(name, op, level, args)
end

Batched.__tensor_function = batched.call

-- Fields and methods of tensors -------------------------------------------------------------------

local fields = {}

function fields.shape(x)
  local shape = x._value.shape
  return table.move(shape, 2, #shape, 1, {})
end

function fields.dtype(x) return x._value.dtype end

function fields.device(x) return x._value.device end

fields.ctx = fields.device

function fields.ndim(x) return x._value:dim() - 1 end

function fields.requires_grad(x) return x._value.requires_grad end

function fields.is_leaf(x) return x._value.is_leaf end

function fields.data(x) return x:detach() end

function fields.mT(x)
  if x.ndim < 2 then raise("mT: expected a matrix, got %d dimensions", x.ndim) end
  return batched.wrap(x._value.mT, x._level)
end

fields.mH = fields.mT

function fields.H(x)
  if x.ndim ~= 2 then raise("H: expected a matrix, got %d dimensions", x.ndim) end
  return fields.mT(x)
end

function fields.T(x)
  local dims = {}
  for d = 1, x.ndim do dims[d] = x.ndim + 1 - d end
  return x.ndim > 1 and x:permute(dims) or x
end

local methods = {}

function methods.dim(x) return x.ndim end

function methods.size(x, d)
  if d == nil then return x.shape end
  if d == 0 or d > x.ndim or d < -x.ndim then
    raise("size: there is no dimension %d: the tensor has %d", d, x.ndim)
  end
  return x._value:size(d > 0 and d + 1 or d)
end

function methods.numel(x)
  local count = 1
  for _, size in ipairs(x.shape) do count = count * size end
  return count
end

function methods.is_floating_point(x) return x._value:is_floating_point() end

function methods.element_size(x) return x._value.itemsize end

function methods.requires_grad_(x, on)
  x._value:requires_grad_(on)
  return x
end

function methods.copy_(x, source)
  x._value:copy_(batched.full_value(x * 0 + source, x._level))
  return x
end

function methods.fill_(x, value)
  if tide.is_tensor(value) then return x:copy_(value) end
  x._value:fill_(value)
  return x
end

function methods.zero_(x) return x:fill_(0) end

-- Methods that give the same result for the batch as for each sample.
for _, name in ipairs {
  "bfloat16", "bool", "byte", "char", "clone", "contiguous", "cpu", "cuda", "detach", "double",
  "float", "half", "int", "long", "short", "to", "type", "type_as",
} do
  methods[name] = function(x, ...)
    local given = table.pack(...)
    for i = 1, given.n do
      if is_batched(given[i]) then given[i] = given[i]._value end
    end
    local result = native.methods[name](x._value, table.unpack(given, 1, given.n))
    return tide.is_tensor(result) and batched.wrap(result, x._level) or result
  end
end

--- x:name(...) of ops; other methods would have to read values, or make no sense for one sample.
local ops = setmetatable({}, {__index = function(self, name)
  local op = native.methods[name]
  local function call(...) return batched.call(name, op, ...) end
  if not op then return nil end
  if not require("tide.func.batching_rules").is_op(name) then
    call = function() raise("vmap: %s is not supported for batched tensors", name) end
  end
  rawset(self, name, call)
  return call
end})

--- The number of tensors in a key, and whether ranges or names separate them: then the dimensions they select come
--- first in the result, before the batch.
local function tensors_of_key(key)
  local count, open, apart = 0, false, false
  for _, entry in ipairs(key) do
    if tide.is_tensor(entry) then
      apart = apart or open
      count, open = count + 1, false
    elseif count > 0 and not math.type(entry) then
      open = true
    end
  end
  return count, apart
end

--- x[key] for one sample.
local function index(x, key)
  if math.type(key) then
    if key == #x + 1 then return nil end
    return x:select(1, key)
  end
  if is_plain(key) and innermost(key, #key) == 0 and not select(2, tensors_of_key(key)) then
    return batched.wrap(x._value[{ {}, table.unpack(key) }], x._level)
  end
  return batched.call("index", function(tensor, at) return tensor[at] end, x, key)
end

function Batched:__index(key)
  if type(key) ~= "string" then return index(self, key) end
  if fields[key] then return fields[key](self) end
  if key == "grad" or key == "grad_fn" then return nil end
  local method = methods[key] or ops[key]
  if not method then native.unknown_name("tensor", key, tide.ones(1)) end
  return method
end

function Batched:__newindex(key, value)
  if type(key) == "string" then
    raise("vmap: the field '%s' of a sample cannot be assigned", key)
  end
  -- Numbers and ranges select a view. Tensors select a copy, so each sample is written separately.
  if not tide.is_tensor(key) and (not is_plain(key) or tensors_of_key(key) == 0) then
    self[key]:copy_(value)
    return
  end
  local level = innermost({self, key, value}, 3)
  if level > self._level then
    raise("vmap: index: cannot write values that differ between samples into an unbatched tensor")
  end
  batched.one_by_one("index", function(sample, at, source)
    sample[at] = source
    return sample
  end, level, {self, key, value, n = 3})
end

function Batched:__len()
  if self.ndim == 0 then raise "#: a tensor without dimensions has no length" end
  return self._value:size(2)
end

function Batched:__tostring()
  return ("one of %d samples of shape (%s) %s"):format(self._value:size(1),
    table.concat(self.shape, ", "), self.dtype)
end

tensor_operators(Batched, batched.call)

function Batched.__lt() raise "vmap: < would read a value: use x:lt(y)" end

function Batched.__le() raise "vmap: <= would read a value: use x:le(y)" end

return batched

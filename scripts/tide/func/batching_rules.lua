-- Rules that run ops for all samples of a batch together. A rule(name, op, level, args) returns the results, or
-- nothing if it does not support the arguments: then the op runs sample by sample.
local batched = require "tide.func.batched"
local native = require "tide.native"
local raise = require "tide.internal.raise"
local tide = require "tide"

local value_at, full_value, wrap = batched.value_at, batched.full_value, batched.wrap
local wrap_results = batched.wrap_results

local rules = {}

-- Families of ops and the kinds of their parameters, from the reference.
local families, signatures = {}, {}
for _, entry in ipairs(native.reference()) do
  if entry.parameters then
    families[entry.name] = entry.family
    -- The parameters after the tensor, which methods do not list. Of several signatures the one with a dimension is
    -- used, to find the arguments that are dimensions.
    local parameters = entry.parameters
    if not entry.signature:find "^x:" then parameters = {table.unpack(parameters, 2)} end
    local has_dim = false
    for _, parameter in ipairs(parameters) do
      has_dim = has_dim or parameter.kind:find "dimension" ~= nil
    end
    if has_dim or not signatures[entry.name] then signatures[entry.name] = parameters end
  end
end

local function is_options(value)
  return type(value) == "table" and not getmetatable(value)
    and type(next(value)) == "string"
end

--- Whether an argument after the first is a tensor.
local function has_other_tensors(args)
  for i = 2, args.n do
    if tide.is_tensor(args[i]) then return true end
  end
  return false
end

-- Element by element ------------------------------------------------------------------------------

--- `value` with dimensions of size 1 after the batch, so that a sample has `rank` dimensions.
local function with_rank(value, rank)
  local shape = value.shape
  local sizes = {shape[1]}
  for _ = #shape, rank do sizes[#sizes + 1] = 1 end
  for d = 2, #shape do sizes[#sizes + 1] = shape[d] end
  return #sizes > #shape and value:reshape(sizes) or value
end

--- Whether both types are of the same kind, in which case type promotion depends on dimensions.
local function same_kind(a, b) return a:is_floating_point() == b:is_floating_point() end

local function elementwise(_, op, level, args)
  local rank, widest = 0, nil
  for i = 1, args.n do
    if tide.is_tensor(args[i]) and args[i]:dim() > rank then
      rank, widest = args[i]:dim(), args[i]
    end
  end
  local given = {}
  for i = 1, args.n do
    local value = value_at(args[i], level)
    -- A sample without dimensions does not determine the result type.
    if value and value:dim() == 1 and widest and same_kind(value, widest) then
      value = value:to(widest.dtype)
    end
    given[i] = value and with_rank(value, rank) or args[i]
  end
  return wrap_results(level, op(table.unpack(given, 1, args.n)))
end

for name, family in pairs(families) do
  local by_element = family == "elementwise" or family == "special"
  -- Except in-place ops.
  if by_element and name:sub(-1) ~= "_" then rules[name] = elementwise end
end
rules.is_same_size = nil -- compares samples, not batches
for _, name in ipairs {"masked_fill", "zeros_like", "ones_like", "empty_like", "full_like", "lerp",
  "clamp", "isclose"} do
  rules[name] = elementwise
end

--- With only a condition it returns positions, whose number depends on the sample.
function rules.where(name, op, level, args)
  if args.n > 1 then return elementwise(name, op, level, args) end
end

-- Along dimensions --------------------------------------------------------------------------------

--- Converts dimensions of a sample to those of the batch.
local function moved(dim)
  if type(dim) == "table" then
    local list = {}
    for i, d in ipairs(dim) do list[i] = moved(d) end
    return list
  end
  return dim > 0 and dim + 1 or dim
end

--- Returns the arguments for the batch, with dimensions moved, or nil if other arguments than the first are batched;
--- whether a dimension was given; and the index and name of the first dimension parameter.
local function with_moved_dims(name, level, args)
  local value = value_at(args[1], level)
  if not value then return nil end
  local given, found, place, dim_name, rest = {value, n = args.n}, false, nil, nil, false
  local parameters = signatures[name] or {}
  for i = 2, math.max(args.n, #parameters + 1) do
    local parameter = parameters[i - 1]
    if parameter and parameter.kind:find "dimension" then
      place, dim_name, rest = place or i, dim_name or parameter.name, rest or parameter.rest
    end
    local is_dim = parameter and parameter.kind:find "dimension" or rest
    if value_at(args[i], level) then return nil end
    if is_options(args[i]) then
      given[i] = {}
      for key, option in pairs(args[i]) do
        if value_at(option, level) then return nil end
        local shifted = option
        for _, named in ipairs(parameters) do
          if named.name == key and named.kind:find "dimension" then
            shifted, found = moved(option), true
          end
        end
        given[i][key] = shifted
      end
    elseif is_dim and args[i] ~= nil then
      given[i], found = moved(args[i]), true
    else
      given[i] = args[i]
    end
  end
  return given, found, place, dim_name
end

--- Sets the dimension `dim`, in the options if there are any, else at index `place`.
local function put_dim(given, place, dim_name, dim)
  if is_options(given[given.n]) then
    given[given.n][dim_name] = dim
  else
    given[place], given.n = dim, math.max(given.n, place)
  end
end

-- Default dimensions that count from the first; all other defaults are the last dimension.
local default_dims = {chunk = 1, split = 1, unbind = 1, normalize = 2}

local function along_dims(name, op, level, args)
  local given, found, place, dim_name = with_moved_dims(name, level, args)
  if not given then return end
  local default = default_dims[name]
  if default and not found then put_dim(given, place, dim_name, moved(default)) end
  return wrap_results(level, op(table.unpack(given, 1, given.n)))
end

for _, name in ipairs {
  "softmax", "log_softmax", "softmin", "cumsum", "cumprod", "cummax", "cummin", "logcumsumexp",
  "sort", "argsort", "topk", "kthvalue", "flip", "unsqueeze", "transpose", "swapaxes", "movedim",
  "narrow", "select", "unbind", "chunk", "split", "normalize", "unflatten", "glu", "diff",
} do
  rules[name] = along_dims
end

--- Reductions: by default over all dimensions of the sample.
local function reduction(name, op, level, args)
  if has_other_tensors(args) then return elementwise(name, op, level, args) end
  if type(args[2]) == "boolean" then return end -- x:var(unbiased)
  local given, found, place, dim_name = with_moved_dims(name, level, args)
  if not given then return end
  if not found then
    if not place then return end
    given[1] = given[1]:reshape(given[1]:size(1), -1)
    put_dim(given, place, dim_name, 2)
    local results = table.pack(op(table.unpack(given, 1, given.n)))
    -- Without a dimension, max, min and median return no positions.
    return wrap_results(level, results[1])
  end
  return wrap_results(level, op(table.unpack(given, 1, given.n)))
end

for _, name in ipairs {
  "sum", "mean", "prod", "max", "min", "amax", "amin", "argmax", "argmin", "all", "any", "var",
  "std", "median", "logsumexp", "nansum", "nanmean", "count_nonzero",
} do
  if signatures[name] then rules[name] = reduction end
end

-- Shapes ------------------------------------------------------------------------------------------

--- The sizes, given as arguments or as a list.
local function sizes_of(args)
  return type(args[2]) == "table" and args[2] or table.move(args, 2, args.n, 1, {})
end

local function reshape(_, op, level, args)
  local value = value_at(args[1], level)
  if not value then return end
  local sizes = table.move(sizes_of(args), 1, #sizes_of(args), 2, {value:size(1)})
  return wrap(op(value, sizes), level)
end
rules.reshape, rules.view = reshape, reshape

function rules.expand(_, op, level, args)
  local value = value_at(args[1], level)
  if not value then return end
  local sizes = sizes_of(args)
  value = with_rank(value, #sizes)
  return wrap(op(value, table.move(sizes, 1, #sizes, 2, {value:size(1)})), level)
end

function rules.permute(_, op, level, args)
  local value = value_at(args[1], level)
  if not value then return end
  local dims = {1}
  for _, dim in ipairs(sizes_of(args)) do dims[#dims + 1] = moved(dim) end
  return wrap(op(value, dims), level)
end

function rules.flatten(_, op, level, args)
  local value = value_at(args[1], level)
  if not value or is_options(args[2]) then return end
  if value:dim() == 1 then return wrap(value:unsqueeze(2), level) end
  return wrap(op(value, moved(args[2] or 1), moved(args[3] or -1)), level)
end

function rules.squeeze(name, op, level, args)
  local value = value_at(args[1], level)
  if args.n > 1 then return along_dims(name, op, level, args) end
  local dims = {}
  for d = 2, value:dim() do
    if value:size(d) == 1 then dims[#dims + 1] = d end
  end
  return wrap(#dims > 0 and op(value, dims) or value, level)
end

function rules.t(_, _, level, args)
  local value = value_at(args[1], level)
  return wrap(value:dim() > 2 and value.mT or value, level)
end

--- cat and stack: lists of tensors, some of which may be unbatched.
local function joining(_, op, level, args)
  local list = {}
  for i, value in ipairs(args[1]) do list[i] = full_value(value, level) end
  if is_options(args[2]) then return end
  return wrap(op(list, moved(args[2] or 1)), level)
end
rules.cat, rules.concat, rules.stack = joining, joining, joining

function rules.gather(name, op, level, args)
  local dim = args[2]
  if is_options(args[args.n]) or type(dim) ~= "number" then return end
  return wrap(op(full_value(args[1], level), moved(dim), full_value(args[3], level)), level)
end

-- Products ----------------------------------------------------------------------------------------

function rules.matmul(_, op, level, args)
  if args.n > 2 then return end
  local a, b = args[1], args[2]
  local vector_a, vector_b = a:dim() == 1, b:dim() == 1
  if a:dim() == 0 or b:dim() == 0 then return end
  if vector_a then a = a:unsqueeze(1) end
  if vector_b then b = b:unsqueeze(2) end
  local rank = math.max(a:dim(), b:dim())
  local function operand(x)
    local value = value_at(x, level)
    return value and with_rank(value, rank) or x
  end
  local y = op(operand(a), operand(b))
  if vector_b then y = y:squeeze(-1) end
  if vector_a then y = y:squeeze(vector_b and -1 or -2) end
  return wrap(y, level)
end

local function as_matmul(_, _, level, args)
  if args.n == 2 then return rules.matmul(nil, tide.matmul, level, args) end
end
rules.mm, rules.mv, rules.bmm = as_matmul, as_matmul, as_matmul

function rules.dot(_, _, _, args) return (args[1] * args[2]):sum(-1) end

function rules.outer(_, _, _, args) return args[1]:unsqueeze(2) * args[2]:unsqueeze(1) end

function rules.linear(_, op, level, args)
  local x, weight, bias = args[1], args[2], args[3]
  if value_at(x, level) and not value_at(weight, level) and not value_at(bias, level) then
    return wrap(op(value_at(x, level), weight, bias), level)
  end
  local y = tide.matmul(x, weight:dim() > 1 and weight.mT or weight)
  return bias and y + bias or y
end

--- Ops on the last two dimensions, which support batches of matrices.
local function matrices(_, op, level, args)
  local value = value_at(args[1], level)
  if not value or value:dim() < 3 or has_other_tensors(args) then return end
  return wrap_results(level, op(value, table.unpack(args, 2, args.n)))
end

for _, name in ipairs {
  "tril", "triu", "det", "logdet", "slogdet", "inv", "pinv", "cholesky", "qr", "svd", "svdvals",
  "eigh", "eigvalsh", "matrix_exp", "matrix_power",
} do
  rules[name] = matrices
end

-- Layers ------------------------------------------------------------------------------------------

--- Ops on images, whose samples may be one image or several.
local function images(dims)
  return function(_, op, level, args)
    local value = value_at(args[1], level)
    for i = 2, args.n do
      if not value or value_at(args[i], level) then return end
    end
    if value:dim() == dims + 2 then
      return wrap_results(level, op(value, table.unpack(args, 2, args.n)))
    end
    local first = {value:size(1), value:size(2)}
    local results = table.pack(op(value:flatten(1, 2), table.unpack(args, 2, args.n)))
    for i = 1, results.n do results[i] = wrap(results[i]:unflatten(1, first), level) end
    return table.unpack(results, 1, results.n)
  end
end

for dims = 1, 3 do
  for _, name in ipairs {"conv%dd", "conv_transpose%dd", "max_pool%dd", "avg_pool%dd",
    "adaptive_avg_pool%dd", "adaptive_max_pool%dd", "lp_pool%dd"} do
    rules[name:format(dims)] = images(dims)
  end
end

function rules.layer_norm(_, op, level, args)
  local x, shape, weight, bias, eps = table.unpack(args, 1, 5)
  if not value_at(x, level) or is_options(args[args.n]) then return end
  local y = wrap(op(value_at(x, level), shape, nil, nil, eps), level)
  if weight then y = y * weight end
  return bias and y + bias or y
end

function rules.embedding(_, op, level, args)
  local positions = value_at(args[1], level)
  if not positions or value_at(args[2], level) then return end
  return wrap(op(positions, table.unpack(args, 2, args.n)), level)
end

--- Losses without options, whose default is the mean.
function rules.mse_loss(_, _, _, args)
  if args.n > 2 then return end
  local difference = args[1] - args[2]
  return (difference * difference):mean()
end

function rules.cross_entropy(_, _, _, args)
  local x, target = args[1], args[2]
  if args.n > 2 or target:is_floating_point() or x:dim() > 2 then return end
  local counted = target:ne(-100) -- the default of ignore_index
  local places = tide.where(counted, target, 1):unsqueeze(-1)
  local picked = x:log_softmax(-1):gather(x:dim(), places):squeeze(-1)
  return -tide.where(counted, picked, 0):sum() / counted:sum()
end

-- Random numbers ----------------------------------------------------------------------------------

--- Random ops: each sample has its own random numbers, or all share them, by the `randomness` of vmap. With
--- `by_sample` different numbers are also drawn sample by sample.
local function random(name, op, level, args, by_sample)
  local randomness = batched.levels[level].randomness
  if randomness == "error" then
    raise("vmap: %s is random: pass {randomness = \"different\"} or \"same\" to vmap", name)
  end
  local value = value_at(args[1], level)
  if randomness == "different" then
    if by_sample or not value or has_other_tensors(args) then
      return batched.one_by_one(name, op, level, args)
    end
    return wrap(op(value, table.unpack(args, 2, args.n)), level)
  end
  -- The same numbers: each sample starts from the same state.
  local state = tide.get_rng_state()
  return batched.one_by_one(name, function(...)
    tide.set_rng_state(state)
    return op(...)
  end, level, args)
end

for _, name in ipairs {"rand_like", "randn_like", "randint_like", "bernoulli", "multinomial",
  "binomial", "poisson", "normal"} do
  rules[name] = function(own_name, op, level, args)
    -- An op that depends on the number of dimensions must not see the batch.
    return random(own_name, op, level, args, name == "multinomial")
  end
end

--- Dropouts, which are random in training only. Those of entire channels run sample by sample.
for name, of_channels in pairs {
  dropout = false, alpha_dropout = false, dropout1d = true, dropout2d = true, dropout3d = true,
  feature_alpha_dropout = true,
} do
  rules[name] = function(_, op, level, args)
    local options = is_options(args[args.n]) and args[args.n] or {}
    if args[3] == false or options.training == false then
      return elementwise(name, op, level, args)
    end
    return random(name, op, level, args, of_channels)
  end
end

--- x:uniform_() and similar methods.
for _, name in ipairs {
  "uniform_", "normal_", "exponential_", "random_", "log_normal_", "geometric_", "cauchy_",
  "bernoulli_",
} do
  rules[name] = function(_, op, level, args)
    local x = args[1]
    if not value_at(x, level) or has_other_tensors(args) then
      raise("vmap: %s is not supported for batched tensors", name)
    end
    local sample = random(name, function(tensor, ...)
      return op(tensor:clone(), ...)
    end, level, args)
    value_at(x, level):copy_(value_at(sample, level))
    return x
  end
end

--- Whether `name` is an op.
function rules.is_op(name)
  return families[name] ~= nil or families[name:gsub("_$", "")] ~= nil
end

return rules

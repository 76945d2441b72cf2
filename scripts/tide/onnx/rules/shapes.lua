-- Rules for reshaping, concatenating, slicing and indexing.
local raise = require "tide.internal.raise"
local tide = require "tide"

local rules = {}

--- An axis from 0.
local function axis_of(dim, rank) return dim > 0 and dim - 1 or dim + rank end

--- Sizes that remain valid if the first dimensions, or one more, change: unchanged leading sizes are
--- copied, and the first one after them is inferred.
local function flexible(from, to)
  local sizes, i = table.move(to, 1, #to, 1, {}), 1
  for _, size in ipairs(to) do
    if size == 0 then return sizes end
  end
  while i <= #to and to[i] == from[i] do sizes[i], i = 0, i + 1 end
  if i <= #to then sizes[i] = -1 end
  return sizes
end

local function write_reshape(g, a, results)
  return g:node("Reshape", {g:name(a.x), g:integers(flexible(a.x.shape, results[1].shape))})
end

for _, op in ipairs {"reshape", "view", "flatten", "unflatten", "ravel", "reshape_as", "view_as"} do
  rules[op] = {arguments = {"x"}, write = write_reshape}
end

--- Without a dimension, writes a Reshape with fixed sizes.
rules.squeeze = {arguments = {"x", "dim"}, write = function(g, a, results)
  if a.dim == nil then
    return g:node("Reshape", {g:name(a.x), g:integers(results[1].shape)})
  end
  local axes = {}
  for i, d in ipairs(type(a.dim) == "table" and a.dim or {a.dim}) do
    local axis = axis_of(d, a.x:dim())
    if a.x:size(axis + 1) == 1 then axes[i] = axis end
  end
  return #axes == 0 and g:name(a.x) or g:node("Squeeze", {g:name(a.x), g:integers(axes)})
end}

rules.unsqueeze = {arguments = {"x", "dim"}, write = function(g, a)
  return g:node("Unsqueeze", {g:name(a.x), g:integers {axis_of(a.dim, a.x:dim() + 1)}})
end}

--- A Transpose that swaps two dimensions.
local function exchange(g, x, first, second)
  local order, rank = {}, x:dim()
  for d = 1, rank do order[d] = d - 1 end
  first, second = axis_of(first, rank) + 1, axis_of(second, rank) + 1
  order[first], order[second] = order[second], order[first]
  return g:node("Transpose", {g:name(x)}, {perm = order})
end

for _, op in ipairs {"transpose", "swapaxes", "swapdims"} do
  rules[op] = {arguments = {"x", "first", "second"}, write = function(g, a)
    return exchange(g, a.x, a.first, a.second)
  end}
end

rules.t = {arguments = {"x"}, write = function(g, a)
  return a.x:dim() < 2 and g:name(a.x) or exchange(g, a.x, 1, 2)
end}

rules.permute = {arguments = {"x"}, write = function(g, a, _, list)
  local dims = type(list[2]) == "table" and list[2] or table.move(list, 2, list.n, 1, {})
  local order = {}
  for i, d in ipairs(dims) do order[i] = axis_of(d, a.x:dim()) end
  return g:node("Transpose", {g:name(a.x)}, {perm = order})
end}

local function join(op, name, extra)
  rules[op] = {arguments = {"tensors", "dim"}, write = function(g, a, results)
    local inputs, dim = {}, a.dim or 1
    local axis = axis_of(dim, results[1]:dim())
    for i, x in ipairs(a.tensors) do
      inputs[i] = g:cast(x, results[1].dtype)
      if extra then inputs[i] = g:node("Unsqueeze", {inputs[i], g:integers {axis}}) end
    end
    return g:node(name, inputs, {axis = axis})
  end}
end

join("cat", "Concat", false)
join("concat", "Concat", false)
join("concatenate", "Concat", false)
join("stack", "Concat", true)

--- Splits into parts with the sizes of the example.
for _, op in ipairs {"chunk", "split", "split_with_sizes", "tensor_split"} do
  rules[op] = {arguments = {"x", "size", "dim"}, write = function(g, a, results)
    local axis, sizes = axis_of(a.dim or 1, a.x:dim()), {}
    for i, part in ipairs(results[1]) do sizes[i] = part:size(axis + 1) end
    return g:node("Split", {g:name(a.x), g:integers(sizes)}, {axis = axis}, #sizes)
  end}
end

local function slice(g, name, axis, first, last, step)
  return g:node("Slice", {name, g:integers {first}, g:integers {last}, g:integers {axis},
    g:integers {step or 1}})
end

local function position(index, size) return index > 0 and index - 1 or index + size end

rules.narrow = {arguments = {"x", "dim", "start", "length"}, write = function(g, a)
  local axis = axis_of(a.dim, a.x:dim())
  local first = position(a.start, a.x:size(axis + 1))
  return slice(g, g:name(a.x), axis, first, first + a.length)
end}

local function select(g, name, axis, index)
  return g:node("Gather", {name, g:number(index, "int64")}, {axis = axis})
end

rules.select = {arguments = {"x", "dim", "index"}, write = function(g, a)
  local axis = axis_of(a.dim, a.x:dim())
  return select(g, g:name(a.x), axis, a.index > 0 and a.index - 1 or a.index)
end}

--- x[{...}] with numbers and ranges.
rules.index = {arguments = {"x", "key"}, write = function(g, a, results)
  local key, shape = a.key, a.x.shape
  if tide.is_tensor(key) then
    raise "save: x[tensor] cannot be exported to ONNX: use index_select or where"
  end
  local name, gone = g:name(a.x), 0
  for i, entry in ipairs(key) do
    local axis = i - 1 - gone
    if math.type(entry) then
      name, gone = select(g, name, axis, entry > 0 and entry - 1 or entry), gone + 1
    elseif type(entry) ~= "table" or #entry == 1 then
      raise "save: this index cannot be exported to ONNX: use numbers and ranges only"
    elseif #entry > 1 then
      local first, last = position(entry[1], shape[i]), position(entry[2], shape[i]) + 1
      -- A range to the end remains one for other sizes.
      if last == shape[i] then last = math.maxinteger end
      name = slice(g, name, axis, first, last, entry[3])
    end
  end
  return results[1] and name
end}

rules.index_select = {arguments = {"x", "dim", "index"}, write = function(g, a)
  local index = g:node("Sub", {g:cast(a.index, "int64"), g:number(1, "int64")})
  return g:node("Gather", {g:name(a.x), index}, {axis = axis_of(a.dim, a.x:dim())})
end}

rules.gather = {arguments = {"x", "dim", "index"}, write = function(g, a)
  local index = g:node("Sub", {g:cast(a.index, "int64"), g:number(1, "int64")})
  return g:node("GatherElements", {g:name(a.x), index}, {axis = axis_of(a.dim, a.x:dim())})
end}

--- Only expanded dimensions are written as sizes.
local function write_expand(g, a, results)
  local to, from = results[1].shape, a.x.shape
  local sizes = {}
  for i, size in ipairs(to) do
    sizes[i] = from[#from - #to + i] == size and 1 or size
  end
  return g:node("Expand", {g:name(a.x), g:integers(sizes)})
end

for _, op in ipairs {"expand", "expand_as", "broadcast_to"} do
  rules[op] = {arguments = {"x"}, write = write_expand}
end

rules.repeat_dims = {arguments = {"x"}, write = function(g, a, results, list)
  local counts = type(list[2]) == "table" and list[2] or table.move(list, 2, list.n, 1, {})
  local name, rank = g:name(a.x), a.x:dim()
  if #counts > rank then
    local axes = {}
    for i = 1, #counts - rank do axes[i] = i - 1 end
    name = g:node("Unsqueeze", {name, g:integers(axes)})
  end
  return g:node("Tile", {name, g:integers(counts)})
end}

rules.flip = {arguments = {"x"}, write = function(g, a, _, list)
  local dims = type(list[2]) == "table" and list[2] or table.move(list, 2, list.n, 1, {})
  local name = g:name(a.x)
  for _, d in ipairs(dims) do
    name = slice(g, name, axis_of(d, a.x:dim()), -1, math.mininteger, -1)
  end
  return name
end}

local kPadModes <const> = {constant = "constant", reflect = "reflect", replicate = "edge"}

rules.pad = {arguments = {"x", "pad", "mode", "value"}, write = function(g, a)
  local mode, rank = kPadModes[a.mode or "constant"], a.x:dim()
  if not mode then raise("save: pad with the mode '%s' cannot be exported to ONNX", a.mode) end
  local amounts = {}
  for i = 1, 2 * rank do amounts[i] = 0 end
  for i = 1, #a.pad // 2 do
    amounts[rank + 1 - i], amounts[2 * rank + 1 - i] = a.pad[2 * i - 1], a.pad[2 * i]
  end
  local value = mode == "constant" and g:number(a.value or 0, a.x.dtype) or ""
  return g:node("Pad", {g:name(a.x), g:integers(amounts), value}, {mode = mode})
end}

for op, upper in pairs {triu = 1, tril = 0} do
  rules[op] = {arguments = {"x", "diagonal"}, write = function(g, a)
    return g:node("Trilu", {g:name(a.x), g:number(a.diagonal or 0, "int64")}, {upper = upper})
  end}
end

return rules

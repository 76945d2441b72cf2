-- Dynamic sizes of a saved graph: constants that change when tracing at other sizes are computed by nodes; other
-- changes are errors.
local raise = require "tide.internal.raise"
local tensors = require "tide.onnx.tensors"
local tide = require "tide"

local dynamic = {}

local kBool <const> = 9

--- ONNX's numbers of floating-point types.
local kFloats <const> = {[1] = true, [10] = true, [11] = true, [16] = true}

--- Constants with more elements are not analyzed.
local kMostElements <const> = 256

--- Pairs of other sizes to try for a dimension of `size`.
local function candidates(size)
  return {{size + 1, size + 2}, {2 * size, 3 * size}, {size + 32, size + 64}}
end

--- The dimensions that change together: {label, name, size, entries, is_named}, an entry being {input, dim}. `by_input`
--- has, for each input, by dimension a name, or true if the caller gave none.
function dynamic.groups(names, values, by_input)
  local groups, by_name = {}, {}
  for i, value in ipairs(values) do
    for d = 1, value:dim() do
      local given = by_input[i][d]
      if given then
        local name = given == true and ("%s_dim_%d"):format(names[i], d) or given
        local group = by_name[name]
        if not group then
          group = {
            name = name, size = value:size(d), entries = {}, label = ("dimension %d of '%s'"):format(d, names[i]),
            is_named = given ~= true,
          }
          groups[#groups + 1], by_name[name] = group, group
        end
        if group.size ~= value:size(d) then
          raise("save: dynamic_axes: '%s' is %d in %s and %d in dimension %d of '%s'", name, group.size, group.label,
            value:size(d), d, names[i])
        end
        group.entries[#group.entries + 1] = {input = i, dim = d}
      end
    end
  end
  return groups
end

--- The inputs with the dimensions of groups resized: {[group] = size}. Elements are repeated.
local function resized(values, sizes)
  local list = table.move(values, 1, #values, 1, {})
  for group, size in pairs(sizes) do
    for _, entry in ipairs(group.entries) do
      local x = list[entry.input]
      local positions = tide.arange(size, {device = x.device}):remainder(group.size) + 1
      list[entry.input] = x:index_select(entry.dim, positions)
    end
  end
  return list
end

-- Comparing ---------------------------------------------------------------------------------------

local function same(a, b)
  if type(a) ~= "table" or type(b) ~= "table" then return a == b end
  for key, value in pairs(a) do
    if not same(value, b[key]) then return false end
  end
  for key in pairs(b) do
    if a[key] == nil then return false end
  end
  return true
end

--- Whether two lists have the same values, up to rounding.
local function near(a, b)
  if #a ~= #b then return false end
  for i, value in ipairs(a) do
    if value ~= b[i] and not (math.abs(value - b[i]) <= 1e-6 * math.max(1, math.abs(value))) then return false end
  end
  return true
end

--- Raises an error if a graph has other nodes than the example's.
local function check_nodes(base, other, where)
  for i = 1, math.max(#base.nodes, #other.nodes) do
    local own, new = base.nodes[i], other.nodes[i]
    if not own or not new or not same(own, new) then
      raise("save: dynamic_axes: %s: the op '%s' depends on the size of the example", where,
        (own or new).from or "forward")
    end
  end
end

--- The op of the first node that uses an initializer.
local function user_of(graph, name)
  for _, node in ipairs(graph.nodes) do
    for _, input in ipairs(node.input) do
      if input == name then return node.from or node.op_type end
    end
  end
  return "forward"
end

local function text_of(value)
  if #value.dims > 1 or value.count > 8 then return "of shape (" .. table.concat(value.dims, ", ") .. ")" end
  return "(" .. table.concat(value.list(), ", ") .. ")"
end

--- An initializer: its dims, number of elements, and a function that reads its elements.
local function constant_of(initializer)
  local count, list = 1, nil
  for _, size in ipairs(initializer.dims) do count = count * size end
  return {dims = initializer.dims, count = count, dtype = initializer.data_type, list = function()
    if not list then
      local flat = tensors.read(initializer, ""):flatten()
      list = (flat.dtype == "bool" and flat:to("int64") or flat):tolist()
    end
    return list
  end}
end

--- a * size + b from values at three sizes; nil if they are not linear, or if integers would become fractional.
local function line_of(numbers, sizes, integer)
  local slope = (numbers[2] - numbers[1]) / (sizes[2] - sizes[1])
  if integer then slope = math.tointeger(slope) end
  if not slope then return nil end
  local expected = numbers[1] + slope * (sizes[3] - sizes[1])
  if math.abs(expected - numbers[3]) > 1e-6 * math.max(1, math.abs(numbers[3])) then return nil end
  return {a = slope, b = numbers[1] - slope * sizes[1]}
end

--- Adds to `terms` how list elements depend on a group's size: terms[i] = {group, a, b}. False if not linearly.
local function add_lines(terms, lists, group, sizes, integer)
  for i = 1, #lists[1] do
    local numbers = {lists[1][i], lists[2][i], lists[3][i]}
    if numbers[1] ~= numbers[2] or numbers[1] ~= numbers[3] then
      local line = line_of(numbers, sizes, integer)
      if not line or terms[i] then return false end
      line.group = group
      terms[i] = line
    end
  end
  return true
end

local function all_equal(list)
  for _, value in ipairs(list) do
    if value ~= list[1] then return false end
  end
  return true
end

--- Start and step of an evenly spaced list; nil for others.
local function steps_of(list)
  local step = #list > 1 and list[2] - list[1] or 0
  for i, value in ipairs(list) do
    if value ~= list[1] + (i - 1) * step then return nil end
  end
  return list[1], step
end

--- Records in `found` how a constant depends on the size of a group: `elements` has the terms of its elements, `dims`
--- those of its sizes, with `value` for all elements, or `start` and `step` of a range. False if neither applies.
local function relate(found, values, group, sizes)
  local first, second, third = values[1], values[2], values[3]
  if #first.dims ~= #second.dims or #first.dims ~= #third.dims then return false end
  local integer = not kFloats[first.dtype]
  if same(first.dims, second.dims) and same(first.dims, third.dims) then
    if first.count > kMostElements or found.dims or first.dtype == kBool then return false end
    found.elements = found.elements or {}
    return add_lines(found.elements, {first.list(), second.list(), third.list()}, group, sizes, integer)
  end
  if found.elements then return false end
  found.dims = found.dims or {}
  if not add_lines(found.dims, {first.dims, second.dims, third.dims}, group, sizes, true) then return false end
  local list = third.list()
  if #list > 0 and all_equal(list) and all_equal(first.list()) and first.list()[1] == list[1] then
    found.value = list[1]
    return true
  end
  local start, step = steps_of(list)
  local own_start, own_step = steps_of(first.list())
  local is_row = false
  for d, term in pairs(found.dims) do is_row = first.dims[d] == first.count and term.a == 1 end
  if not is_row or first.dtype == kBool or not start or start ~= own_start then return false end
  if first.count > 1 and step ~= own_step then return false end
  found.start, found.step = start, step
  return true
end

--- `numbers` evaluated at other sizes, by their terms.
local function at_sizes(numbers, terms, sizes)
  local list = {}
  for i, number in ipairs(numbers) do
    local term = terms[i]
    list[i] = term and term.a * (sizes[term.group] or term.group.size) + term.b or number
  end
  return list
end

-- Writing -----------------------------------------------------------------------------------------

--- The name of the size of a group as a one-element tensor of this dtype.
local function size_name(g, group, dtype)
  group.names = group.names or {}
  if not group.names.int64 then
    local entry = group.entries[1]
    local shape = g:node("Shape", {group.input_names[entry.input]})
    group.names.int64 = g:node("Gather", {shape, g:integers {entry.dim - 1}}, {axis = 0})
  end
  if not group.names[dtype] then
    group.names[dtype] = g:node("Cast", {group.names.int64}, {to = tensors.number_of(dtype)})
  end
  return group.names[dtype]
end

--- The name of a vector of this dtype with the numbers, those with terms computed.
local function vector_name(g, numbers, terms, dtype)
  local parts, run = {}, {}
  local function constant(list)
    return g:initializer(tide.tensor(list, {dtype = dtype, device = "cpu"}))
  end
  local function end_run()
    if #run > 0 then parts[#parts + 1] = constant(run) end
    run = {}
  end
  for i, number in ipairs(numbers) do
    local term = terms[i]
    if term then
      end_run()
      local name = size_name(g, term.group, dtype)
      if term.a ~= 1 then name = g:node("Mul", {name, constant {term.a}}) end
      if term.b ~= 0 then name = g:node("Add", {name, constant {term.b}}) end
      parts[#parts + 1] = name
    else
      run[#run + 1] = number
    end
  end
  end_run()
  return #parts == 1 and parts[1] or g:node("Concat", parts, {axis = 0})
end

--- Writes the nodes of a constant that depends on sizes, under its name.
local function write_constant(g, initializer, found)
  local value = constant_of(initializer)
  local dtype = tensors.dtype_of(value.dtype)
  local name
  if found.elements then
    name = vector_name(g, value.list(), found.elements, dtype)
    g:node("Reshape", {name, g:integers(value.dims)})
  else
    local shape = vector_name(g, value.dims, found.dims, "int64")
    if found.start then
      local _, term = next(found.dims)
      local count = vector_name(g, {0}, {term}, "int64")
      local range = g:node("Range", {g:number(0, "int64"), (g:node("Squeeze", {count})), g:number(1, "int64")})
      local row = g:node("Mul", {(g:node("Cast", {range}, {to = value.dtype})), g:number(found.step, dtype)})
      name = g:node("Reshape", {(g:node("Add", {row, g:number(found.start, dtype)})), shape})
      g:node("Identity", {name})
    else
      local filler = tide.tensor({found.value}, {device = "cpu"}):to(dtype)
      g:node("Expand", {g:initializer(filler), shape})
    end
  end
  g.nodes[#g.nodes].output = {initializer.name}
end

--- Replaces the constants that depend on sizes, `found` by their positions, with nodes.
local function rewrite(g, found)
  local count, kept, own = #g.nodes, {}, {}
  for i, initializer in ipairs(g.initializers) do
    if found[i] then own[#own + 1] = {initializer, found[i]} else kept[#kept + 1] = initializer end
  end
  g.initializers, g.op = kept, nil
  for _, entry in ipairs(own) do write_constant(g, entry[1], entry[2]) end
  local nodes = table.move(g.nodes, count + 1, #g.nodes, 1, {})
  g.nodes = table.move(g.nodes, 1, count, #nodes + 1, nodes)
end

-- All together ------------------------------------------------------------------------------------

--- Sizes of a group, the first the example's, and traces at the others; nil and forward's error if none works.
local function traces_of(group, values, trace)
  local problem
  for _, pair in ipairs(candidates(group.size)) do
    local sizes, traces = {group.size}, {}
    for i, size in ipairs(pair) do
      local ok, result = pcall(trace, resized(values, {[group] = size}))
      if not ok then
        problem = problem or ("at %d: %s"):format(size, (tostring(result):gsub("^.-:%d+: ", "")))
        break
      end
      sizes[i + 1], traces[i] = size, result
    end
    if #traces == 2 then return sizes, traces end
  end
  return nil, problem
end

--- Adds to the unnamed group at `index` the later unnamed ones of the same size, which must change with it. Returns
--- whether there are any.
local function join(groups, index)
  local own, joined = groups[index], false
  for i = #groups, index + 1, -1 do
    local other = groups[i]
    if not own.is_named and not other.is_named and other.size == own.size then
      table.move(other.entries, 1, #other.entries, #own.entries + 1, own.entries)
      table.remove(groups, i)
      joined = true
    end
  end
  return joined
end

--- Finds the constants of the base that change with one group.
local function compare(base, traces, group, sizes, found)
  for _, other in ipairs(traces) do check_nodes(base.graph, other.graph, group.label) end
  for i, initializer in ipairs(base.graph.initializers) do
    local second, third = traces[1].graph.initializers[i], traces[2].graph.initializers[i]
    if second.raw_data and (initializer.raw_data ~= second.raw_data or not same(initializer.dims, second.dims)
        or initializer.raw_data ~= third.raw_data or not same(initializer.dims, third.dims)) then
      found[i] = found[i] or {}
      local values = {constant_of(initializer), constant_of(second), constant_of(third)}
      if not relate(found[i], values, group, sizes) then
        raise("save: dynamic_axes: %s is fixed by the op '%s': its constant is %s, %s and %s at the sizes %s",
          group.label, user_of(base.graph, initializer.name), text_of(values[1]), text_of(values[2]),
          text_of(values[3]), ("%d, %d and %d"):format(table.unpack(sizes)))
      end
    end
  end
end

--- Raises an error for constants whose dependence on several sizes is not the sum of separate ones.
local function check_together(base, together, found, sizes)
  local graph = together.graph
  check_nodes(base.graph, graph, "all dimensions")
  for i, entry in pairs(found) do
    local own, actual = constant_of(base.graph.initializers[i]), constant_of(graph.initializers[i])
    local right = entry.elements and near(at_sizes(own.list(), entry.elements, sizes), actual.list())
      or entry.dims and near(at_sizes(own.dims, entry.dims, sizes), actual.dims)
    if not right then
      raise("save: dynamic_axes: the op '%s' has a constant that depends on several dimensions: %s becomes %s",
        user_of(base.graph, graph.initializers[i].name), text_of(own), text_of(actual))
    end
  end
end

--- Names of the dimensions of outputs that change with the groups: {[output] = {[dim] = name}}.
local function output_names(base, by_group, names)
  local named = {}
  for i, own in ipairs(base.shapes) do
    named[i] = {}
    for group, entry in pairs(by_group) do
      local new = entry.traces[1].shapes[i]
      for d, size in ipairs(own) do
        if new[d] ~= size then
          local is_same = size == group.size and new[d] == entry.sizes[2] and not named[i][d]
          named[i][d] = is_same and group.name or ("%s_dim_%d"):format(names[i], d)
        end
      end
    end
  end
  return named
end

--- Makes the graph of a trace, {graph, shapes}, valid for all sizes of the groups; trace(values) makes another trace.
--- Returns the names of the outputs' dimensions that change.
function dynamic.open(base, groups, values, input_names, names, trace)
  local found, by_group, together = {}, {}, {}
  for i, group in ipairs(groups) do -- joining groups removes entries
    group.input_names = input_names
    local sizes, traces = traces_of(group, values, trace)
    if not sizes and join(groups, i) then sizes, traces = traces_of(group, values, trace) end
    if not sizes then
      raise("save: dynamic_axes: %s: forward accepts no other size than %d: %s", group.label, group.size, traces)
    end
    compare(base, traces, group, sizes, found)
    by_group[group], together[group] = {sizes = sizes, traces = traces}, sizes[2]
  end
  if #groups > 1 then check_together(base, trace(resized(values, together)), found, together) end
  rewrite(base.graph, found)
  return output_names(base, by_group, names)
end

return dynamic

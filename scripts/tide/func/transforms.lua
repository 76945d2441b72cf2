-- tide.func: function transforms that compute derivatives. Arguments and results may be tensors or nested tables of
-- tensors, such as the parameters of a model.
local checked = require "tide.internal.declare.checked"
local batched = require "tide.func.batched"
local reader = require "tide.internal.declare.reader"
local kind_of = require "tide.internal.kind_of"
local of_type = require "tide.internal.declare.of_type"
local raise = require "tide.internal.raise"
local tide = require "tide"

local transforms = {}

-- Nested tables -----------------------------------------------------------------------------------

--- The tensors in `value`, a tensor or a table of such values, in a fixed order, appended to
--- `list`.
local function leaves(name, value, list)
  if tide.is_tensor(value) then
    list[#list + 1] = value
  elseif type(value) == "table" and not getmetatable(value) then
    local keys = {}
    for key in pairs(value) do keys[#keys + 1] = key end
    table.sort(keys, function(a, b)
      if type(a) ~= type(b) then return type(a) == "number" end
      return a < b
    end)
    for _, key in ipairs(keys) do leaves(name, value[key], list) end
  else
    raise("%s: expected tensors, or tables of tensors, got %s", name, kind_of(value))
  end
  return list
end

--- `value` with its tensors replaced by the results of `map`.
local function mapped(value, map)
  if tide.is_tensor(value) then return map(value) end
  local result = {}
  for key, part in pairs(value) do result[key] = mapped(part, map) end
  return result
end

--- `value` with the tensors of `list`, in the order of `leaves`.
local function with_leaves(name, value, list)
  local place = {}
  for i, tensor in ipairs(leaves(name, value, {})) do place[tensor] = list[i] end
  return mapped(value, function(tensor) return place[tensor] end)
end

-- Levels ------------------------------------------------------------------------------------------

local depth = 0 -- the number of nested transforms

--- Starts a level, which ends when the result is closed, and enables gradients.
local function begin_level()
  depth = depth + 1
  local scope = tide.enable_grad()
  return setmetatable({}, {__close = function()
    depth = depth - 1
    scope:close()
  end})
end

--- Whether the results of a transform of these tensors have a grad function: inside another transform, or if a tensor
--- requires a gradient.
local function keeps_grad_fn(tensors)
  if depth > 1 then return true end
  for _, tensor in ipairs(tensors) do
    if tensor.requires_grad then return true end
  end
  return false
end

--- Copies of these tensors that require gradients.
local function variables(tensors)
  local list = {}
  for i, tensor in ipairs(tensors) do
    tensor = batched.at_all_levels(tensor)
    list[i] = tensor.requires_grad and tensor:clone() or tensor:detach():requires_grad_()
  end
  return list
end

--- `value`, with its tensors detached unless `keep`.
local function finished(value, keep)
  if keep then return value end
  return mapped(value, function(tensor) return tensor:detach() end)
end

--- The innermost level of vmap at which one of the tensors is batched; 0 if none is.
local function innermost(tensors)
  local level = 0
  for _, tensor in ipairs(tensors) do
    if batched.is_batched(tensor) then level = math.max(level, tensor._level) end
  end
  return level
end

local gradients

--- gradients for batched tensors: those of the sum over the samples, which are independent because `variables` gave
--- each sample its own inputs.
local function gradients_of_samples(level, outputs, inputs, weights)
  local values, points, factors = {}, {}, {}
  for i, output in ipairs(outputs) do
    values[i] = batched.full_value(output, level)
    factors[i] = weights and batched.full_value(weights[i], level) or tide.ones_like(values[i])
  end
  for i, input in ipairs(inputs) do points[i] = batched.value_at(input, level) end
  local found = gradients(values, points, factors)
  for i, gradient in ipairs(found) do found[i] = batched.wrap(gradient, level) end
  return found
end

--- Gradients of outputs weighted by `weights` (nil: 1); zeros for unused inputs.
function gradients(outputs, inputs, weights)
  local level = innermost(inputs)
  if level > 0 then return gradients_of_samples(level, outputs, inputs, weights) end
  local used, used_weights = {}, {}
  for i, output in ipairs(outputs) do
    if output.requires_grad then
      used[#used + 1], used_weights[#used + 1] = output, weights and weights[i]
    end
  end
  local found = {}
  if #used > 0 then
    local options = {create_graph = true, retain_graph = true, allow_unused = true}
    if weights then found = {tide.grad(used, inputs, used_weights, options)}
    else found = {tide.grad(used, inputs, options)} end
  end
  for i, input in ipairs(inputs) do found[i] = found[i] or tide.zeros_like(input) end
  return found
end

-- Arguments that are differentiated ---------------------------------------------------------------

--- Reads `argnums`, a position or a list of positions.
local function positions(name, argnums)
  local list = type(argnums) == "table" and argnums or {argnums}
  for _, position in ipairs(list) do
    if not math.tointeger(position) or position < 1 then
      raise("%s: argnums: positions start at 1, got %s", name, tostring(position))
    end
  end
  if #list == 0 then raise("%s: argnums: the list is empty", name) end
  return list
end

--- Calls `fn` with the arguments at `argnums` replaced by variables. Returns the variables, the original arguments, the
--- result of fn (a list if there are several), and with `has_aux` its second result.
local function call_with_variables(name, fn, argnums, has_aux, ...)
  of_type(name, "fn", fn, "function")
  local args, chosen = table.pack(...), {}
  for i, position in ipairs(argnums) do
    if position > args.n then
      raise("%s: there is no argument %d, got %d", name, position, args.n)
    end
    chosen[i] = args[position]
  end
  local tensors = leaves(name, chosen, {})
  for _, tensor in ipairs(tensors) do
    if not tensor:is_floating_point() then
      raise("%s: expected a floating type, got %s", name, tensor.dtype)
    end
  end
  local inputs = variables(tensors)
  local standing = with_leaves(name, chosen, inputs)
  for i, position in ipairs(argnums) do args[position] = standing[i] end
  local results = table.pack(fn(table.unpack(args, 1, args.n)))
  if has_aux then return inputs, chosen, results[1], results[2] end
  if results.n > 1 then return inputs, chosen, {table.unpack(results, 1, results.n)} end
  return inputs, chosen, results[1]
end

--- The values for the chosen arguments: a list if argnums is a list, else a single value.
local function for_argnums(argnums, list) return type(argnums) == "table" and list or list[1] end

--- Returns a function that computes the gradient of fn, which returns one number, by argument 1 or by argnums.
---@param fn function  the function to call
---@param argnums integer | integer[] = 1  arguments to differentiate by, from 1
---@param has_aux boolean = false  fn also returns a second value, which is passed through
---@see tide.grad tide.autograd.jacobian tide.autograd.gradcheck
---@example
--- tide.func.grad(function(x) return x:square():sum() end)(tide.tensor{1.0, 2}) --> {2.0, 4.0}
local read_grad = reader "func.grad"
--- Like grad, but the function returns the gradient and the result of fn.
---@param fn function  the function to call
---@param argnums integer | integer[] = 1  arguments to differentiate by, from 1
---@param has_aux boolean = false  fn also returns a second value, which is passed through
---@see tide.func.grad
---@example
--- tide.func.grad_and_value(function(x) return x:square():sum() end)(tide.tensor{1.0, 2}) --> {2.0, 4.0}, 5.0
local read_value = reader "func.grad_and_value"

--- Returns the gradients of fn's result, in the structure of the arguments, that result, and the auxiliary value.
local function differentiate(name, given, ...)
  local _ <close> = begin_level()
  local argnums = positions(name, given.argnums)
  local inputs, chosen, output, aux = call_with_variables(name, given.fn, argnums, given.has_aux,
    ...)
  if not tide.is_tensor(output) or output:numel() ~= 1 then
    raise("%s: the function must return one number, got %s", name,
      tide.is_tensor(output) and "shape (" .. table.concat(output.shape, ", ") .. ")"
        or kind_of(output))
  end
  local keep = keeps_grad_fn(leaves(name, chosen, {}))
  local found = with_leaves(name, chosen, gradients({output}, inputs))
  return finished(for_argnums(given.argnums, found), keep), finished(output, keep), aux
end

--- With has_aux the function also returns the second result of fn.
function transforms.grad(...)
  local given = read_grad(...)
  return function(...)
    local gradient, _, aux = differentiate("grad", given, ...)
    if given.has_aux then return gradient, aux end
    return gradient
  end
end

function transforms.grad_and_value(...)
  local given = read_value(...)
  return function(...)
    local gradient, value, aux = differentiate("grad_and_value", given, ...)
    if given.has_aux then return gradient, value, aux end
    return gradient, value
  end
end

--- The results of fn, and a function that computes vector-Jacobian products.
---@param fn function  the function to call
---@param primal... tensor  arguments at which to differentiate
---@param has_aux boolean = false  fn also returns a second value, which is passed through
---@see tide.grad tide.func.grad tide.autograd.jacobian tide.autograd.gradcheck
---@example
--- local y, vjp_fn = tide.func.vjp(tide.square, tide.tensor{1.0, 2})
--- y, vjp_fn(tide.ones(2)) --> {1.0, 4.0}, {2.0, 4.0}
transforms.vjp = checked("func.vjp", function(fn, ...)
  local args = table.pack(...)
  local last, has_aux = args[args.n], false
  if type(last) == "table" and type(last.has_aux) == "boolean" then
    has_aux, args.n = last.has_aux, args.n - 1
  end
  local argnums = {}
  for i = 1, args.n do argnums[i] = i end
  local inputs, chosen, result, aux, keep
  do
    local _ <close> = begin_level()
    inputs, chosen, result, aux = call_with_variables("vjp", fn, positions("vjp", argnums), has_aux,
      table.unpack(args, 1, args.n))
    keep = keeps_grad_fn(leaves("vjp", chosen, {}))
  end
  local outputs = leaves("vjp", result, {})
  local function vjp_fn(v)
    local _ <close> = begin_level()
    local weights = leaves("vjp", v, {})
    if #weights ~= #outputs then
      raise("vjp: expected %d tensors for %d results", #outputs, #weights)
    end
    local again = keep or keeps_grad_fn(weights)
    local found = with_leaves("vjp", chosen, gradients(outputs, inputs, weights))
    return table.unpack(finished(found, again))
  end
  if has_aux then return finished(result, keep), vjp_fn, aux end
  return finished(result, keep), vjp_fn
end)

--- Returns a function that multiplies the derivatives of `outputs` by `inputs` with directions. The gradients are
--- linear in the weights of the outputs; their derivative by these weights is the product.
local function pusher(outputs, inputs)
  local weights = {}
  for i, output in ipairs(outputs) do weights[i] = tide.zeros_like(output):requires_grad_() end
  local products = gradients(outputs, inputs, weights)
  return function(directions) return gradients(products, weights, directions) end
end

--- The results of fn for a list of primals, and Jacobian-vector products with the tangents.
---@param fn function  the function to call
---@param primals tensor[]  arguments at which to differentiate
---@param tangents tensor[]  directions, one for each primal
---@param has_aux boolean = false  fn also returns a second value, which is passed through
---@see tide.grad tide.func.grad tide.autograd.jacobian tide.autograd.gradcheck
---@example
--- tide.func.jvp(tide.square, {tide.tensor{1.0, 2}}, {tide.ones(2)}) --> {1.0, 4.0}, {2.0, 4.0}
transforms.jvp = checked("func.jvp", function(fn, primals, tangents, has_aux)
  local _ <close> = begin_level()
  local argnums = {}
  for i = 1, #primals do argnums[i] = i end
  local inputs, chosen, result, aux = call_with_variables("jvp", fn,
    positions("jvp", argnums), has_aux, table.unpack(primals))
  local directions = leaves("jvp", tangents, {})
  if #directions ~= #inputs then
    raise("jvp: expected %d tangents, got %d", #inputs, #directions)
  end
  local keep = keeps_grad_fn(leaves("jvp", chosen, {})) or keeps_grad_fn(directions)
  local outputs = leaves("jvp", result, {})
  local tangent = with_leaves("jvp", result, pusher(outputs, inputs)(directions))
  if has_aux then return finished(result, keep), finished(tangent, keep), aux end
  return finished(result, keep), finished(tangent, keep)
end)

--- Concatenates the sizes of two tensors.
local function joined(a, b)
  return table.move(b, 1, #b, #a + 1, table.move(a, 1, #a, 1, {}))
end

--- A tensor like `tensor` with a one at a flat position and zeros elsewhere.
local function unit(tensor, place)
  local flat = tide.zeros({tensor:numel()}, {dtype = tensor.dtype, device = tensor.device})
  flat[place] = 1
  return flat:reshape(tensor.shape)
end

--- Derivatives of each output by each input, computed by rows: gradients of one output element each.
local function by_rows(outputs, inputs)
  local blocks = {}
  for o, output in ipairs(outputs) do
    blocks[o] = {}
    for k in ipairs(inputs) do blocks[o][k] = {} end
    for place = 1, output:numel() do
      for k, row in ipairs(gradients({output}, inputs, {unit(output, place)})) do
        blocks[o][k][place] = row
      end
    end
    for k, input in ipairs(inputs) do
      local shape = joined(output.shape, input.shape)
      local rows = blocks[o][k]
      blocks[o][k] = #rows > 0 and tide.stack(rows):reshape(shape) or input:new_zeros(shape)
    end
  end
  return blocks
end

--- Derivatives of each output by each input, computed by columns: derivatives by one input element each.
local function by_columns(outputs, inputs)
  local push, blocks = pusher(outputs, inputs), {}
  for o in ipairs(outputs) do blocks[o] = {} end
  for k, input in ipairs(inputs) do
    local columns = {}
    for o in ipairs(outputs) do columns[o] = {} end
    for place = 1, input:numel() do
      local directions = {}
      for i, other in ipairs(inputs) do
        directions[i] = i == k and unit(input, place) or tide.zeros_like(other)
      end
      for o, column in ipairs(push(directions)) do columns[o][place] = column end
    end
    for o, output in ipairs(outputs) do
      local shape = joined(output.shape, input.shape)
      blocks[o][k] = #columns[o] > 0 and tide.stack(columns[o], -1):reshape(shape)
        or output:new_zeros(shape)
    end
  end
  return blocks
end

--- Makes jacrev and jacfwd, which differ in how they compute the blocks.
local function jacobian(declared, find_blocks)
  local read, name = reader(declared), declared:match "[%w_]+$"
  return function(...)
    local given = read(...)
    return function(...)
      local _ <close> = begin_level()
      local argnums = positions(name, given.argnums)
      local inputs, chosen, result, aux = call_with_variables(name, given.fn, argnums,
        given.has_aux, ...)
      local keep = keeps_grad_fn(leaves(name, chosen, {}))
      local outputs = leaves(name, result, {})
      local row_of = {}
      for o, blocks in ipairs(find_blocks(outputs, inputs)) do
        local rows = for_argnums(given.argnums, with_leaves(name, chosen, blocks))
        row_of[outputs[o]] = finished(rows, keep)
      end
      local found = mapped(result, function(output) return row_of[output] end)
      if given.has_aux then return found, aux end
      return found
    end
  end
end

--- Returns a function that computes the Jacobian of fn, with a backward pass for each element of the results.
---@param fn function  the function to call
---@param argnums integer | integer[] = 1  arguments to differentiate by, from 1
---@param has_aux boolean = false  fn also returns a second value, which is passed through
---@example
--- tide.func.jacrev(tide.square)(tide.tensor{1.0, 2}) --> {{2.0, 0.0}, {0.0, 4.0}}
transforms.jacrev = jacobian("func.jacrev", by_rows)

--- Returns a function that computes the Jacobian of fn, with a pass for each element of the arguments.
---@like func.jacrev
---@example
--- tide.func.jacfwd(tide.square)(tide.tensor{1.0, 2}) --> {{2.0, 0.0}, {0.0, 4.0}}
transforms.jacfwd = jacobian("func.jacfwd", by_columns)

--- Returns a function that computes the Hessian of fn, which returns one number.
---@param fn function  the function to call
---@param argnums integer | integer[] = 1  arguments to differentiate by, from 1
---@see tide.grad tide.func.grad tide.autograd.jacobian tide.autograd.gradcheck
---@example
--- tide.func.hessian(function(x) return x:pow(3):sum() end)(tide.tensor{1.0, 2}) --> {{6.0, 0.0}, {0.0, 12.0}}
transforms.hessian = checked("func.hessian", function(fn, argnums)
  local options = {argnums = argnums}
  return transforms.jacfwd(transforms.jacrev(fn, options), options)
end)

return transforms

-- Derivatives of functions as tensors: jacobian, hessian, and their products with vectors.
-- Functions take tensors and return one or several.
local checked = require "tide.internal.declare.checked"
local kind_of = require "tide.internal.kind_of"
local raise = require "tide.internal.raise"
local tide = require "tide"

local derivatives = {}

--- Copies of the inputs (one tensor or a list) that require gradients. With `keep` they stay connected to the graph.
local function as_inputs(name, inputs, keep)
  local list = tide.is_tensor(inputs) and {inputs} or inputs
  if #list == 0 then raise("%s: inputs: the list is empty", name) end
  local copies = {}
  for i, input in ipairs(list) do
    copies[i] = keep and input.requires_grad and input:clone()
      or input:detach():clone():requires_grad_()
  end
  return copies
end

--- One tensor if one was given, else the list.
local function like_given(given, list) return tide.is_tensor(given) and list[1] or list end

local function call(name, fn, inputs)
  local outputs = {tide.enable_grad(fn, table.unpack(inputs))}
  if #outputs == 1 and type(outputs[1]) == "table" and not getmetatable(outputs[1]) then
    outputs = outputs[1]
  end
  for i, output in ipairs(outputs) do
    if not tide.is_tensor(output) then
      raise("%s: expected result %d to be a tensor, got %s", name, i, kind_of(output))
    end
  end
  if #outputs == 0 then raise("%s: the function returned nothing", name) end
  return outputs
end

--- tide.grad of outputs weighted by vectors, with zeros for unused inputs.
local function weighted(outputs, inputs, weights, create_graph)
  local used, used_weights = {}, {}
  for i, output in ipairs(outputs) do
    if output.requires_grad then
      used[#used + 1], used_weights[#used + 1] = output, weights[i]
    end
  end
  local grads = {}
  if #used > 0 then
    grads = {n = #inputs, tide.grad(used, inputs, used_weights,
      {retain_graph = true, create_graph = create_graph, allow_unused = true})}
  end
  local result = {}
  for i, input in ipairs(inputs) do result[i] = grads[i] or tide.zeros_like(input) end
  return result
end

local function joined(shape, other)
  local all = table.move(shape, 1, #shape, 1, {})
  return table.move(other, 1, #other, #all + 1, all)
end

--- The derivative of one output by each input: (output's sizes, input's sizes).
local function rows_of(output, inputs, create_graph)
  local flat, rows = output:reshape(-1), {}
  for k = 1, #inputs do rows[k] = {} end
  for i = 1, flat:numel() do
    local grads = weighted({flat[i]}, inputs, {tide.ones_like(flat[i])}, create_graph)
    for k, grad in ipairs(grads) do rows[k][i] = grad end
  end
  for k, list in ipairs(rows) do
    local shape = joined(output.shape, inputs[k].shape)
    rows[k] = #list > 0 and tide.stack(list):reshape(shape) or inputs[k]:new_zeros(shape)
  end
  return rows
end

--- The Jacobian of fn: a tensor with the shape of the result followed by that of the input; lists for lists of inputs,
--- and for several results.
---@param fn function  the function to call
---@param inputs tensor | tensor[]  inputs to differentiate by
---@param create_graph boolean = false  record the gradients, so that they can be differentiated
---@see tide.grad tide.func.grad tide.autograd.gradcheck
---@example
--- autograd.jacobian(function(x) return x:square() end, tide.tensor{1.0, 2}) --> {{2.0, 0.0}, {0.0, 4.0}}
derivatives.jacobian = checked("autograd.jacobian", function(fn, inputs, create_graph)
  local copies = as_inputs("jacobian", inputs, create_graph)
  local outputs = call("jacobian", fn, copies)
  local table_of = {}
  for i, output in ipairs(outputs) do
    local rows = rows_of(output, copies, create_graph)
    table_of[i] = like_given(inputs, rows)
  end
  return #outputs == 1 and table_of[1] or table_of
end)

local function check_single(name, outputs)
  if #outputs ~= 1 or outputs[1]:numel() ~= 1 then
    raise("%s: the function must return one number", name)
  end
end

--- The Hessian of fn, which returns one number: a tensor, or for a list of inputs a list of lists.
---@param fn function  the function to call
---@param inputs tensor | tensor[]  inputs to differentiate by
---@param create_graph boolean = false  record the gradients, so that they can be differentiated
---@see tide.grad tide.func.grad tide.autograd.jacobian tide.autograd.gradcheck
---@example
--- autograd.hessian(function(x) return x:pow(3):sum() end, tide.tensor{1.0, 2}) --> {{6.0, 0.0}, {0.0, 12.0}}
derivatives.hessian = checked("autograd.hessian", function(fn, inputs, create_graph)
  local copies = as_inputs("hessian", inputs, create_graph)
  local outputs = call("hessian", fn, copies)
  check_single("hessian", outputs)
  local first = weighted(outputs, copies, {tide.ones_like(outputs[1])}, true)
  local result = {}
  for i, grad in ipairs(first) do result[i] = rows_of(grad, copies, create_graph) end
  return tide.is_tensor(inputs) and result[1][1] or result
end)

--- Vectors for these tensors, given as one or a list; by default 1 for a single element.
local function vectors_for(name, tensors, given)
  if given == nil then
    if #tensors == 1 and tensors[1]:numel() == 1 then return {tide.ones_like(tensors[1])} end
    raise("%s: a vector v is missing", name)
  end
  local list = tide.is_tensor(given) and {given} or given
  if #list ~= #tensors then
    raise("%s: %d vectors for %d tensors", name, #list, #tensors)
  end
  for i, tensor in ipairs(tensors) do
    local a, b = table.concat(list[i].shape, ", "), table.concat(tensor.shape, ", ")
    if a ~= b then raise("%s: v has shape (%s), expected (%s)", name, a, b) end
  end
  return list
end

local function detached(list, create_graph)
  if create_graph then return list end
  local result = {}
  for i, tensor in ipairs(list) do result[i] = tensor:detach() end
  return result
end

local function single(list) return #list == 1 and list[1] or list end

--- The results of fn, and the vector-Jacobian product with v.
---@param fn function  the function to call
---@param inputs tensor | tensor[]  inputs to differentiate by
---@param v tensor | tensor[] = nil  the vector; optional if it has one element
---@param create_graph boolean = false  record the gradients, so that they can be differentiated
---@see tide.grad tide.func.grad tide.autograd.jacobian tide.autograd.gradcheck
---@example
--- autograd.vjp(function(x) return x:square() end, tide.tensor{1.0, 2}, tide.ones(2)) --> {1.0, 4.0}, {2.0, 4.0}
derivatives.vjp = checked("autograd.vjp", function(fn, inputs, v, create_graph)
  local copies = as_inputs("vjp", inputs, create_graph)
  local outputs = call("vjp", fn, copies)
  local product = weighted(outputs, copies, vectors_for("vjp", outputs, v), create_graph)
  return single(detached(outputs, create_graph)), like_given(inputs, product)
end)

--- The results of fn, and the Jacobian-vector product with v.
---@param fn function  the function to call
---@param inputs tensor | tensor[]  inputs to differentiate by
---@param v tensor | tensor[] = nil  the vector; optional if it has one element
---@param create_graph boolean = false  record the gradients, so that they can be differentiated
---@see tide.grad tide.func.grad tide.autograd.jacobian tide.autograd.gradcheck
---@example
--- autograd.jvp(function(x) return x:square() end, tide.tensor{1.0, 2}, tide.ones(2)) --> {1.0, 4.0}, {2.0, 4.0}
derivatives.jvp = checked("autograd.jvp", function(fn, inputs, v, create_graph)
  local copies = as_inputs("jvp", inputs, create_graph)
  local outputs = call("jvp", fn, copies)
  local directions = vectors_for("jvp", copies, v)
  -- The vector-Jacobian product is linear in its vector: its derivative by that vector is the Jacobian.
  local weights = {}
  for i, output in ipairs(outputs) do weights[i] = tide.zeros_like(output):requires_grad_() end
  local product = weighted(outputs, copies, weights, true)
  local result = weighted(product, weights, directions, create_graph)
  return single(detached(outputs, create_graph)), single(result)
end)

--- Implements vhp and hvp.
local function second_derivatives(fn, inputs, v, create_graph)
  local copies = as_inputs("vhp", inputs, create_graph)
  local outputs = call("vhp", fn, copies)
  check_single("vhp", outputs)
  local first = weighted(outputs, copies, {tide.ones_like(outputs[1])}, true)
  local product = weighted(first, copies, vectors_for("vhp", copies, v), create_graph)
  return detached(outputs, create_graph)[1], like_given(inputs, product)
end

--- The result of fn, and the vector-Hessian product with v.
---@param fn function  the function to call
---@param inputs tensor | tensor[]  inputs to differentiate by
---@param v tensor | tensor[]  the vector
---@param create_graph boolean = false  record the gradients, so that they can be differentiated
---@example
--- autograd.vhp(function(x) return x:pow(3):sum() end, tide.tensor{1.0, 2}, tide.ones(2)) --> 9.0, {6.0, 12.0}
derivatives.vhp = checked("autograd.vhp", second_derivatives)

--- The result of fn, and the Hessian-vector product with v, which equals vhp because Hessians are symmetric.
---@like autograd.vhp
---@example
--- autograd.hvp(function(x) return x:pow(3):sum() end, tide.tensor{1.0, 2}, tide.ones(2)) --> 9.0, {6.0, 12.0}
derivatives.hvp = checked("autograd.hvp", second_derivatives)

return derivatives

-- Checks gradients against finite differences.
local derivatives = require "tide.autograd.derivatives"
local reader = require "tide.internal.declare.reader"
local raise = require "tide.internal.raise"
local tide = require "tide"

local check = {}

--- Whether gradients agree with finite differences.
---@param fn function  the function to call
---@param inputs tensor | tensor[]  inputs to differentiate by
---@param eps number = 1e-6  step of the finite differences
---@param atol number = 1e-5  absolute tolerance
---@param rtol number = 0.001  relative tolerance
---@param raise_exception boolean = true  raise an error for a wrong gradient, instead of returning false
---@waits to compare values
---@see tide.autograd.gradgradcheck tide.grad
---@example
--- autograd.gradcheck(tide.sin, tide.tensor({1.0, 2}, {dtype = "float64", requires_grad = true})) --> true
local read = reader "autograd.gradcheck"

--- fn's results as one list, without a grad function.
local function values(fn, inputs)
  local outputs = {tide.no_grad(fn, table.unpack(inputs))}
  if #outputs == 1 and type(outputs[1]) == "table" and not getmetatable(outputs[1]) then
    outputs = outputs[1]
  end
  return outputs
end

--- The derivatives of all results by input `k`, by central differences: for each result, a column for each element of
--- the input.
local function numerical(fn, inputs, k, eps)
  local rows = {}
  local base = inputs[k]:detach()
  for i = 1, base:numel() do
    local function shifted(by)
      local moved = base:clone()
      moved:reshape(-1)[{i}] = base:reshape(-1)[i] + by
      local changed = table.move(inputs, 1, #inputs, 1, {})
      changed[k] = moved
      return values(fn, changed)
    end
    local above, below = shifted(eps), shifted(-eps)
    for o, value in ipairs(above) do
      rows[o] = rows[o] or {}
      rows[o][i] = ((value - below[o]) / (2 * eps)):reshape(-1)
    end
  end
  for o, list in ipairs(rows) do rows[o] = tide.stack(list, 2) end
  return rows
end

--- Describes the first mismatch between gradients and finite differences; nil if there is none.
local function difference(given, inputs)
  local analytical = derivatives.jacobian(given.fn, inputs)
  if tide.is_tensor(analytical[1]) then analytical = {analytical} end -- of a single result
  for k, input in ipairs(inputs) do
    if input.requires_grad then
      for o, expected in ipairs(numerical(given.fn, inputs, k, given.eps)) do
        local got = analytical[o][k]:detach():reshape(expected.shape)
        local limit = expected:abs() * given.rtol + given.atol
        -- Not "greater": a nan must not pass.
        local wrong = (got - expected):abs():le(limit):logical_not()
        if wrong:any():item() then
          local place = wrong:reshape(-1):int():argmax():item()
          return ("result %d by input %d: the gradient is %g, finite differences give %g"):format(o,
            k, got:reshape(-1)[place]:item(), expected:reshape(-1)[place]:item())
        end
      end
    end
  end
end

local function run(name, given)
  local inputs, any = tide.is_tensor(given.inputs) and {given.inputs} or given.inputs, false
  for i, input in ipairs(inputs) do
    if input.requires_grad then
      any = true
      if input.dtype ~= "float64" then
        raise("%s: input %d is %s: finite differences need float64", name, i, input.dtype)
      end
    end
  end
  if not any then raise("%s: no input requires a gradient", name) end
  local wrong = difference(given, inputs)
  if wrong and given.raise_exception then raise("%s: %s", name, wrong) end
  return not wrong
end

--- Inputs must be float64; those that require gradients are checked.
function check.gradcheck(...) return run("gradcheck", read(...)) end

--- Whether second derivatives agree with finite differences.
---@like autograd.gradcheck
---@see tide.autograd.gradcheck tide.grad
---@example
--- autograd.gradgradcheck(tide.sin, tide.tensor({1.0, 2}, {dtype = "float64", requires_grad = true})) --> true
local read_second = reader "autograd.gradgradcheck"

function check.gradgradcheck(...)
  local given = read_second(...)
  local fn = given.fn
  local function gradient(...)
    local inputs, wanted = {...}, {}
    for i, input in ipairs(inputs) do
      if not input.requires_grad then inputs[i] = input:detach():requires_grad_() end
      wanted[i] = inputs[i]
    end
    local total = tide.enable_grad(function()
      local sum
      for o, output in ipairs({fn(table.unpack(inputs))}) do
        -- Fixed weights, so that no two results cancel.
        local weights = (tide.arange(output:numel(), {dtype = output.dtype,
          device = output.device}) * 0.7 + o):cos():reshape(output.shape)
        local part = (output * weights):sum()
        sum = sum and sum + part or part
      end
      return sum
    end)
    local grads = {tide.grad(total, wanted, {create_graph = true, allow_unused = true})}
    for i, input in ipairs(wanted) do grads[i] = grads[i] or tide.zeros_like(input) end
    return table.unpack(grads, 1, #wanted)
  end
  given.fn = gradient
  return run("gradgradcheck", given)
end

return check

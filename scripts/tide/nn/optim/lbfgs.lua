-- optim.LBFGS: limited-memory BFGS, a quasi-Newton method (Nocedal and Wright, "Numerical optimization", chapters 3
-- and 7).
local define_optimizer = require "tide.nn.optim.internal.define_optimizer"
local Optimizer = require "tide.nn.optim.optimizer"
local raise = require "tide.internal.raise"
local tide = require "tide"

--- Limited-memory BFGS, a quasi-Newton method; step(closure) recomputes gradients and waits.
---@use optim: params, lr = 1
---@param max_iter integer = 20  maximum iterations per step
---@param max_eval integer | false = false  maximum calls of the closure per step; false is max_iter * 5 / 4
---@param tolerance_grad number = 1e-7  stop if the largest element of the gradient is at most this
---@param tolerance_change number = 1e-9  stop if the parameters or the loss change less than this
---@param history_size integer = 100  number of past steps used to estimate the curvature
---@param line_search_fn "strong_wolfe" | false = false  line search for the step size; false uses lr
---@formula p = p - lr H g, where H is the inverse Hessian estimated from history_size steps
---@waits in each step
---@errors step is called without a closure, or there are several parameter groups
---@see optim.SGD optimizer:step
---@example
--- local w = nn.Parameter(tide.tensor{1.0})
--- local lbfgs = optim.LBFGS({w})
--- lbfgs:step(function() lbfgs:zero_grad()
--- local loss = (w - 3):square():sum()
--- loss:backward()
--- return loss end)
--- w --> {3.0}
local LBFGS = define_optimizer("optim.LBFGS", Optimizer)

function LBFGS:check()
  if #self.param_groups > 0 then raise("LBFGS: only one parameter group is supported") end
end

local function flat_gradient(parameters)
  local parts = {}
  for i, parameter in ipairs(parameters) do
    parts[i] = (parameter.grad or tide.zeros_like(parameter)):reshape(-1)
  end
  return tide.cat(parts)
end

--- Moves the parameters by size * direction, from `start` if given.
local function move(parameters, size, direction, start)
  local first = 1
  for i, parameter in ipairs(parameters) do
    local count = parameter:numel()
    local part = direction:narrow(1, first, count):reshape(parameter.shape) * size
    if start then parameter:copy_(start[i] + part) else parameter:add_(part) end
    first = first + count
  end
end

--- The search direction, by the two-loop recursion over the last steps and gradient changes.
local function direction_of(state, grad)
  local q, factors = -grad, {}
  for i = #state.steps, 1, -1 do
    factors[i] = state.steps[i]:dot(q) * state.rho[i]
    q = q - state.changes[i] * factors[i]
  end
  q = q * state.scale
  for i = 1, #state.steps do
    local back = state.changes[i]:dot(q) * state.rho[i]
    q = q + state.steps[i] * (factors[i] - back)
  end
  return q
end

--- Stores the last step and change of the gradient, if the curvature along the step is positive.
local function remember(state, step, change, limit)
  local curvature = change:dot(step):item()
  if curvature <= 1e-10 then return end
  if #state.steps == limit then
    for _, list in ipairs {state.steps, state.changes, state.rho} do table.remove(list, 1) end
  end
  table.insert(state.steps, step)
  table.insert(state.changes, change)
  table.insert(state.rho, 1 / curvature)
  state.scale = curvature / change:dot(change):item()
end

--- The minimizer of the cubic interpolating two values and slopes, within the bounds.
local function cubic_minimum(a, fa, da, b, fb, db, low, high)
  local d1 = da + db - 3 * (fa - fb) / (a - b)
  local square = d1 * d1 - da * db
  if square < 0 then return (low + high) / 2 end
  local d2 = math.sqrt(square)
  local position
  if a <= b then
    position = b - (b - a) * ((db + d2 - d1) / (db - da + 2 * d2))
  else
    position = a - (a - b) * ((da + d2 - d1) / (da - db + 2 * d2))
  end
  return math.min(math.max(position, low), high)
end

--- Returns a point whose step size meets the strong Wolfe conditions, and the number of evaluations: at most
--- 1 + `most`. `at(size)` returns the value, gradient and slope for a step size.
local function strong_wolfe(at, size, longest, loss, grad, slope, smallest, most)
  local c1, c2 = 1e-4, 0.9
  local before = {size = 0, loss = loss, grad = grad, slope = slope}
  local function point(where)
    local value, gradient, rise = at(where)
    return {size = where, loss = value, grad = gradient, slope = rise}
  end
  local now, count = point(size), 1
  local low, high
  while count <= most do
    if now.loss > loss + c1 * now.size * slope or (count > 2 and now.loss >= before.loss) then
      low, high = before, now
      break
    end
    if math.abs(now.slope) <= -c2 * slope then return now, count end
    if now.slope >= 0 then
      low, high = before, now
      break
    end
    local least = now.size + 0.01 * (now.size - before.size)
    local next_size = cubic_minimum(before.size, before.loss, before.slope, now.size, now.loss,
      now.slope, least, now.size * 10)
    before = now
    now, count = point(next_size), count + 1
  end
  if not low then low, high = {size = 0, loss = loss, grad = grad, slope = slope}, now end
  -- Zoom: the bracket contains an acceptable step size.
  if low.loss > high.loss then low, high = high, low end
  local stuck = false
  while count <= most and math.abs(high.size - low.size) * longest >= smallest do
    local left, right = math.min(low.size, high.size), math.max(low.size, high.size)
    local position = cubic_minimum(low.size, low.loss, low.slope, high.size, high.loss, high.slope,
      left, right)
    -- A position too close to an end makes little progress; it is accepted only once in a row.
    local margin = 0.1 * (right - left)
    if math.min(right - position, position - left) < margin then
      if stuck or position >= right or position <= left then
        position = math.abs(position - right) < math.abs(position - left) and right - margin or left + margin
        stuck = false
      else
        stuck = true
      end
    else
      stuck = false
    end
    now, count = point(position), count + 1
    if now.loss > loss + c1 * now.size * slope or now.loss >= low.loss then
      high = now
    else
      if math.abs(now.slope) <= -c2 * slope then return now, count end
      if now.slope * (high.size - low.size) >= 0 then high = low end
      low = now
    end
  end
  return low, count
end

--- Calls `closure` until a stopping condition holds; returns the first loss.
function LBFGS:take_step(closure)
  if type(closure) ~= "function" then
    raise("LBFGS: step expects a function that computes the gradients and returns the loss")
  end
  local _ <close> = tide.no_grad()
  local group = self.param_groups[1]
  local parameters = group.params
  local state = self.state[parameters[1]]
  if not state then
    state = {steps = {}, changes = {}, rho = {}, scale = 1, iterations = 0}
    self.state[parameters[1]] = state
  end
  local most = group.max_eval or group.max_iter * 5 // 4
  local function evaluate() return tide.enable_grad(closure) end

  local first = evaluate()
  local loss, evaluations = first:item(), 1
  local grad = flat_gradient(parameters)
  local largest = grad:abs():max():item()
  if largest <= group.tolerance_grad then return first end
  for iteration = 1, group.max_iter do
    state.iterations = state.iterations + 1
    if state.last_grad then
      remember(state, state.last_step, grad - state.last_grad, group.history_size)
    end
    local direction = direction_of(state, grad)
    local size = state.iterations == 1 and math.min(1, 1 / grad:abs():sum():item()) * group.lr
      or group.lr
    local slope = grad:dot(direction):item()
    state.last_grad = grad
    if slope > -group.tolerance_change then break end
    local before = loss
    if group.line_search_fn then
      local start = {}
      for i, parameter in ipairs(parameters) do start[i] = parameter:clone() end
      local function at(where)
        move(parameters, where, direction, start)
        local value = evaluate():item()
        local gradient = flat_gradient(parameters)
        return value, gradient, gradient:dot(direction):item()
      end
      local found, count = strong_wolfe(at, size, direction:abs():max():item(), loss, grad, slope,
        group.tolerance_change, most - evaluations)
      size, loss, grad, evaluations = found.size, found.loss, found.grad, evaluations + count
      move(parameters, size, direction, start)
    else
      move(parameters, size, direction)
      if iteration < group.max_iter then
        loss = evaluate():item()
        grad = flat_gradient(parameters)
        evaluations = evaluations + 1
      end
    end
    state.last_step = direction * size
    largest = grad:abs():max():item()
    if evaluations >= most or largest <= group.tolerance_grad
      or state.last_step:abs():max():item() <= group.tolerance_change
      or math.abs(loss - before) < group.tolerance_change then
      break
    end
  end
  return first
end

return LBFGS

-- optim.Muon: momentum orthogonalized by a Newton-Schulz iteration (Jordan et al., 2024).
local define_optimizer = require "tide.nn.optim.internal.define_optimizer"
local Optimizer = require "tide.nn.optim.optimizer"
local raise = require "tide.internal.raise"
local tide = require "tide"

--- Momentum with orthogonalized steps, for matrices.
---@use optim: params, lr = 0.001
---@param weight_decay number >= 0 = 0.1  each step shrinks parameters by lr * weight_decay
---@use optim: momentum = 0.95, nesterov = true
---@param ns_coefficients number[] = {3.4445, -4.775, 2.0315}  coefficients of the Newton-Schulz polynomial
---@use optim: eps = 1e-7
---@param ns_steps integer = 5  number of Newton-Schulz iterations
---@param adjust_lr_fn "original" | "match_rms_adamw" = "original"  how lr is adjusted to the shape of a matrix
---@formula b = momentum b + (1 - momentum) g; p = p (1 - lr weight_decay) - lr orthogonal(b), by ns_steps of a
---  Newton-Schulz iteration
---@errors a parameter is not a matrix
---@see optim.AdamW optim.SGD
---@example
--- local w = nn.Parameter(tide.ones(2, 2))
--- local muon = optim.Muon({w}, {lr = 0.1})
--- w:sum():backward()
--- muon:step()
--- w:sum():item() < 4 --> true
local Muon = define_optimizer("optim.Muon", Optimizer)

function Muon:add_param_group(group)
  for i, parameter in ipairs(group.params or {}) do
    if tide.is_tensor(parameter) and parameter:dim() ~= 2 then
      raise("Muon: parameter %d has %d dimensions: only matrices can be made orthogonal", i,
        parameter:dim())
    end
  end
  Optimizer.add_param_group(self, group)
end

function Muon:prepare(parameter, state) state.momentum_buffer = tide.zeros_like(parameter) end

--- Approximates the orthogonal matrix closest to x, in bfloat16.
local function orthogonal(x, group)
  local a, b, c = table.unpack(group.ns_coefficients)
  local wide = x:size(1) <= x:size(2)
  local y = x:to("bfloat16")
  if not wide then y = y:t() end
  y = y / y:norm():clamp(group.eps)
  for _ = 1, group.ns_steps do
    local gram = y:matmul(y:t())
    local change = gram:addmm(gram, gram, b, c)
    y = y:addmm(change, y, a)
  end
  return wide and y or y:t()
end

local function adjusted(group, shape)
  local rows, columns = shape[1], shape[2]
  if group.adjust_lr_fn == "match_rms_adamw" then
    return group.lr * 0.2 * math.max(rows, columns) ^ 0.5
  end
  return group.lr * math.max(1, rows / columns) ^ 0.5
end

function Muon:update(parameter, grad, state, group)
  state.momentum_buffer:lerp_(grad, 1 - group.momentum)
  local step = group.nesterov and grad:lerp(state.momentum_buffer, group.momentum) or
    state.momentum_buffer
  parameter:mul_(1 - group.lr * group.weight_decay)
  parameter:sub_(orthogonal(step, group):to(parameter.dtype) * adjusted(group, parameter.shape))
end

return Muon

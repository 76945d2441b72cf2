-- optim.Muon: momentum whose matrices are made orthogonal by Newton's and Schulz's iteration
-- (Jordan et al., 2024).
local class = require "tide.internal.class"
local declare = require "tide.optim.internal.declare"
local Optimizer = require "tide.optim.optimizer"
local raise = require "tide.internal.raise"
local tide = require "tide"

local Muon = class("Muon", Optimizer)

local defaults = declare("Muon", {
  {"lr", 1e-3}, {"weight_decay", 0.1}, {"momentum", 0.95}, {"nesterov", true},
  {"ns_coefficients", {3.4445, -4.775, 2.0315}}, {"eps", 1e-7}, {"ns_steps", 5},
  {"adjust_lr_fn", "original"},
})

--- optim.Muon(matrices, {lr = 0.02}). adjust_lr_fn is "original" or "match_rms_adamw".
function Muon:init(params, options) Optimizer.init(self, params, options, defaults) end

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

--- A matrix near the orthogonal one that is nearest to x, computed in bfloat16.
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

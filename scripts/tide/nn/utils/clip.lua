-- Gradient clipping, by norm or by value.
local checked = require "tide.internal.declare.checked"
local kind_of = require "tide.internal.kind_of"
local raise = require "tide.internal.raise"
local tide = require "tide"

local clip = {}

--- The gradients of a tensor or a list of tensors; tensors without a gradient are skipped.
local function gradients_of(name, parameters)
  if tide.is_tensor(parameters) then parameters = {parameters} end
  if type(parameters) ~= "table" then
    raise("%s: expected parameters, such as net:parameters(), got %s", name, kind_of(parameters))
  end
  local grads = {}
  for i, parameter in ipairs(parameters) do
    if not tide.is_tensor(parameter) then
      raise("%s: expected parameter %d to be a tensor, got %s", name, i, kind_of(parameter))
    end
    grads[#grads + 1] = parameter.grad
  end
  return grads
end

local function total_norm(tensors, order)
  if #tensors == 0 then return tide.tensor(0.0) end
  local norms, device = {}, tensors[1].device
  for i, tensor in ipairs(tensors) do norms[i] = tensor:norm(order):to(device) end
  return tide.stack(norms):norm(order)
end

--- Raises an error if the norm is nan or infinite; reading it waits.
local function check_finite(name, norm)
  local value = norm:item()
  if value ~= value or value == math.huge then
    raise("%s: the norm of the gradients is %s", name, tostring(value))
  end
end

--- Scales all gradients so that their total norm is at most max_norm; returns the norm before; does not wait.
---@use nn: parameters
---@param max_norm number | tensor  largest total norm of the gradients
---@use nn: norm_type = 2.0, error_if_nonfinite = false
---@formula grad = grad min(1, max_norm / (total norm + 1e-6))
---@see nn.utils.clip_grad_value_ nn.utils.get_total_norm
---@example
--- local w = nn.Parameter(tide.tensor{0.0, 0})
--- (w * tide.tensor{3.0, 4}):sum():backward()
--- nn.utils.clip_grad_norm_({w}, 1), w.grad --> 5.0, {0.6, 0.8}
clip.clip_grad_norm_ = checked("nn.utils.clip_grad_norm_", function(parameters, max_norm, norm_type, error_if_nonfinite)
  -- Waits only with error_if_nonfinite.
  local _ <close> = tide.no_grad()
  local grads = gradients_of("clip_grad_norm_", parameters)
  local norm = total_norm(grads, norm_type)
  if error_if_nonfinite then check_finite("clip_grad_norm_", norm) end
  local scale = (max_norm / (norm + 1e-6)):clamp(nil, 1.0)
  for _, grad in ipairs(grads) do
    grad:mul_(scale:to({device = grad.device, dtype = grad.dtype}))
  end
  return norm
end)

--- Clamps each element of the gradients.
---@use nn: parameters
---@param clip_value number  gradients are clamped to -clip_value..clip_value
---@example
--- local w = nn.Parameter(tide.tensor{0.0, 0})
--- (w * tide.tensor{3.0, 0.1}):sum():backward()
--- nn.utils.clip_grad_value_({w}, 1)
--- w.grad --> {1.0, 0.1}
clip.clip_grad_value_ = checked("nn.utils.clip_grad_value_",
  function(parameters, clip_value)
    local _ <close> = tide.no_grad()
    for _, grad in ipairs(gradients_of("clip_grad_value_", parameters)) do
      grad:clamp_(-clip_value, clip_value)
    end
  end)

--- The norm of all elements of a list of tensors.
---@param tensors tensor | tensor[]  the tensors
---@use nn: norm_type = 2.0, error_if_nonfinite = false
---@example
--- nn.utils.get_total_norm{tide.tensor{3.0}, tide.tensor{4.0}} --> 5.0
clip.get_total_norm = checked("nn.utils.get_total_norm", function(tensors, norm_type, error_if_nonfinite)
  local norm = total_norm(tensors, norm_type)
  if error_if_nonfinite then check_finite("get_total_norm", norm) end
  return norm
end)

return clip

-- optim.AdamW: Adam with decoupled weight decay, which shrinks the parameters directly.
local Adam = require "tide.nn.optim.adam"
local define_optimizer = require "tide.nn.optim.internal.define_optimizer"

--- Adam with decoupled weight decay.
---@use optim: params, lr = 0.001, betas = {0.9, 0.999}, eps = 1e-8
---@param weight_decay number >= 0 = 0.01  each step shrinks parameters by lr * weight_decay
---@use optim: amsgrad = false, maximize = false
---@formula p = p (1 - lr weight_decay), then as Adam without its weight decay
---@see optim.Adam optim.SGD
---@example
--- local w = nn.Parameter(tide.tensor{1.0})
--- local adam = optim.AdamW({w}, {lr = 0.1})
--- (w * 5):sum():backward()
--- adam:step()
--- w --> {0.899}
local AdamW = define_optimizer("optim.AdamW", Adam)

function AdamW:decay(parameter, grad, group)
  parameter:mul_(1 - group.lr * group.weight_decay)
  return grad
end

return AdamW

-- optim.AdamW: Adam whose weight decay shrinks the parameters instead of joining the gradient.
local Adam = require "tide.optim.adam"
local class = require "tide.internal.class"
local declare = require "tide.optim.internal.declare"
local Optimizer = require "tide.optim.optimizer"

local AdamW = class("AdamW", Adam)

local defaults = declare("AdamW", {
  {"lr", 1e-3}, {"betas", {0.9, 0.999}}, {"eps", 1e-8}, {"weight_decay", 1e-2},
  {"amsgrad", false}, {"maximize", false},
})

--- optim.AdamW(net:parameters(), {lr = 1e-3, weight_decay = 0.01})
function AdamW:init(params, options) Optimizer.init(self, params, options, defaults) end

function AdamW:decay(parameter, grad, group)
  parameter:mul_(1 - group.lr * group.weight_decay)
  return grad
end

return AdamW

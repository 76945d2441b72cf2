-- optim.lr_scheduler.CosineAnnealingWarmRestarts: cosine annealing that restarts, each time T_mult times longer
-- (Loshchilov and Hutter, "SGDR", 2017).
local define = require "tide.internal.declare.define"
local LRScheduler = require "tide.nn.optim.scheduler"

--- Cosine annealing with warm restarts.
---@use optim: optimizer
---@param T_0 integer > 0  steps until the first restart
---@param T_mult integer >= 1 = 1  factor by which each following cycle is longer
---@use optim: eta_min = 0, last_epoch = -1
---@formula as CosineAnnealingLR, repeated: T_0 steps, then T_0 T_mult, ...
---@see lr_scheduler.CosineAnnealingLR
---@example
--- local sgd = optim.SGD({nn.Parameter(tide.ones(1))}, {lr = 1, momentum = 0.9})
--- local scheduler = optim.lr_scheduler.CosineAnnealingWarmRestarts(sgd, 4)
--- sgd:step()
--- scheduler:step()
--- sgd.param_groups[1].lr --> 0.8536
local CosineAnnealingWarmRestarts, read = define("optim.lr_scheduler.CosineAnnealingWarmRestarts", LRScheduler)

function CosineAnnealingWarmRestarts:init(...)
  local given = read(...)
  for key, value in pairs(given) do self[key] = value end
  LRScheduler.init(self, given.optimizer, given.last_epoch)
end

--- Advances by one step, or to `epoch`, which may be fractional.
function CosineAnnealingWarmRestarts:step(epoch)
  if epoch then self.last_epoch = epoch - 1 end
  LRScheduler.step(self)
end

function CosineAnnealingWarmRestarts:rate(_, base)
  local since, length = self.last_epoch, self.T_0
  if self.T_mult == 1 then
    since = since % length
  else
    while since >= length do since, length = since - length, length * self.T_mult end
  end
  return self.eta_min + (base - self.eta_min) * (1 + math.cos(math.pi * since / length)) / 2
end

return CosineAnnealingWarmRestarts

-- optim.lr_scheduler.CosineAnnealingWarmRestarts: half a cosine down, then from the top again, each
-- time T_mult times longer (Loshchilov and Hutter, "SGDR", 2017).
local arguments = require "tide.internal.arguments"
local check_positive = require "tide.optim.internal.check_positive"
local class = require "tide.internal.class"
local LRScheduler = require "tide.optim.scheduler"

local CosineAnnealingWarmRestarts = class("CosineAnnealingWarmRestarts", LRScheduler)

local read = arguments("CosineAnnealingWarmRestarts", {
  "optimizer", "T_0", {"T_mult", 1}, {"eta_min", 0}, {"last_epoch", -1},
}, {T_0 = "number", T_mult = "number", eta_min = "number", last_epoch = "number"})

function CosineAnnealingWarmRestarts:init(...)
  local given = read(...)
  check_positive("CosineAnnealingWarmRestarts", "T_0", given.T_0)
  check_positive("CosineAnnealingWarmRestarts", "T_mult", given.T_mult)
  for key, value in pairs(given) do self[key] = value end
  LRScheduler.init(self, given.optimizer, given.last_epoch)
end

--- Goes on by one step, or to `epoch`, which may have a fraction.
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

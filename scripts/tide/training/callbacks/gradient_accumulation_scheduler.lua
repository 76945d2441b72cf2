-- training.GradientAccumulationScheduler: how many batches make a step, by epoch.
local arguments = require "tide.internal.arguments"
local Callback = require "tide.training.callback"
local class = require "tide.internal.class"
local protocol = require "tide.data.protocol"

local GradientAccumulationScheduler = class("GradientAccumulationScheduler", Callback)

local kName <const> = "GradientAccumulationScheduler"

local read = arguments(kName, {"scheduling"}, {scheduling = "table"})

--- GradientAccumulationScheduler{scheduling = {[1] = 1, [5] = 4}}: from epoch 5 on four batches
--- make a step.
function GradientAccumulationScheduler:init(...)
  self.scheduling = read(...).scheduling
  for epoch, count in pairs(self.scheduling) do
    protocol.check_positive(kName, "an epoch", epoch)
    protocol.check_positive(kName, "the number of batches", count)
  end
end

function GradientAccumulationScheduler:on_train_epoch_start(trainer)
  local count = self.scheduling[trainer.current_epoch]
  if count then trainer.accumulate_grad_batches = count end
end

return GradientAccumulationScheduler

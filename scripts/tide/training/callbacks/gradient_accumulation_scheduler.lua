-- training.GradientAccumulationScheduler: how many batches make a step, by epoch.
local define = require "tide.internal.declare.define"
local Callback = require "tide.training.callback"
local protocol = require "tide.data.protocol"

local kName <const> = "GradientAccumulationScheduler"

--- How many batches make a step, by the epoch from which on.
---@param scheduling table  by epoch, from 1, how many batches make a step
---@example
--- local net = tide.nn.Linear(2, 2)
--- local F, optimizer = tide.nn.functional, tide.optim.SGD(net:parameters(), {lr = 0.1})
--- local loader = {{tide.ones(3, 2), tide.tensor{1, 2, 1}}, {tide.ones(3, 2), tide.tensor{2, 2, 1}}}
--- local callback = tide.training.GradientAccumulationScheduler{scheduling = {[2] = 2}}
--- local trainer = tide.Trainer{max_epochs = 2, enable_progress_bar = false, callbacks = {callback}}
--- local history = trainer:fit(net, loader, {loss = F.cross_entropy, optimizer = optimizer})
--- trainer.global_step --> 3
local GradientAccumulationScheduler, read = define("training.GradientAccumulationScheduler", Callback)

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

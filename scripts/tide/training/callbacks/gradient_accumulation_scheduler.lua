-- training.GradientAccumulationScheduler: changes the number of accumulated batches by epoch.
local define = require "tide.internal.declare.define"
local Callback = require "tide.training.callback"
local of_type = require "tide.internal.declare.of_type"

local kName <const> = "GradientAccumulationScheduler"

--- Sets the number of batches accumulated for a step, starting at given epochs.
---@param scheduling table  {[epoch] = batches per step}; epochs count from 1
---@example
--- local net = tide.nn.Linear(2, 2)
--- local F, optimizer = tide.nn.functional, tide.optim.SGD(net:parameters(), {lr = 0.1})
--- local loader = {{tide.ones(3, 2), tide.tensor{1, 2, 1}}, {tide.ones(3, 2), tide.tensor{2, 2, 1}}}
--- local callback = tide.training.GradientAccumulationScheduler{scheduling = {[2] = 2}}
--- local trainer = tide.Trainer{max_epochs = 2, enable_progress_bar = false, callbacks = {callback}}
--- local history = trainer:fit(net, loader, {loss = F.cross_entropy, optimizer = optimizer})
--- trainer.global_step --> 3
local GradientAccumulationScheduler, read = define("training.GradientAccumulationScheduler", Callback)

--- GradientAccumulationScheduler{scheduling = {[1] = 1, [5] = 4}}: from epoch 5 on, accumulates four
--- batches per step.
function GradientAccumulationScheduler:init(...)
  self.scheduling = read(...).scheduling
  for epoch, count in pairs(self.scheduling) do
    of_type(kName, "an epoch", epoch, "integer > 0")
    of_type(kName, "the number of batches", count, "integer > 0")
  end
end

function GradientAccumulationScheduler:on_train_epoch_start(trainer)
  local count = self.scheduling[trainer.current_epoch]
  if count then trainer.accumulate_grad_batches = count end
end

return GradientAccumulationScheduler

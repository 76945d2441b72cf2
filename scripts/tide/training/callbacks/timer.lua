-- training.Timer: ends a training after some time.
local define = require "tide.internal.declare.define"
local Callback = require "tide.training.callback"
local tide = require "tide"

--- Stops after the step in which `duration` seconds of training have elapsed.
---@param duration number  seconds, "DD:HH:MM:SS" or {hours = 1}
---@example
--- local net = tide.nn.Linear(2, 2)
--- local F, optimizer = tide.nn.functional, tide.optim.SGD(net:parameters(), {lr = 0.1})
--- local loader = {{tide.ones(3, 2), tide.tensor{1, 2, 1}}, {tide.ones(3, 2), tide.tensor{2, 2, 1}}}
--- local callback = tide.training.Timer{duration = 3600}
--- local trainer = tide.Trainer{max_epochs = 2, enable_progress_bar = false, callbacks = {callback}}
--- local history = trainer:fit(net, loader, {loss = F.cross_entropy, optimizer = optimizer})
--- #history --> 2
local Timer, read = define("training.Timer", Callback)

--- Timer{duration = 3600}: stops after the step in which `duration` seconds of training have elapsed,
--- including the time before a checkpoint that was resumed.
function Timer:init(...) self.duration, self.elapsed = read(...).duration, 0 end

function Timer:on_train_start() self.started = tide.time() end

--- Seconds of training so far.
function Timer:time_elapsed()
  return self.elapsed + (self.started and tide.time() - self.started or 0)
end

function Timer:on_advance_end(trainer)
  if self:time_elapsed() >= self.duration then trainer.should_stop = true end
end

function Timer:on_train_end() self.elapsed, self.started = self:time_elapsed(), nil end

function Timer:state_dict() return {elapsed = self:time_elapsed()} end

function Timer:load_state_dict(state) self.elapsed = state.elapsed end

return Timer

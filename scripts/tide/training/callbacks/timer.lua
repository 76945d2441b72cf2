-- training.Timer: ends a training after some time.
local arguments = require "tide.internal.arguments"
local Callback = require "tide.training.callback"
local class = require "tide.internal.class"
local tide = require "tide"

local Timer = class("Timer", Callback)

local read = arguments("Timer", {"duration"}, {duration = "number"})

--- Timer{duration = 3600}: stops behind the step in which so many seconds of training are over,
--- those before a checkpoint included.
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

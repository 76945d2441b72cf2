-- One observed run, from `begin` to `finish`.
local Advice = require "tide.tools.advise.advice"
local class = require "tide.internal.class"
local facts = require "tide.tools.advise.facts"
local profile = require "tide.tools.profiler.profile"
local Watch = require "tide.tools.advise.watch"

local Run = class "AdviseRun"

--- `before`: the previous run of the same work.
function Run:init(before) self.watch = Watch(before and before.watch.stepped or {}) end

--- Begins to observe; returns the run.
function Run:begin()
  self.profile = profile {}
  self.watch:begin()
  return self
end

--- Ends it. Returns the advice.
function Run:finish()
  self.profile:stop()
  self.watch:close()
  return Advice(facts(self.profile.trace, self.watch))
end

--- Ends it without a result, if it has not ended. An interrupt may end the first attempt.
function Run:__close(problem)
  local closed, message = pcall(self.watch.close, self.watch)
  if not closed then self.watch:close() end
  if self.profile then getmetatable(self.profile).__close(self.profile, problem) end
  if not closed and problem == nil then error(message, 0) end
end

return Run

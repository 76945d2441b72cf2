-- One run that is looked at, from `begin` to `finish`.
local Advice = require "tide.advise.advice"
local class = require "tide.internal.class"
local facts = require "tide.advise.facts"
local profile = require "tide.profiler.profile"
local Watch = require "tide.advise.watch"

local Run = class "AdviseRun"

--- Begins to look. `before`: the run before, of the same work.
function Run:init(before)
  self.profile = profile {}
  self.watch = Watch(before and before.watch.stepped or {})
end

--- Ends it without an answer, if it has not ended.
function Run:__close(problem)
  self.watch:close()
  getmetatable(self.profile).__close(self.profile, problem)
end

--- Ends it. Returns the advice.
function Run:finish()
  self.profile:stop()
  self.watch:close()
  return Advice(facts(self.profile.trace, self.watch))
end

return Run

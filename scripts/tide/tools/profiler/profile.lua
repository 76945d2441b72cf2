-- tide.profile: records what a script does, by steps if that is wanted.
local methods = require "tide.internal.declare.methods"
local class = require "tide.internal.class"
local reader = require "tide.internal.declare.reader"
local kind_of = require "tide.internal.kind_of"
local raise = require "tide.internal.raise"
local native = require("tide.native").profiler
local report = require "tide.tools.profiler.report"
local unknown_name = require "tide.native".unknown_name

--- Profiles fn(p) and returns the profile p and fn's results: time, memory and waits by op, line and kernel. Without
--- fn, returns a profile that ends when it is closed. With active, profiles cycles of wait, warmup and active steps, of
--- which the active ones are recorded: p:step() ends a step, and on_trace_ready(p) is called after each cycle.
---@param fn? function  the function to profile; without it, the code until the profile is closed
---@param wait integer >= 0 = 0  steps at the beginning of each cycle that are not profiled
---@param warmup integer >= 0 = 0  steps after them that run with the profiler on but are not recorded
---@param active integer > 0 = nil  steps to record; nil is all
---@param repeats integer >= 0 = 0  number of cycles; 0 is unlimited
---@param on_trace_ready function = nil  called with the profile at the end of each cycle
---@param max_events integer > 0 = 2000000  events to keep; the number of lost ones is reported
---@example
--- local p = tide.profile(function() return tide.ones(8):exp():sum():item() end)
--- p:table{by = "kernel"}[1].calls --> 1
local read = reader "profile"

--- The profile that is under way in this state, and the line that began it. An unreachable
--- one is collected, which ends it.
local under_way, begun_at = setmetatable({}, {__mode = "v"}), nil

local Profile = class("Profile")

function Profile:init(options)
  if under_way.profile then collectgarbage() end
  if under_way.profile then
    raise("profile: a profile is under way, begun %s: close it first",
      begun_at == "?" and "by an option of tide run" or "at " .. begun_at)
  end
  self.options = read(nil, options or {})
  self.steps = 0
  native.synchronize()
  begun_at = native.line()
  self:enter(self:phase_of(0))
  under_way.profile = self
end

--- What is done with a step: "wait", "warmup", "active", or "over"; steps count from 0.
function Profile:phase_of(step)
  local o = self.options
  if not o.active then return "active" end
  local length = o.wait + o.warmup + o.active
  if o.repeats > 0 and step >= o.repeats * length then return "over" end
  local place = step % length
  return place < o.wait and "wait" or place < o.wait + o.warmup and "warmup" or "active"
end

--- Begins a phase, which may be the one before.
function Profile:enter(phase)
  self.phase = phase
  if phase ~= "warmup" and phase ~= "active" then return end
  local most = self.options.max_events
  if native.start(most) then return end
  collectgarbage() -- ends one left by an interrupt
  if native.start(most) then return end
  self.phase = "over"
  raise "profile: a profile is under way on another thread: close it first"
end

--- Ends what is recorded. Whether it is kept, as that of an active phase is; a part of one only if
--- no whole one came before.
local function end_recording(self, is_part)
  if self.phase ~= "active" and self.phase ~= "warmup" then return false end
  local trace = native.stop()
  if self.phase ~= "active" or not trace or (is_part and self.trace) then return false end
  self.trace, self.report = trace, nil
  return true
end

local function report_ready(self)
  if self.options.on_trace_ready then self.options.on_trace_ready(self) end
end

--- Ends a step of the loop, for profiles with active steps.
---@example
--- local p = tide.profile(function(p) p:step() end, {active = 2})
--- p.steps --> 1
function Profile:step()
  if self.closed then raise "step: the profile is closed" end
  local before, o = self.phase, self.options
  self.steps = self.steps + 1
  local phase = self:phase_of(self.steps)
  -- The next cycle may begin with the phase that this one ends with.
  local begins = o.active and self.steps % (o.wait + o.warmup + o.active) == 0
  if phase == before and not (begins and phase == "active") then return end
  native.synchronize()
  local ready = end_recording(self)
  self:enter(phase)
  if ready then report_ready(self) end
end

--- Ends the profile, as closing it does.
---@example
--- local p = tide.profile{}
--- p:stop()
--- p:summary().dropped --> 0
function Profile:stop()
  if self.closed then return end
  -- An interrupt ends the wait with its error, which goes on once the profile has ended.
  local waited, message = pcall(native.synchronize)
  local ready = end_recording(self, true)
  self.phase, self.closed, under_way.profile = "over", true, nil
  if ready then report_ready(self) end
  if not waited then error(message, 0) end
end

Profile.close = Profile.stop
Profile.__close = native.close_profile

function Profile:__gc()
  if not self.closed and self.phase then end_recording(self) end
end

--- The trace, or an error that says why there is none.
local function trace_of(self, caller)
  if self.trace then return self.trace end
  if not self.closed then raise("%s: the profile is under way: close it first", caller) end
  local o = self.options
  raise("%s: the profile is empty: of wait = %d, warmup = %d and active = %d steps there were %d "
    .. "(p:step() ends one)", caller, o.wait, o.warmup, o.active or 0, self.steps)
end

--- A list of rows by op, line, kernel, range or wait, which prints as a table. Fields of a row: name, file, line,
--- device, calls, host_ms, device_ms, wait_ms, share, bytes, flops, bytes_per_second, flops_per_second, peak, bound.
---@param by "op" | "line" | "kernel" | "range" | "wait" = "op"  one row for each of these
---@param sort "device_ms" | "host_ms" | "wait_ms" | "calls" | "bytes" | "flops" = nil  sorting key; nil depends on by
---@param limit integer >= 0 = 100  maximum number of rows
---@example
--- tide.profile(function() return tide.ones(8):exp():sum():item() end):table{by = "wait"}.by --> "wait"
function Profile:table(by, sort, limit) return report.table(trace_of(self, "table"), by, sort, limit) end

--- Writes the profile: .html is a page with a timeline, .json is for Perfetto and Chrome.
---@param path string  name of the file
---@example
--- tide.profile(function() end):save("profile.json")
--- os.remove "profile.json" --> true
function Profile:save(path)
  local trace = trace_of(self, "save")
  if type(path) ~= "string" then
    raise("save: argument 1 (path): expected string, got %s", kind_of(path))
  end
  if path:match "%.json$" then return trace:write_json(path) end
  if path:match "%.html$" then
    return trace:write_page(path, require "tide.tools.profiler.source_line")
  end
  raise("save: %s: expected a name that ends in .json or .html", path)
end

--- wall_ms, events, dropped, and devices: a list of name, launches, device_ms, busy_ms, peak_bytes.
---@example
--- tide.profile(function() end):summary().dropped --> 0
function Profile:summary() return trace_of(self, "summary"):summary() end

function Profile:__tostring()
  if not self.trace then return ("Profile (%s)"):format(self.closed and "empty" or "under way") end
  self.report = self.report or report.text(self.trace)
  return self.report
end

--- tide.profile(fn, options): calls fn(p); the profile and fn's results. tide.profile(options): a
--- profile that ends when it is closed.
local function profile(_, fn, options)
  if fn == nil or (type(fn) == "table" and not (getmetatable(fn) or {}).__call) then
    return Profile(fn or {})
  end
  if type(fn) ~= "function" and not (getmetatable(fn) or {}).__call then
    raise("profile: argument 1 (fn): expected function or a table of options, got %s", kind_of(fn))
  end
  local p <close> = Profile(options or {})
  local results = table.pack(fn(p))
  p:stop()
  return p, table.unpack(results, 1, results.n)
end

methods(Profile, "profile")

return setmetatable({compare = report.compare}, {
  __call = profile,
  __index = function(self, name) unknown_name("tide.profile", name, self) end,
})

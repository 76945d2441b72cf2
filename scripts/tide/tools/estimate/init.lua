-- tide.estimate: the time that a function would take on an accelerator, which need not be present.
local cards = require "tide.tools.estimate.cards"
local class = require "tide.internal.class"
local reader = require "tide.internal.declare.reader"
local check_free = require "tide.tools.profiler.check_free"
local grid = require "tide.internal.grid"
local is_callable = require "tide.internal.is_callable"
local kind_of = require "tide.internal.kind_of"
local profile = require "tide.tools.profiler.profile"
local raise = require "tide.internal.raise"
local roofline = require "tide.tools.estimate.roofline"
local tide = require "tide"

local kShort <const> = 1000 -- milliseconds: a shorter function runs a second time, compiled

--- Estimates the time of fn(tide.accelerator()) on another card, by the peaks of its data sheet: total_ms, device_ms,
--- host_ms, wait_ms, bound, and parts: a list of {name, dtype, calls, bytes, flops, ms, share, bound}. With compare,
--- compared_ms is the time measured on that card. Cards: A100 80GB, B200, H100 SXM, H200, Jetson AGX Orin, L40S, RTX
--- 4090, RTX 5090, T4, V100.
---@param fn function  receives the device to use
---@param device string = nil  name of a card; nil is H200
---@param compare boolean = false  also run it on that card, which this machine must have
---@example
--- local x = tide.ones(8, 8)
--- tide.estimate(function() return x:matmul(x):sum():item() end, {device = "H200"}).total_ms > 0 --> true
local read = reader "estimate"

-- Fields: card (a description, as in cards.lua) and those of roofline.lua; compared_ms: measured on
-- the card itself.
local Estimate = class "Estimate"

function Estimate:init(trace, card)
  for name, value in pairs(roofline(trace, card)) do self[name] = value end
  self.card = card
end

local kColumns <const> = {
  {"<part", function(part) return part.name end}, {"<type", function(part) return part.dtype end},
  {"calls", function(part) return tostring(part.calls) end},
  {"MB", function(part) return grid.figure(part.bytes / 1e6) end},
  {"MFLOP", function(part) return grid.figure(part.flops / 1e6) end},
  {"ms", function(part) return grid.milliseconds(part.ms) end},
  {"share", function(part) return grid.percent(part.share) end},
  {"<bound by", function(part)
    return part.bound .. (part.tensor_cores and ", Tensor Cores" or "")
  end},
}

local kPrinted <const> = 12 -- parts

local kBounds <const> = {
  memory = "the device's memory", compute = "its arithmetic", launch = "launches of small kernels",
  link = "transfers from and to the host",
  host = "the script, which queues work more slowly than the card does it",
}

function Estimate:__tostring()
  local lines, card = {}, self.card
  local function add(text, ...) lines[#lines + 1] = text:format(...) end
  if not self.bound then return ("estimate for %s: no device had any work"):format(card.name) end
  add("estimate for %s, by the peaks of its data sheet (a real run takes longer): %.3f ms",
    card.name, self.total_ms)
  add("measured here, on %s: %.3f ms", self.measured_on, self.measured_ms)
  if self.compared_ms then add("measured on %s: %.3f ms", card.name, self.compared_ms) end
  add("bound by %s", kBounds[self.bound])
  add("device %.3f ms, script %.3f ms at the same time, %d waits %.3f ms", self.device_ms,
    self.host_ms, self.waits, self.wait_ms)
  if self.peak_bytes > card.memory then
    add("it does not fit: %.1f GB of memory, the card has %.0f GB", self.peak_bytes / 1e9,
      card.memory / 1e9)
  end
  local printed = math.min(kPrinted, #self.parts)
  add("\n%s", grid.text(kColumns, table.move(self.parts, 1, printed, 1, {})))
  if #self.parts > kPrinted then add("... and %d more", #self.parts - kPrinted) end
  return table.concat(lines, "\n")
end

--- The trace of a call of fn(device), or of a second call if it is short.
local function trace_of(fn, device)
  local function work() fn(device) end
  local p = profile(work)
  local summary = p:summary()
  if summary.wall_ms < kShort and #summary.devices > 0 then p = profile(work) end
  return p.trace
end

--- The device of this machine that is this card.
local function device_like(card)
  local found = {}
  for i = 0, tide.cuda.device_count() - 1 do
    local name = tide.cuda.get_device_name(i)
    if name:find(card.called, 1, true) then return tide.device("cuda:" .. i) end
    found[#found + 1] = name
  end
  raise("estimate: compare: there is no %s on this machine%s", card.name,
    #found > 0 and ", but " .. table.concat(found, ", ") or "")
end

--- tide.estimate(fn, {device =, compare =}).
return function(...)
  local given = read(...)
  if not is_callable(given.fn) then
    raise("estimate: argument 1 (fn): expected function, got %s", kind_of(given.fn))
  end
  local card = cards.find("estimate: device", given.device)
  check_free "estimate"
  local there = given.compare and device_like(card)
  local estimate = Estimate(trace_of(given.fn, tide.accelerator()), card)
  if there then estimate.compared_ms = trace_of(given.fn, there):summary().wall_ms end
  return estimate
end

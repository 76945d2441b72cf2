-- A step of an explanation: a fused kernel, a compute op, or a copy.
local methods = require "tide.internal.declare.methods"
local class = require "tide.internal.class"
local native = require("tide.native").explain
local raise = require "tide.internal.raise"
local tide = require "tide"
local words = require "tide.tools.explain.words"

local Step = class("ExplainedStep")

local kMostNames <const> = 6
local kParts <const> = {blocks = " of blocks", combine = " of the blocks' results"}

--- `step` as returned by tide.native, and the peaks of its device (tide.profiler.peaks), if they are
--- known.
function Step:init(step, number, window, device, peak)
  for key, value in pairs(step) do self[key] = value end
  self.number, self.window, self.device = number, window, device
  local names = words.distinct(self.ops, function(op) return op.name end)
  self.name = words.some(names, kMostNames, " ") .. (kParts[self.part] or "")
    .. (self.unless_reused and ", if the old value is held" or "")
  self.lines = words.distinct(self.ops, words.place)
  self.intensity = self.flops and self.bytes > 0 and self.flops / self.bytes or nil
  if not peak or not self.flops then return end
  local memory, compute = self.bytes / peak.bandwidth, self.flops / peak.flops
  self.least_ms = 1e3 * math.max(memory, compute)
  self.bound = self.least_ms < peak.launch_ms and "launch" or memory >= compute and "memory" or "compute"
end

--- "loop 2".
function Step:title() return ("%s %d"):format(self.kind, self.number) end

--- The loop of a step, or an error if it has none.
local function loop_of(step, caller)
  if step.loop then return step.loop end
  raise("%s: %s (%s) is not a fused loop, so no code is generated for it", caller, step:title(), step.name)
end

--- The loop of explanation[i] as text, one instruction per line.
---@example
--- local step = tide.explain(function() return tide.ones(4) + 1 end)[1]
--- step:program():match "^for %(4%)" --> "for (4)"
function Step:program() return native.program(loop_of(self, "program")) end

--- The loop as LLVM IR for this machine's cpu.
---@example
--- local step = tide.explain(function() return tide.ones(4) + 1 end)[1]
--- step:ir():find "@kernel" ~= nil --> true
function Step:ir() return native.ir(loop_of(self, "ir")) end

--- The loop as assembly of this machine's cpu.
---@example
--- local step = tide.explain(function() return tide.ones(4) + 1 end)[1]
--- step:asm():find "kernel:" ~= nil --> true
function Step:asm() return native.asm(loop_of(self, "asm")) end

--- The compute capability of the step's device; if it has none, that of the A100.
local function capability_of(device)
  if device.type ~= "cuda" or not tide.cuda.is_available() then return 80 end
  local major, minor = tide.cuda.get_device_capability(device)
  return 10 * major + minor
end

local kArchitectures <const> = {sm_75 = 75, sm_80 = 80, sm_90 = 90}

--- The loop as PTX. Does not need a GPU.
---@param architecture "sm_75" | "sm_80" | "sm_90" = nil  GPU architecture; nil is that of the step's device, else sm_80
---@example
--- local step = tide.explain(function() return tide.ones(4) + 1 end)[1]
--- step:ptx():find ".target sm_%d+" ~= nil --> true
function Step:ptx(architecture)
  local loop = loop_of(self, "ptx")
  if architecture == nil then return native.ptx(loop, capability_of(self.device)) end
  return native.ptx(loop, kArchitectures[architecture])
end

--- How the step's GPU launches the loop: a table of blocks, threads of a block, registers of a thread, shared_bytes
--- of a block, use (the fraction of the multiprocessors with a block) and occupancy (the fraction of a multiprocessor's
--- threads that can be resident). nil on a device that is not a GPU.
---@example
--- local step = tide.explain(function() return tide.ones(4) + 1 end)[1]
--- step:launch() == nil --> true
function Step:launch() return (native.launch(loop_of(self, "launch"), self.device)) end

local function value_line(word, value)
  local kept = value.kept and "   " .. value.kept or ""
  return ("  %s %s %s, %s%s"):format(word, value.name, words.place(value), words.array(value), kept)
end

--- The full text of a step.
function Step:__tostring()
  local lines = {("%s: %s"):format(self:title(), self.name)}
  local function add(text, ...) lines[#lines + 1] = text:format(...) end
  add("  on %s, walks %s%s", self.device, words.shape(self.shape), self.row and " by rows" or "")
  for _, op in ipairs(self.ops) do
    add("  %s %s, %s%s", op.name, words.place(op), words.array(op), op.stored and ", stored" or "")
  end
  for _, value in ipairs(self.reads) do lines[#lines + 1] = value_line("reads", value) end
  for _, value in ipairs(self.writes) do lines[#lines + 1] = value_line("writes", value) end
  add("  %s%s%s", words.bytes(self.bytes),
    self.flops and (", %s FLOP"):format(words.figure(self.flops)) or "",
    self.intensity and (", %s FLOP/byte"):format(words.figure(self.intensity)) or "")
  local launch = self.loop and self:launch()
  if launch then
    add("  launched as %d x %d threads, %d registers, %s of shared memory: %.0f %% of the multiprocessors, "
      .. "occupancy %.0f %%",
      launch.blocks, launch.threads, launch.registers, words.bytes(launch.shared_bytes),
      100 * launch.use, 100 * launch.occupancy)
  end
  if self.batch > 1 then add("  one launch may run %d loops of this kernel, including this one", self.batch) end
  if self.bound then add("  bound by %s: %.4f ms at least", self.bound, self.least_ms) end
  return table.concat(lines, "\n")
end

methods(Step, "step")

return Step

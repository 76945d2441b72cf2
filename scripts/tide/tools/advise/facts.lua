-- The input of rules: the tables of a profile and of the watch of the same run.
local main_device = require "tide.tools.profiler.main_device"
local script_waits = require "tide.tools.profiler.script_waits"
local site = require "tide.tools.advise.site"

local kWatched <const> = {
  "reads", "moves", "creations", "module_calls", "losses", "loaders", "steps",
}

local function by_line(rows)
  local lines = {}
  for _, row in ipairs(rows) do lines[site.key(row)] = row end
  return lines
end

local function list(lines)
  local rows = {}
  for _, row in pairs(lines) do rows[#rows + 1] = row end
  return rows
end

--- Milliseconds of the transfers of each line.
local function transfers_of(parts)
  local ms = {}
  for _, part in ipairs(parts) do
    if part.kind == "transfer" then
      local key = site.key(part)
      ms[key] = (ms[key] or 0) + part.device_ms
    end
  end
  return ms
end

--- The facts of a run. Lists for rules, with the fields of a row besides file and line:
---   waits         name, calls, wait_ms, awaited, advice
---   reads         count: calls of item for parts of tensors
---   moves         count, repeated: conversions; device: of the last result
---   creations     count: tensors made on the host and moved; device, moves: lines that moved them
---   parts         kind, name, device, dtype, calls, device_ms, bytes, flops, inputs, outputs
---   making        name ("plan" or "compile"), calls, host_ms; late: calls in the second half of
---                 the line's flushes; kernel: what was compiled
---   devices       name, launches, device_ms, busy_ms
---   module_calls  count; unused: in evaluation with a graph; in_training: the class of a layer
---                 that ran in training mode without gradients; name: of the class
---   losses        distance: of the inputs of cross_entropy from probabilities, a tensor
---   loaders       ms, batches, workers
---   steps         count; kept: of these, with gradients added to those of the step before
--- By the key of a line: lines (host_ms), transfer_ms, backwards. In total: wall_ms; idle_ms of
--- `main`, the device that does the work; wait_ms, loader_ms; clears: tensors were set to zero
--- explicitly.
return function(trace, watch)
  local summary = trace:summary()
  local waits, wait_ms = script_waits(trace)
  local parts = trace:rows "part"
  local main = main_device(summary.devices)
  local facts = {
    wall_ms = summary.wall_ms, wait_ms = wait_ms, main = main,
    idle_ms = main and math.max(0, summary.wall_ms - main.busy_ms) or 0,
    waits = waits, parts = parts, making = trace:rows "making", devices = summary.devices,
    lines = by_line(trace:rows "line"), transfer_ms = transfers_of(parts),
    backwards = watch.backwards, clears = watch.clears, loader_ms = 0,
  }
  for _, name in ipairs(kWatched) do facts[name] = list(watch[name]) end
  for _, loader in ipairs(facts.loaders) do facts.loader_ms = facts.loader_ms + loader.ms end
  return facts
end

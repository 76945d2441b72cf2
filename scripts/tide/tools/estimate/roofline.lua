-- The time of the parts of a profile on an accelerator described in cards.lua: the sum of the formula in
-- runtime/device/modelled/roofline.h.
local main_device = require "tide.tools.profiler.main_device"
local native = require "tide.native"
local script_waits = require "tide.tools.profiler.script_waits"

--- Adds a row to the part with its name, type and bound.
local function add(parts, by_key, row)
  local key = ("%s %s %s"):format(row.name, row.dtype, row.bound)
  local part = by_key[key]
  if not part then
    parts[#parts + 1], by_key[key] = row, row
    return
  end
  for _, name in ipairs {"calls", "bytes", "flops", "ms"} do part[name] = part[name] + row[name] end
  part.tensor_cores = part.tensor_cores and row.tensor_cores
end

--- The bound of the total: the script, or the bound of the parts that take most of the device's time.
local function bound_of(result)
  if result.host_ms + result.wait_ms > result.device_ms then return "host" end
  local sums, most = {}, nil
  for _, part in ipairs(result.parts) do
    sums[part.bound] = (sums[part.bound] or 0) + part.ms
    if not most or sums[part.bound] > sums[most] then most = part.bound end
  end
  return most
end

--- Estimates the time of a trace on the card:
---   parts      {name, dtype, calls, bytes, flops, ms, share, bound ("memory", "compute", "launch"
---              or "link"), tensor_cores}, the longest first
---   device_ms  of all parts; host_ms: of the script without its waits, as measured here
---   waits, wait_ms  the number of waits, and the latency of their copies to the host
---   total_ms   the device or the script, whichever takes longer, plus the waits
---   bound      of the total: as that of a part, or "host"; nil if no device had any work
---   peak_bytes on the device; measured_ms, measured_on: the time here, and the device
--- Work on the cpu counts as the card's if all work is on the cpu, otherwise as the script's.
return function(trace, card)
  local summary = trace:summary()
  local main = main_device(summary.devices)
  local waits = script_waits(trace)
  local all_wait_ms = 0
  for _, row in ipairs(trace:rows "wait") do all_wait_ms = all_wait_ms + row.wait_ms end
  local result = {
    parts = {}, device_ms = 0, wait_ms = 0, waits = 0, peak_bytes = main and main.peak_bytes or 0,
    host_ms = math.max(0, summary.wall_ms - all_wait_ms), measured_ms = summary.wall_ms,
    measured_on = main and main.name,
  }
  local by_key = {}
  for _, part in ipairs(trace:rows "part") do
    if main and part.device == main.name then
      local row = {
        name = part.name, dtype = part.dtype or "",
        calls = part.calls, bytes = part.bytes, flops = part.flops,
      }
      row.ms, row.bound, row.tensor_cores = native.estimate.time(part, card)
      result.device_ms = result.device_ms + row.ms
      add(result.parts, by_key, row)
    end
  end
  for _, part in ipairs(result.parts) do part.share = part.ms / result.device_ms end
  table.sort(result.parts, function(a, b)
    if a.ms ~= b.ms then return a.ms > b.ms end
    return a.name .. a.dtype .. a.bound < b.name .. b.dtype .. b.bound
  end)
  for _, row in ipairs(waits) do result.waits = result.waits + row.calls end
  result.wait_ms = 1e3 * result.waits * card.latency
  result.total_ms = main and math.max(result.device_ms, result.host_ms) + result.wait_ms or 0
  result.bound = main and bound_of(result)
  return result
end

-- The tables of a profile, as rows and as text.
local checked = require "tide.internal.declare.checked"
local class = require "tide.internal.class"
local grid = require "tide.internal.grid"
local kind_of = require "tide.internal.kind_of"
local peaks = require "tide.tools.profiler.peaks"
local raise = require "tide.internal.raise"
local source_line = require "tide.tools.profiler.source_line"

local report = {}
local figure, milliseconds, percent = grid.figure, grid.milliseconds, grid.percent

-- Numbers as text ---------------------------------------------------------------------------------

--- "41.5 (62 %)": a rate beside the most that the device can do.
local function rate(value, most)
  if not value or value == 0 then return "" end
  return most and ("%s (%.0f %%)"):format(figure(value / 1e9), 100 * value / most)
    or figure(value / 1e9)
end

-- Rows --------------------------------------------------------------------------------------------

local kShortKernel <const> = 3 -- times the shortest kernel: launching counts for more than work

--- What a row's device could do, and what bounds the row: "launch", "compute", "memory", or "cache"
--- where more is moved than memory can.
local function add_rates(row, known)
  if row.device_ms == 0 then return end
  local seconds = row.device_ms / 1e3
  row.bytes_per_second, row.flops_per_second = row.bytes / seconds, row.flops / seconds
  local name = row.device
  if known[name] == nil then known[name] = peaks.of(name) or false end
  local peak = known[name]
  if not peak then return end
  row.peak = peak
  if row.device_ms / row.calls < kShortKernel * peak.launch_ms then
    row.bound = "launch"
  elseif row.bytes_per_second / peak.bandwidth >= row.flops_per_second / peak.flops then
    row.bound = row.bytes_per_second > peak.bandwidth and "cache" or "memory"
  else
    row.bound = "compute"
  end
end

--- What each table is sorted by, and what its shares are shares of.
local kSorted <const> = {
  op = "device_ms", line = "host_ms", kernel = "device_ms", range = "host_ms", wait = "wait_ms",
}

--- A word for a row: its name or its line.
local function label(row)
  return row.name ~= "" and row.name or row.file and ("%s:%d"):format(row.file, row.line) or "?"
end

-- Text --------------------------------------------------------------------------------------------

--- Columns: a title, and the text of a row. A title that begins with "<" is aligned to the left.
local kCalls <const> = {"calls", function(row) return tostring(row.calls) end}
local kHost <const> = {"host ms", function(row) return milliseconds(row.host_ms) end}
local kWait <const> = {"wait ms", function(row) return milliseconds(row.wait_ms) end}
local kDevice <const> = {"device ms", function(row) return milliseconds(row.device_ms) end}
local kShare <const> = {"share", function(row) return percent(row.share) end}
local kMoved <const> = {"MB", function(row) return figure(row.bytes / 1e6) end}
local kWork <const> = {"MFLOP", function(row) return figure(row.flops / 1e6) end}
local kBandwidth <const> = {"GB/s", function(row)
  return rate(row.bytes_per_second, row.peak and row.peak.bandwidth)
end}
local kRate <const> = {"GFLOP/s", function(row)
  return rate(row.flops_per_second, row.peak and row.peak.flops)
end}
local kBound <const> = {"<bound by", function(row) return row.bound or "" end}
-- Of GPUs only.
local kLaunch <const> = {"launch", function(row)
  if not row.blocks then return "" end
  return ("%d x %d%s"):format(row.blocks, row.threads, row.loops > 1 and (" for %d loops"):format(row.loops) or "")
end}
local kUse <const> = {"use", function(row)
  return row.use and ("%.0f %%"):format(100 * row.use) or ""
end}
local kOccupancy <const> = {"occupancy", function(row)
  return row.occupancy and ("%.0f %%"):format(100 * row.occupancy) or ""
end}

local kColumns <const> = {
  op = {{"<op", label}, kCalls, kHost, kDevice, kShare, kMoved, kWork, kBandwidth, kRate, kBound},
  line = {
    {"<line", label}, kCalls, kHost, kWait, kDevice, kShare, kMoved, kWork,
    {"<", function(row) return row.file and source_line(row.file, row.line) or "" end},
  },
  kernel = {
    {"<kernel", label}, {"<device", function(row) return row.device end},
    kCalls, kDevice, kShare, kMoved, kWork, kBandwidth, kRate, kBound, kLaunch, kUse, kOccupancy,
    {"<lines", function(row) return table.concat(row.lines or {}, " ") end},
  },
  range = {{"<range", label}, kCalls, kHost, kShare},
  wait = {
    {"<line", function(row) return row.file and ("%s:%d"):format(row.file, row.line) or "?" end},
    {"<wait", function(row) return row.name end}, kCalls, kWait, kShare,
    {"<for", function(row) return row.awaited or "all that is queued" end},
    {"<in its place", function(row) return row.advice end},
  },
}

local Table = class("ProfileTable")

function Table:init(by, rows, left_out)
  self.by, self.left_out = by, left_out
  for i, row in ipairs(rows) do self[i] = row end
end

--- The columns of the rows; those on launches where some row has one.
local function columns_of(by, rows)
  local columns, launched = {}, false
  for _, row in ipairs(rows) do launched = launched or row.blocks ~= nil end
  for _, column in ipairs(kColumns[by]) do
    local is_launch = column == kLaunch or column == kUse or column == kOccupancy
    if launched or not is_launch then columns[#columns + 1] = column end
  end
  return columns
end

function Table:__tostring()
  local text = grid.text(columns_of(self.by, self), self)
  if self.left_out > 0 then text = ("%s\n... and %d more"):format(text, self.left_out) end
  return text
end

--- The rows of a trace, sorted, with a text. nil sorts by what `by` is about.
function report.table(trace, by, sort, limit)
  sort = sort or kSorted[by]
  local rows, whole, known = trace:rows(by), 0, {}
  for _, device in ipairs(trace:summary().devices) do
    -- What this machine can do does not count.
    if device.modelled_for then known[device.name] = false end
  end
  for _, row in ipairs(rows) do whole = whole + row[kSorted[by]] end
  for _, row in ipairs(rows) do
    row.share = whole > 0 and row[kSorted[by]] / whole or 0
    add_rates(row, known)
  end
  table.sort(rows, function(a, b)
    if a[sort] ~= b[sort] then return a[sort] > b[sort] end
    if a.host_ms ~= b.host_ms then return a.host_ms > b.host_ms end
    return label(a) < label(b)
  end)
  local left_out = math.max(0, #rows - limit)
  for i = #rows, math.min(limit, #rows) + 1, -1 do rows[i] = nil end
  return Table(by, rows, left_out)
end

local kWords <const> = {
  ["(script)"] = "Lua", ["(flush)"] = "flushing", ["(plan)"] = "planning",
  ["(compile)"] = "compiling",
}

--- Where the threads of the script spent their time: rows of the table of ops in brackets.
local function host_text(trace)
  local parts, ops, waits = {}, 0, 0
  for _, row in ipairs(trace:rows "op") do
    if kWords[row.name] then
      parts[#parts + 1] = ("%s %.3f"):format(kWords[row.name], row.host_ms)
    elseif row.wait_ms > 0 then
      waits = waits + row.wait_ms
    else
      ops = ops + row.host_ms
    end
  end
  table.sort(parts)
  parts[#parts + 1] = ("recording ops %.3f"):format(ops)
  parts[#parts + 1] = ("waiting %.3f"):format(waits)
  return "host: " .. table.concat(parts, ", ") .. " ms"
end

local kPrinted <const> = 12 -- rows of each table

--- All of a profile, as text.
function report.text(trace)
  local summary = trace:summary()
  local parts = {("%.3f ms, %d events"):format(summary.wall_ms, summary.events)}
  local function add(text, ...) parts[#parts + 1] = text:format(...) end
  if summary.dropped > 0 then
    add("the profile was full: %d later events are missing (max_events)", summary.dropped)
  end
  local measured = true
  for _, device in ipairs(summary.devices) do
    local busy = device.modelled_for and "modelled for " .. device.modelled_for
      or ("busy %.1f %% of the time"):format(100 * device.busy_ms / summary.wall_ms)
    add("%s: %d kernels and copies, %.3f ms, %s, at most %.1f MB", device.name, device.launches,
      device.device_ms, busy, device.peak_bytes / (1 << 20))
    if device.clock then add("  times by %s", device.clock) end
    if device.launches > 0 and not device.modelled_for and not peaks.of(device.name) then
      measured = false
    end
  end
  add("%s", host_text(trace))
  for _, by in ipairs {"op", "line", "kernel", "range", "wait"} do
    local rows = report.table(trace, by, nil, kPrinted)
    if #rows > 0 then add("\n%s", tostring(rows)) end
  end
  if not measured then
    add "\n`tide info --measure` measures the devices' peak rates, to show what bounds each kernel"
  end
  return table.concat(parts, "\n")
end

-- Two profiles ------------------------------------------------------------------------------------

local Comparison = class("ProfileComparison")

local function ratio(a, b) return a > 0 and b > 0 and ("%.2f"):format(b / a) or "" end

local kCompared <const> = {
  {"<op", function(row) return row.name end},
  {"calls", function(row) return tostring(row.a.calls) end},
  {"then", function(row) return tostring(row.b.calls) end},
  {"host ms", function(row) return milliseconds(row.a.host_ms) end},
  {"then", function(row) return milliseconds(row.b.host_ms) end},
  {"ratio", function(row) return ratio(row.a.host_ms, row.b.host_ms) end},
  {"device ms", function(row) return milliseconds(row.a.device_ms) end},
  {"then", function(row) return milliseconds(row.b.device_ms) end},
  {"ratio", function(row) return ratio(row.a.device_ms, row.b.device_ms) end},
}

function Comparison:__tostring()
  local head = ("%.3f ms, then %.3f ms: %s times as long"):format(
    self.a_ms, self.b_ms, ratio(self.a_ms, self.b_ms))
  return head .. "\n\n" .. grid.text(kCompared, self)
end

--- Kernels of one name and different sizes are one row here.
local function add_up(sum, row)
  for _, key in ipairs {"calls", "host_ms", "device_ms"} do sum[key] = sum[key] + row[key] end
end

--- Compares two profiles: returns rows {name, a, b} with the rows of both, the largest differences first, and a
--- text.
---@param a table  the profile before a change
---@param b table  the profile after a change
---@param by "op" | "line" | "kernel" | "range" = "op"  one row for each of these
---@example
--- local p = tide.profile(function() return tide.ones(8):sum():item() end)
--- #tide.profile.compare(p, p) > 0 --> true
report.compare = checked("profile.compare", function(a, b, by)
  for i, p in ipairs {a, b} do
    if type(p.summary) ~= "function" then
      raise("compare: argument %d: expected a profile, got %s", i, kind_of(p))
    end
  end
  local found, rows = {}, Comparison()
  for side, p in pairs {a = a, b = b} do
    for _, row in ipairs(p:table{by = by, limit = math.maxinteger}) do
      local name = label(row)
      if not found[name] then
        found[name] = {
          name = name,
          a = {calls = 0, host_ms = 0, device_ms = 0}, b = {calls = 0, host_ms = 0, device_ms = 0},
        }
        rows[#rows + 1] = found[name]
      end
      add_up(found[name][side], row)
    end
  end
  local function change(row)
    return math.abs(row.a.host_ms + row.a.device_ms - row.b.host_ms - row.b.device_ms)
  end
  table.sort(rows, function(x, y)
    if change(x) ~= change(y) then return change(x) > change(y) end
    return x.name < y.name
  end)
  rows.a_ms, rows.b_ms = a:summary().wall_ms, b:summary().wall_ms
  return rows
end)

return report

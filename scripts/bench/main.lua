-- `tide bench`: runs workloads, alone or beside another framework, and prints figures or a table of
-- ratios; or what they launch and move.
--
--   tide bench [NAME...] [--json] [--beside PEER] [--rounds N] [--reps N] [--device D] [--list]
--   tide bench [NAME...] --counts [--json] [--device D]
local json = require "tide.internal.json"
local tide = require "tide"

local families = {"overhead", "training", "matmul", "memory", "positions", "startup", "files", "gpu",
  "gpu_training", "transfers"}

local Refusal = {__tostring = function(self) return self.text end}

--- Ends the program with one line: what was asked for cannot be done here.
local function refuse(format, ...) error(setmetatable({text = "bench: " .. format:format(...)}, Refusal)) end

local function all_workloads()
  local list = {}
  for _, family in ipairs(families) do
    for _, row in ipairs(require("bench." .. family)) do list[#list + 1] = row end
  end
  return list
end

-- Timing ------------------------------------------------------------------------------------------

--- The median of sorted numbers.
local function middle(sorted)
  local n = #sorted
  return (sorted[(n + 1) // 2] + sorted[n // 2 + 1]) / 2
end

--- The times of `reps` calls, after two that warm caches.
local function timed(fn, reps)
  for _ = 1, 2 do fn() end
  local times = {}
  for i = 1, reps do
    collectgarbage() -- so that garbage of earlier calls is not collected in this one
    local start = tide.time()
    fn()
    times[i] = tide.time() - start
  end
  return times
end

--- The figures of a workload: `make(device)` gives a function to be timed, `samples(reps, device)`
--- measures for itself.
local function figures_of(row, device, reps)
  if row.samples then return row.samples(reps, device) end
  local figures = timed(row.make(device), reps)
  for i, seconds in ipairs(figures) do figures[i] = row.figure(seconds) end
  return figures
end

local function measure(row, device, reps)
  collectgarbage()
  tide.synchronize()
  tide.reset_peak_memory_stats(device)
  local figures = figures_of(row, device, reps)
  local peak = tide.max_memory_allocated(device) / (1 << 20)
  collectgarbage()
  table.sort(figures)
  local best = figures[row.more_is_better and #figures or 1]
  return {best = best, median = middle(figures), peak = peak}
end

local function is_cuda(device) return tide.device(device).type == "cuda" end

--- A figure with its significant digits.
local function short(figure) return (figure < 1 and "%.3f" or "%.1f"):format(figure) end

local function json_line(row, peer, figures)
  local form = '{"workload": "%s", "peer": "%s", "best": %.3f, "median": %.3f, "unit": "%s"}'
  return form:format(row.name, peer, figures.best, figures.median, row.unit)
end

local function json_error(row, message)
  return ('{"workload": "%s", "peer": "tide", "error": %s}'):format(row.name, json.quoted(message))
end

local function text_line(row, device, figures)
  local memory = is_cuda(device) and (", %.1f MB at most"):format(figures.peak) or ""
  return ("%-19s %12s %-10s (median %s)%s"):format(row.name, short(figures.best), row.unit,
    short(figures.median), memory)
end

--- Prints a line for each workload; one that fails does not keep the others from being measured.
local function print_figures(rows, options)
  local succeeded = true
  for _, row in ipairs(rows) do
    local ok, figures = pcall(measure, row, options.device, options.reps)
    if ok then
      print(options.json and json_line(row, "tide", figures)
        or text_line(row, options.device, figures))
    else
      succeeded = false
      print(options.json and json_error(row, tostring(figures))
        or ("%-19s failed: %s"):format(row.name, figures))
    end
    io.stdout:flush()
  end
  if not succeeded then os.exit(false, true) end
end

-- Counting ----------------------------------------------------------------------------------------

--- Launches and bytes of one call of a workload's function, which has been called twice before.
local function counts_of(row, device)
  local fn = row.make(device)
  for _ = 1, 2 do fn() end
  local profile = tide.profile(function()
    fn()
    tide.synchronize(device)
  end)
  local launches, bytes = 0, 0
  for _, kernel in ipairs(profile:table {by = "kernel", limit = math.maxinteger}) do
    if tostring(kernel.device) == tostring(device) then
      launches, bytes = launches + kernel.calls, bytes + (kernel.bytes or 0)
    end
  end
  return launches, bytes
end

--- Prints a line for each workload that has a function. Nothing is timed, so a driver that skips kernels will do.
local function print_counts(rows, options)
  local device = tide.device(options.device)
  for _, row in ipairs(rows) do
    if row.make then
      local launches, bytes = counts_of(row, device)
      print(options.json and ('{"workload": "%s", "launches": %d, "bytes": %d}'):format(row.name, launches, bytes)
        or ("%-19s %6d launches %10.1f MB"):format(row.name, launches, bytes / 1e6))
      collectgarbage()
      tide.empty_cache(device)
    end
  end
end

-- Beside another framework ------------------------------------------------------------------------

local function exists(path)
  local file = io.open(path)
  if file then file:close() end
  return file ~= nil
end

--- The script that times the others: in the tree, as TIDE_PATH names it or seen from the working
--- folder.
local function find_peers()
  for _, folder in ipairs {os.getenv "TIDE_PATH" or "scripts", "scripts"} do
    local path = folder .. "/bench/peers.py"
    if exists(path) then return path end
  end
  refuse("--beside needs scripts/bench/peers.py: run it in the source tree, or set TIDE_PATH to its scripts folder")
end

--- One run of a peer in a process of its own; nil if it has no such workload.
local function measure_peer(script, row, peer, device, reps)
  if row.alone then return nil end
  local command = ("OMP_NUM_THREADS=%d python3 '%s' %s '%s' --reps %d --device %s"):format(tide.get_num_threads(),
    script, row.name, peer, reps, is_cuda(device) and "cuda" or "cpu")
  local pipe = assert(io.popen(command))
  local output = pipe:read("a")
  local succeeded = pipe:close()
  local missing = output:match "No module named '([%w_.]+)'"
  if missing then refuse("--beside %s: python3 has no module %s", peer, missing) end
  if not succeeded then refuse("this failed: %s\n%s", command, output) end
  local best, middle = output:match('"best": ([%d.]+), "median": ([%d.]+)')
  local peak = output:match '"peak_mb": ([%d.]+)'
  if best then
    return {best = tonumber(best), median = tonumber(middle), peak = tonumber(peak)}
  end
end

local function better(row, a, b)
  if not a then return b end
  if row.more_is_better then return a.best >= b.best and a or b end
  return a.best <= b.best and a or b
end

--- Runs tide and the peer in turns, under the same machine load; returns the best of each.
local function measure_beside(row, options, script)
  local ours, theirs
  for _ = 1, options.rounds do
    local figures = measure_peer(script, row, options.beside, options.device, options.reps)
    if not figures then return nil end
    theirs = better(row, theirs, figures)
    ours = better(row, ours, measure(row, options.device, options.reps))
  end
  return ours, theirs
end

local function processor()
  for line in io.lines "/proc/cpuinfo" do
    local name = line:match "^model name%s*:%s*(.*)$"
    if name then return name end
  end
  return "unknown processor"
end

local kLine = "%-19s %-10s %12s %12s %8s   %s"

local function heading(options)
  print(is_cuda(options.device) and tide.cuda.get_device_name(options.device) or processor())
  print(("%d threads, device %s, %s"):format(tide.get_num_threads(), options.device,
    os.date "!%Y-%m-%d"))
  print(kLine:format("workload", "unit", "tide", options.beside, "ratio", "copy beside it, GB/s"))
end

--- Above 1 tide is faster, whatever the unit counts.
local function ratio_of(row, ours, theirs)
  return row.more_is_better and ours.best / theirs.best or theirs.best / ours.best
end

--- `copy`: what a copy reaches beside a workload bound by memory, else nil.
local function table_line(row, options, ours, theirs, copy)
  local beside = copy and ("%.1f"):format(copy) or ""
  if is_cuda(options.device) and theirs.peak then
    beside = ("%-10s memory %.1f MB, %s %.1f MB"):format(beside, ours.peak, options.beside,
      theirs.peak)
  end
  return kLine:format(row.name, row.unit, ("%.1f"):format(ours.best), ("%.1f"):format(theirs.best),
    ("%.2f"):format(ratio_of(row, ours, theirs)), beside)
end

local function beside_json(row, options, ours, theirs, copy)
  local form = '{"workload": "%s", "unit": "%s", "peer": "%s", "tide": %.3f, "other": %.3f, '
    .. '"ratio": %.3f, %s"device": "%s", "threads": %d, "date": "%s"}'
  return form:format(row.name, row.unit, options.beside, ours.best, theirs.best,
    ratio_of(row, ours, theirs), copy and ('"copy": %.1f, '):format(copy) or "", options.device,
    tide.get_num_threads(), os.date "!%Y-%m-%d")
end

local function print_beside(rows, options)
  local script = find_peers()
  if not options.json then heading(options) end
  local control
  for _, row in ipairs(rows) do
    local ours, theirs = measure_beside(row, options, script)
    if ours then
      local copy
      if row.memory_bound then
        control = control or require "bench.control"(options.device, options.reps)
        copy = control()
      end
      print((options.json and beside_json or table_line)(row, options, ours, theirs, copy))
    elseif #options > 0 and not options.json then  -- it was asked for by name
      print(("%-19s has no twin in %s"):format(row.name, options.beside))
    end
    io.stdout:flush()
  end
end

-- Options -----------------------------------------------------------------------------------------

local function chosen(names, workloads, device)
  if #names == 0 then
    local fitting = {}
    for _, row in ipairs(workloads) do
      if not row.only_gpu or is_cuda(device) then fitting[#fitting + 1] = row end
    end
    return fitting
  end
  local by_name, known, rows = {}, {}, {}
  for i, row in ipairs(workloads) do by_name[row.name], known[i] = row, row.name end
  for i, name in ipairs(names) do
    rows[i] = by_name[name] or refuse("unknown workload %s: known are %s", name, table.concat(known, ", "))
  end
  return rows
end

local function main(given)
  local options = tide.args({
    json = false, list = false, counts = false, beside = "", rounds = 3, reps = 5, device = "cpu",
  }, given)
  local workloads = all_workloads()
  local rows = chosen(options, workloads, options.device)
  if options.list then
    for _, row in ipairs(workloads) do print(("%-19s %s; %s"):format(row.name, row.words, row.unit)) end
  elseif options.counts then
    print_counts(rows, options)
  elseif options.beside ~= "" then
    print_beside(rows, options)
  else
    print_figures(rows, options)
  end
end

return main({...})

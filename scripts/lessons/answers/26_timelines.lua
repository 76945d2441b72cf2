-- Answers to the exercises of lesson 26, reading a timeline.
--
-- To run them:   tide lesson 26 --answers > mine.lua      and then   tide mine.lua
local tide = require "tide"
local exercises = require("tide.test").exercises

local options = tide.args {device = tide.cuda.is_available() and "cuda" or "sim"}
local device = tide.device(options.device)

-- An event is {from, to}, in milliseconds. Lists of kernels are in the order in which they begin.

-- 1. The time in which at least one kernel runs. Kernels may overlap.
local function busy(kernels)
  -- Start:
  -- local sum = 0
  -- for _, kernel in ipairs(kernels) do sum = sum + kernel[2] - kernel[1] end
  -- return sum
  -- Solution:
  local sum, done = 0, -math.huge -- up to `done` all is counted
  for _, kernel in ipairs(kernels) do
    sum = sum + math.max(0, kernel[2] - math.max(done, kernel[1]))
    done = math.max(done, kernel[2])
  end
  return sum
  -- End
end

-- 2. The gaps between kernels that are at least so long, as a list of {from, to}.
local function gaps(kernels, least)
  -- Solution:
  local list, done = {}, math.huge -- the first kernel has no gap before it
  for _, kernel in ipairs(kernels) do
    if kernel[1] - done >= least then list[#list + 1] = {done, kernel[1]} end
    done = done == math.huge and kernel[2] or math.max(done, kernel[2])
  end
  return list
  -- End
end

-- 3. The share of the time of the gaps in which the script waited, from 0 to 1. Waits do not
-- overlap; each is before the gap, in it, or across its ends.
local function explained(list, waits)
  -- Solution:
  local all, waited = 0, 0
  for _, gap in ipairs(list) do
    all = all + gap[2] - gap[1]
    for _, wait in ipairs(waits) do
      waited = waited + math.max(0, math.min(gap[2], wait[2]) - math.max(gap[1], wait[1]))
    end
  end
  return all > 0 and waited / all or 0
  -- End
end

-- What checks the exercises.
--- What the device did in a profile, as a list of {from, to}.
local function kernels_of(p)
  local path, process, kernels = os.tmpname() .. ".json", nil, {}
  p:save(path)
  for line in io.lines(path) do
    local number, kind = line:match '"pid": (%d+)', line:match '"cat": "(%a+)"'
    local from, length = line:match '"ts": ([%d.]+), "dur": ([%d.]+)'
    if line:find("process_name.*" .. tostring(device)) then process = number end
    if from and number == process and kind ~= "compile" and kind ~= "wait" then
      kernels[#kernels + 1] = {from / 1e3, (from + length) / 1e3}
    end
  end
  os.remove(path)
  table.sort(kernels, function(a, b) return a[1] < b[1] end)
  return kernels
end

--- "{1, 4} {6, 7}".
local function text_of(list)
  if type(list) ~= "table" then return tostring(list) end
  local texts = {}
  for i, event in ipairs(list) do texts[i] = ("{%g, %g}"):format(event[1], event[2]) end
  return #texts > 0 and table.concat(texts, " ") or "an empty list"
end

local function is_about(value, expected)
  return type(value) == "number" and math.abs(value - expected) < 1e-9 * (1 + math.abs(expected))
end

exercises {
  {"1. busy counts no moment twice", function(expect)
    for _, row in ipairs {
      {{{1, 4}, {6, 7}}, 4}, {{{1, 4}, {2, 3}}, 3}, {{{1, 4}, {3, 6}, {5, 9}}, 8}, {{}, 0},
    } do
      local kernels, expected = table.unpack(row)
      local value = busy(kernels)
      expect(is_about(value, expected),
        ("of %s it is %g, not %s"):format(text_of(kernels), expected, value))
    end
    -- The profiler's own figure of a real profile.
    local x = tide.randn(64, 64, {device = device})
    local p = tide.profile(function() for _ = 1, 5 do x = x:matmul(x) * 1e-2 end end)
    local value, expected = busy(kernels_of(p)), p:summary().devices[1].busy_ms
    expect(math.abs(value - expected) < 1e-3,
      ("of a profile of this device it is %.3f, not %.3f"):format(expected, value))
  end},

  {"2. gaps finds the long ones", function(expect)
    local kernels = {{1, 4}, {2, 3}, {5, 9}, {9.5, 10}, {14, 15}}
    for _, row in ipairs {{1, {{4, 5}, {10, 14}}}, {2, {{10, 14}}}, {5, {}}} do
      local least, expected = table.unpack(row)
      local value = text_of(gaps(kernels, least))
      expect(value == text_of(expected), ("of %s, at least %g long: %s, not %s"):format(
        text_of(kernels), least, text_of(expected), value))
    end
    expect(text_of(gaps({}, 1)) == "an empty list", "without kernels there are no gaps")
  end},

  {"3. explained is a share of time", function(expect)
    local list = {{4, 6}, {10, 14}}
    for _, row in ipairs {{{{0, 5}}, 1 / 6}, {{{3, 12}}, 4 / 6}, {{{0, 20}}, 1}, {{}, 0}} do
      local waits, expected = table.unpack(row)
      local value = explained(list, waits)
      expect(is_about(value, expected), ("gaps %s, waits %s: %g, not %s"):format(text_of(list),
        text_of(waits), expected, value))
    end
    expect(explained({}, {{1, 2}}) == 0, "without gaps there is nothing to explain: 0")
  end},
}

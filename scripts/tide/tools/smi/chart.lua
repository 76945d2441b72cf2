-- The chart of `tide smi dmon --chart`: curves of use, memory and queue of each device, in block letters.
local class = require "tide.internal.class"

-- Fields: series_of (by device name: a list of its figures, the newest last); names (in order); lines (number of lines
-- of the current drawing in the terminal).
local Chart = class "Chart"

local kBlocks <const> = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}
local kLongest <const> = 1000 -- figures of a device that are kept
local kLabels <const> = 32    -- columns before a curve

-- The curves of a device: label, color, and functions of a figure: the value, its text, and the value at full height,
-- if that is known.
local kCurves <const> = {
  {
    label = "use", color = "32",
    value = function(figures) return figures.use end,
    text = function(figures) return ("%.0f %%"):format(figures.use) end,
    whole = function() return 100 end,
  },
  {
    label = "memory", color = "34",
    value = function(figures) return figures.memory end,
    text = function(figures)
      local used, total = figures.memory / 2 ^ 20, figures.total
      return total and ("%.0f / %.0f MB"):format(used, total / 2 ^ 20) or ("%.0f MB"):format(used)
    end,
    whole = function(figures) return figures.total end,
  },
  {
    label = "queue", color = "33",
    value = function(figures) return figures.queue end,
    text = function(figures) return ("%d ops"):format(figures.queue) end,
    whole = function() return nil end,
  },
}

function Chart:init() self.series_of, self.names, self.lines = {}, {}, 0 end

--- Adds the current figures of all devices.
function Chart:add(devices)
  for _, figures in ipairs(devices) do
    local series = self.series_of[figures.name]
    if not series then
      series = {}
      self.series_of[figures.name], self.names[#self.names + 1] = series, figures.name
    end
    series[#series + 1] = figures
    if #series > kLongest then table.remove(series, 1) end
  end
end

--- The newest values of a curve in block letters. If the value at full height is not known, the largest one shown is
--- used.
local function curve_text(curve, series, width)
  local first, most = math.max(1, #series - width + 1), 0
  for i = first, #series do most = math.max(most, curve.value(series[i]) or 0) end
  local blocks = {}
  for i = first, #series do
    local value, whole = curve.value(series[i]), curve.whole(series[i]) or most
    local level = value and whole > 0 and value / whole or 0
    blocks[#blocks + 1] = value == nil and " " or kBlocks[math.max(1, math.min(8, math.ceil(8 * level)))]
  end
  return table.concat(blocks)
end

--- The lines of the chart for a terminal. Devices that do not fit are counted.
function Chart:text(columns, rows, color)
  local width, lines = math.max(1, columns - kLabels - 1), {}
  local fitting = math.min(#self.names, math.max(1, (rows - 2) // #kCurves))
  for d = 1, fitting do
    local name = self.names[d]
    local series = self.series_of[name]
    local figures = series[#series]
    for i, curve in ipairs(kCurves) do
      local known = curve.value(figures) ~= nil
      local label = ("%-7s %-6s %16s "):format(i == 1 and name or "", curve.label, known and curve.text(figures) or "-")
      local blocks = curve_text(curve, series, width)
      if color then blocks = ("\27[%sm%s\27[0m"):format(curve.color, blocks) end
      lines[#lines + 1] = label .. blocks
    end
  end
  if fitting < #self.names then lines[#lines + 1] = ("and %d more devices"):format(#self.names - fitting) end
  return lines
end

--- The text that draws the chart in place of the previous one.
function Chart:again(columns, rows, color)
  local lines = self:text(columns, rows, color)
  local up = self.lines > 0 and ("\27[%dA"):format(self.lines) or ""
  self.lines = #lines
  return up .. "\r" .. table.concat(lines, "\27[K\n") .. "\27[K\n\27[J"
end

return Chart

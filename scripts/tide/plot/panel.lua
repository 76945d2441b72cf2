-- One pair of axes: its series and its options.
local class = require "tide.internal.class"
local colors = require "tide.plot.colors"
local kinds = require "tide.plot.kinds"
local options = require "tide.plot.options"
local raise = require "tide.internal.raise"
local reader = require "tide.internal.declare.reader"

-- Fields: series (in order); options (title, xlabel, ...); colored (number of series with a color);
-- legend_place (nil: only with labels; false: none).
local Panel = class "Panel"

function Panel:init()
  self.series, self.options, self.colored = {}, {}, 0
end

--- Applies checked options.
function Panel:apply(given)
  for name, value in pairs(given) do self.options[name] = value end
end

--- Adds a series of a kind from the arguments of a call.
function Panel:add(kind_name, ...)
  local kind = kinds[kind_name]
  local given, panel = kind.read(...)
  local series = kind.make(kind_name, given)
  -- Releases the tensor arguments: `data` has copies.
  for name in pairs(series.data) do series[name] = nil end
  series.kind = kind_name
  if kind.colored then
    series.color = series.color or colors.cycle[self.colored % #colors.cycle + 1]
    self.colored = self.colored + 1
  end
  if kind.color_bar or kind.has_cells then
    for _, other in ipairs(self.series) do
      if other.cmap and other.cmap ~= series.cmap then
        raise("%s: the panel has a %s with cmap '%s': a panel has only one palette", kind_name, other.kind,
          other.cmap)
      end
    end
  end
  if series.names and not panel.xticks then panel.xticks = series.names end
  self.series[#self.series + 1] = series
  self:apply(panel)
end

for name in pairs(kinds) do
  Panel[name] = function(self, ...)
    self:add(name, ...)
    return self
  end
end

--- Sets options of the axes.
---@use axes
---@example
--- local fig = tide.plot.line{1, 10, 100}
--- fig:set{yscale = "log", title = "powers"}
--- tostring(fig) --> "figure 640 x 480: line (3 points)"
local read_axes = options.reader "figure:set"

function Panel:set(...)
  self:apply(select(2, read_axes(self, ...)))
  return self
end

--- Sets the position of the legend.
---@param place "upper right" | "upper left" | "lower right" | "lower left" | false = "upper right"  where to
---  show the legend; false hides it
---@example
--- tide.plot.line({1, 2}, {label = "loss"}):legend("lower left")
local read_legend = reader "figure:legend"

function Panel:legend(...)
  self.legend_place = read_legend(self, ...).place
  return self
end

--- "line 'train' (100 points), scatter (3 points)".
function Panel:summary()
  local parts = {}
  for i, series in ipairs(self.series) do
    local shape = (series.data.z or series.data.y or series.data.x).shape
    local label = series.label and (" '%s'"):format(series.label) or ""
    local size = table.concat(shape, " x ")
    if #shape == 1 then size = size .. (shape[1] == 1 and " point" or " points") end
    parts[i] = ("%s%s (%s)"):format(series.kind, label, size)
  end
  return #parts > 0 and table.concat(parts, ", ") or "empty"
end

function Panel:__tostring() return "plot: " .. self:summary() end

return Panel

-- A figure as plain data, which both back ends draw: numbers already read, axes with ranges, marks
-- with no more points than are visible.
--
--   {title, rows, columns, panels}
--   a panel: {title, x = axis, y = axis, marks, legend, color_bar, grid, square, bare}
--
-- An axis: {label, log, low, high, reversed, given (ticks), whole (ticks at integers only)}.
-- Marks: see kinds.lua, with an optional `label`. color_bar: {low, high, points, shown}: the palette
-- of the panel.
local colors = require "tide.plot.colors"
local data = require "tide.plot.data"
local kinds = require "tide.plot.kinds"
local raise = require "tide.internal.raise"
local thin = require "tide.plot.thin"
local ticks = require "tide.plot.ticks"

--- The marks of all series of a panel, each with its series.
local function marks_of(panel)
  local marks = {}
  for _, series in ipairs(panel.series) do
    kinds[series.kind].marks(series, function(mark)
      mark.series = series
      marks[#marks + 1] = mark
    end)
    marks[#marks].label = series.label
  end
  return marks
end

--- The coordinate lists of a mark along an axis.
local function lists_along(mark, name)
  if mark.within then return {mark.within[name == "x" and 1 or 2]} end
  if mark.kind == "segments" then return {mark[name .. "1"], mark[name .. "2"]} end
  if mark.kind ~= "boxes" then return {mark[name]} end
  return name == "x" and {mark.left, mark.right} or {mark.top}
end

--- The range of an axis that holds all marks.
local function range_of(marks, name, log)
  local low, high, margin = math.huge, -math.huge, 0
  local function include(value)
    if ticks.is_drawable(value, log) then low, high = math.min(low, value), math.max(high, value) end
  end
  local has_boxes = false
  for _, mark in ipairs(marks) do
    if mark.rows then
      include(0.5)
      include((name == "x" and mark.width or mark.height) + 0.5)
    else
      if not mark.within then margin = 0.05 end
      has_boxes = has_boxes or mark.kind == "boxes" and name == "y"
      for _, list in ipairs(lists_along(mark, name)) do
        for i = 1, #list do include(list[i]) end
      end
    end
  end
  if has_boxes and not log then include(0) end
  if low > high or has_boxes and low == high then return ticks.range(nil, nil, log) end
  local from, to = ticks.range(low, high, log, margin)
  -- Boxes start at the axis itself.
  if has_boxes and not log and low == 0 then from = 0.0 end
  if has_boxes and not log and high == 0 then to = 0.0 end
  return from, to
end

local function axis_of(panel, marks, name)
  local options = panel.options
  local axis = {label = options[name .. "label"], log = options[name .. "scale"] == "log",
    given = options[name .. "ticks"]}
  local limits = options[name .. "lim"]
  if limits and ticks.is_range(limits[1], limits[2], axis.log) then
    axis.low, axis.high = limits[1], limits[2]
  else -- no limits, or nonpositive ones on a logarithmic axis
    axis.low, axis.high = range_of(marks, name, axis.log)
    if limits then axis.high = math.max(limits[2], axis.low * 2) end
  end
  return axis
end

--- Removes points that cannot be drawn on the axes; in a line they become gaps.
local function restrict(mark, x_axis, y_axis)
  local keeps_gaps, x, y = mark.kind == "line", {}, {}
  for i = 1, #mark.x do
    if ticks.is_drawable(mark.x[i], x_axis.log) and ticks.is_drawable(mark.y[i], y_axis.log) then
      x[#x + 1], y[#y + 1] = mark.x[i], mark.y[i]
    elseif keeps_gaps and #x > 0 and x[#x] == x[#x] then
      x[#x + 1], y[#y + 1] = 0 / 0, 0 / 0
    end
  end
  mark.x, mark.y = x, y
end

local kSegment <const> = {"x1", "y1", "x2", "y2", "values"}

local function restrict_segments(mark, x_axis, y_axis)
  local kept = {x1 = {}, y1 = {}, x2 = {}, y2 = {}, values = mark.values and {}}
  for i = 1, #mark.x1 do
    if ticks.is_drawable(mark.x1[i], x_axis.log) and ticks.is_drawable(mark.x2[i], x_axis.log)
      and ticks.is_drawable(mark.y2[i], y_axis.log) and ticks.is_drawable(mark.y1[i], false) then
      local index = #kept.x1 + 1
      for _, name in ipairs(kSegment) do
        if kept[name] then kept[name][index] = mark[name][i] end
      end
      -- A bar that extends below a logarithmic axis starts at the end of the axis.
      if not ticks.is_drawable(kept.y1[index], y_axis.log) then kept.y1[index] = y_axis.low end
    end
  end
  for name, list in pairs(kept) do mark[name] = list end
end

local function restrict_boxes(mark, x_axis, y_axis)
  local left, right, top = {}, {}, {}
  for i = 1, #mark.top do
    if ticks.is_drawable(mark.left[i], x_axis.log) and ticks.is_drawable(mark.right[i], x_axis.log)
      and ticks.is_drawable(mark.top[i], y_axis.log) then
      left[#left + 1], right[#left + 1], top[#left + 1] = mark.left[i], mark.right[i], mark.top[i]
    end
  end
  mark.left, mark.right, mark.top = left, right, top
end

--- The palette of a panel: the range of its values, and whether a color bar is shown.
local function color_bar_of(marks)
  local low, high, points, vmin, vmax, shown = math.huge, -math.huge, nil, nil, nil, false
  for _, mark in ipairs(marks) do
    if mark.values and mark.kind ~= "pixels" then
      local series = mark.series
      points = points or colors.palette(series.cmap)
      vmin, vmax = vmin or series.vmin, vmax or series.vmax
      shown = shown or kinds[series.kind].color_bar and not mark.texts
      for _, value in ipairs(mark.values) do
        if ticks.is_drawable(value) then
          low, high = math.min(low, value), math.max(high, value)
        end
      end
    end
  end
  if not points then return nil end
  if low > high then low, high = 0.0, 1.0 end
  low, high = vmin or low, vmax or high
  if not ticks.is_range(low, high) then low, high = ticks.range(low, low, false, 0) end
  return {low = low, high = high, points = points, shown = shown}
end

local function panel_of(panel, width, height)
  local marks = marks_of(panel)
  local x_axis, y_axis = axis_of(panel, marks, "x"), axis_of(panel, marks, "y")
  local result = {title = panel.options.title, x = x_axis, y = y_axis, marks = marks,
    grid = panel.options.grid, color_bar = color_bar_of(marks)}
  for _, mark in ipairs(marks) do
    if mark.kind == "segments" then
      restrict_segments(mark, x_axis, y_axis)
    elseif mark.kind == "boxes" then
      restrict_boxes(mark, x_axis, y_axis)
    elseif mark.rows then
      if x_axis.log or y_axis.log then
        raise("%s: xscale and yscale must be 'linear' in a panel with cells", mark.series.kind)
      end
      y_axis.reversed, result.square, x_axis.whole, y_axis.whole = true, true, true, true
      result.bare = kinds[mark.series.kind].bare
    else
      restrict(mark, x_axis, y_axis)
      if mark.kind == "line" then
        mark.x, mark.y = thin.line(mark.x, mark.y, x_axis, width)
      else
        mark.x, mark.y = thin.points(mark.x, mark.y, x_axis, y_axis, width, height)
      end
    end
    if mark.label then result.legend = panel.legend_place or "upper right" end
  end
  if panel.legend_place == false then result.legend = nil end
  return result
end

--- Describes a figure for drawing with width x height pixels or dots. Waits once for unread data.
return function(figure, width, height)
  local wanted = {}
  for _, panel in ipairs(figure) do
    for _, series in ipairs(panel.series) do
      for _, taken in pairs(series.data) do wanted[#wanted + 1] = taken end
    end
  end
  data.read(wanted)
  local result = {title = figure.title, rows = figure.rows, columns = figure.columns, panels = {}}
  for i, panel in ipairs(figure) do
    result.panels[i] = panel_of(panel, width // figure.columns, height // figure.rows)
  end
  return result
end

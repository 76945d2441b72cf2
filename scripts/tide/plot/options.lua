-- Reads the arguments of plotting calls: those of a series, and the options of its panel.
local colors = require "tide.plot.colors"
local declaration = require "tide.internal.declare.declaration"
local raise = require "tide.internal.raise"
local reader = require "tide.internal.declare.reader"
local ticks = require "tide.plot.ticks"

local options = {}

local kStyles <const> = {["-"] = "solid", ["--"] = "dashed", [":"] = "dotted"}

local function checked_limits(caller, name, value)
  local low, high = value[1], value[2]
  if not ticks.is_range(low, high) then
    raise("%s: %s: the lower limit must be less than the upper, got {%s, %s}", caller, name, low, high)
  end
  return {low + 0.0, high + 0.0}
end

local function checked_number(caller, name, value)
  if not ticks.is_drawable(value) then raise("%s: %s: expected a finite number, got %s", caller, name, value) end
  return value
end

local function copied(_, _, list) return table.move(list, 1, #list, 1, {}) end

-- Checks and conversions beyond the declared types, by option name.
local kChecks <const> = {
  xlim = checked_limits, ylim = checked_limits, range = checked_limits, xticks = copied, yticks = copied,
  linewidth = checked_number, markersize = checked_number, width = checked_number, vmin = checked_number,
  vmax = checked_number,
  size = function(_, _, value) return {value[1] // 1 | 0, value[2] // 1 | 0} end,
  color = function(caller, _, value) return colors.checked(caller, value) end,
  linestyle = function(_, _, value) return kStyles[value] end,
}

--- Returns a function that reads the arguments of the function declared as `name`, "plot.line". It returns the options
--- of the series or the figure, and those of the axes, by name.
function options.reader(name)
  local read, caller = reader(name), name:match "[%w_]+$"
  return function(...)
    local given, axes = read(...), {}
    for key, value in pairs(given) do
      if kChecks[key] then given[key] = kChecks[key](caller, key, value) end
    end
    for _, key in ipairs(declaration.names_of_group "axes") do axes[key], given[key] = given[key], nil end
    return given, axes
  end
end

return options

-- Reads the arguments of plotting calls: data by position, then options of the series and of its
-- panel.
local arguments = require "tide.internal.arguments"
local colors = require "tide.plot.colors"
local kind_of = require "tide.internal.kind_of"
local nearest = require "tide.internal.nearest"
local raise = require "tide.internal.raise"
local ticks = require "tide.plot.ticks"

local options = {}

local kPanel <const> = {
  "title", "xlabel", "ylabel", "xscale", "yscale", "xlim", "ylim", "xticks", "yticks", "grid",
}

local kScales <const> = {linear = true, log = true}
local kStyles <const> = {["-"] = "solid", ["--"] = "dashed", [":"] = "dotted"}
local kMarkers <const> = {o = true, x = true, s = true, ["."] = true, ["+"] = true, ["^"] = true}

--- The value if it is a key of `known`; else an error that lists them.
local function choice(caller, name, value, known)
  if known[value] then return value end
  local names = {}
  for each in pairs(known) do names[#names + 1] = ("'%s'"):format(each) end
  table.sort(names)
  local near = type(value) == "string" and nearest(value, known)
  raise("%s: %s: expected one of %s, got '%s'%s", caller, name, table.concat(names, ", "),
    tostring(value), near and ("; did you mean '%s'?"):format(near) or "")
end

--- A check that the value is of a type of Lua's.
local function of_type(kind, text)
  return function(caller, name, value)
    if type(value) ~= kind then
      raise("%s: %s: expected %s, got %s", caller, name, text, kind_of(value))
    end
    return value
  end
end

local function checked_limits(caller, name, value)
  local low, high
  if type(value) == "table" then low, high = value[1], value[2] end
  if type(low) ~= "number" or type(high) ~= "number" then
    raise("%s: %s: expected {lowest, highest}, got %s", caller, name, kind_of(value))
  end
  if not ticks.is_range(low, high) then
    raise("%s: %s: the lowest must be less than the highest, got {%s, %s}", caller, name, low, high)
  end
  return {low + 0.0, high + 0.0}
end

local function checked_ticks(caller, name, value)
  local is_list = type(value) == "table" and not getmetatable(value)
  local kind = is_list and type(value[1])
  if not is_list or #value > 0 and kind ~= "number" and kind ~= "string" then
    raise("%s: %s: expected a list of numbers, or of names for 1, 2, ...", caller, name)
  end
  for i, each in ipairs(value) do
    if type(each) ~= kind then
      raise("%s: %s: expected a %s at %d, got %s", caller, name, kind, i, kind_of(each))
    end
  end
  return table.move(value, 1, #value, 1, {})
end

local kMostPixels <const> = 10000 -- along a side of a figure

local function checked_size(caller, name, value)
  local is_list = type(value) == "table"
  local width = is_list and math.tointeger(value[1]) or 0
  local height = is_list and math.tointeger(value[2]) or 0
  if math.min(width, height) < 50 or math.max(width, height) > kMostPixels then
    raise("%s: %s: expected {width, height} in pixels, each from 50 to %d, got %s", caller, name,
      kMostPixels, is_list and ("{%s, %s}"):format(value[1], value[2]) or kind_of(value))
  end
  return {width, height}
end

local function checked_positive(caller, name, value)
  if type(value) ~= "number" or not (value > 0 and value < math.huge) then
    raise("%s: %s: expected a positive number, got %s", caller, name, tostring(value))
  end
  return value
end

local function checked_number(caller, name, value)
  if type(value) ~= "number" or not ticks.has_place(value) then
    raise("%s: %s: expected a finite number, got %s", caller, name,
      type(value) == "number" and tostring(value) or kind_of(value))
  end
  return value
end

local function scale(caller, name, value) return choice(caller, name, value, kScales) end

local text, boolean = of_type("string", "a string"), of_type("boolean", "boolean")

-- How the value of an option is checked, wherever it is an option.
local kChecks <const> = {
  title = text, xlabel = text, ylabel = text, label = text,
  grid = boolean, annotate = boolean, density = boolean,
  xscale = scale, yscale = scale, xlim = checked_limits, ylim = checked_limits,
  xticks = checked_ticks, yticks = checked_ticks, range = checked_limits,
  linewidth = checked_positive, markersize = checked_positive, width = checked_positive,
  size = checked_size, vmin = checked_number, vmax = checked_number,
  color = function(caller, _, value) return colors.checked(caller, value) end,
  cmap = function(caller, _, value) return colors.palette(caller, value) and value end,
  linestyle = function(caller, name, value)
    return kStyles[choice(caller, name, value, kStyles)]
  end,
  marker = function(caller, name, value) return choice(caller, name, value, kMarkers) end,
}

--- Checks the values of a table by their names.
local function check(caller, values)
  for name, value in pairs(values) do
    if kChecks[name] then values[name] = kChecks[name](caller, name, value) end
  end
  return values
end

--- A function that reads the arguments of `caller`: `positions` are names of data, of which those
--- in tables may be left out, `own` the options of the series. It returns what was given of the two
--- by name, and what was given for the panel.
function options.reader(caller, positions, own)
  local declared = table.move(positions, 1, #positions, 1, {})
  for _, name in ipairs(own) do declared[#declared + 1] = {name} end
  for _, name in ipairs(kPanel) do declared[#declared + 1] = {name} end
  local read = arguments(caller, declared)
  return function(...)
    local given, panel = check(caller, read(...)), {}
    for _, name in ipairs(kPanel) do panel[name], given[name] = given[name], nil end
    return given, panel
  end
end

--- Reads a table of a panel's options alone, with `more` declared behind them.
function options.panel_reader(caller, more)
  local declared = {}
  for i, name in ipairs(kPanel) do declared[i] = {name} end
  local read = arguments(caller, table.move(more or {}, 1, #(more or {}), #declared + 1, declared))
  return function(given)
    if given ~= nil and type(given) ~= "table" then
      raise("%s: expected a table of options, got %s", caller, kind_of(given))
    end
    return check(caller, read(given or {}))
  end
end

return options

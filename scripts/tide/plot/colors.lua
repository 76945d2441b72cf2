-- Colors of plots: names, the cycle of series, and palettes for values.
local kind_of = require "tide.internal.kind_of"
local nearest = require "tide.internal.nearest"
local raise = require "tide.internal.raise"

local colors = {}

--- The colors of a panel's series, in their order: matplotlib's.
colors.cycle = {
  "#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f",
  "#bcbd22", "#17becf",
}

local kNames <const> = {
  black = "#000000", white = "#ffffff", red = "#ff0000", green = "#008000", lime = "#00ff00",
  blue = "#0000ff", yellow = "#ffff00", cyan = "#00ffff", magenta = "#ff00ff", orange = "#ffa500",
  purple = "#800080", gray = "#808080", grey = "#808080", brown = "#a52a2a", pink = "#ffc0cb",
  navy = "#000080", teal = "#008080", olive = "#808000",
}

-- Equally spaced colors, interpolated in between.
local kPalettes <const> = {
  gray = {"#000000", "#ffffff"},
  viridis = {
    "#440154", "#482878", "#3e4989", "#31688e", "#26828e", "#1f9e89", "#35b779", "#6ece58",
    "#b5de2b", "#fde725",
  },
  magma = {
    "#000004", "#180f3d", "#440f76", "#721f81", "#9e2f7f", "#cd4071", "#f1605d", "#fd9668",
    "#feca8d", "#fcfdbf",
  },
  coolwarm = {
    "#3b4cc0", "#5d7ce6", "#82a6fb", "#a7c5fe", "#cad8ef", "#e5d8d1", "#f5c0a6", "#f59c7d",
    "#e0654f", "#b40426",
  },
  blues = {
    "#f7fbff", "#e3eef9", "#d0e1f2", "#b7d4ea", "#94c4df", "#6aaed6", "#4a98c9", "#2e7ebc",
    "#1764ab", "#08306b",
  },
}

--- "; did you mean 'red'?", or an empty string if no key of `names` is close.
local function hint(name, names)
  local near = type(name) == "string" and nearest(name, names)
  return near and ("; did you mean '%s'?"):format(near) or ""
end

--- "#rrggbb" from a color name or "#rrggbb".
function colors.checked(caller, value)
  local text = type(value) == "string" and (kNames[value:lower()] or value:lower()) or ""
  if not text:find "^#%x%x%x%x%x%x$" then
    raise("%s: color: expected a name such as 'red', or '#rrggbb', got %s%s", caller,
      type(value) == "string" and "'" .. value .. "'" or kind_of(value), hint(value, kNames))
  end
  return text
end

--- Red, green and blue of "#rrggbb", from 0 to 255.
function colors.parts(text)
  local number = tonumber(text:sub(2), 16)
  return number >> 16, number >> 8 & 255, number & 255
end

--- The colors of a palette.
function colors.palette(name) return kPalettes[name] end

--- A function from a fraction, 0 to 1, to red, green and blue in a palette.
function colors.scale(points)
  local parsed = {}
  for i, point in ipairs(points) do parsed[i] = {colors.parts(point)} end
  return function(share)
    local position = math.min(math.max(share, 0), 1) * (#parsed - 1)
    local index = math.min(position // 1 | 0, #parsed - 2)
    local from, to, part = parsed[index + 1], parsed[index + 2], position - index
    local function mixed(c) return (from[c] + (to[c] - from[c]) * part + 0.5) // 1 | 0 end
    return mixed(1), mixed(2), mixed(3)
  end
end

--- Whether black is easier to read on a color than white.
function colors.is_bright(red, green, blue)
  return 0.299 * red + 0.587 * green + 0.114 * blue > 140
end

return colors

-- Axes: ranges that contain all values, and tick positions.
local ticks = {}

-- Numbers beyond these count as infinite, or as 0: differences and quotients stay finite.
local kLargest <const>, kSmallest <const> = 1e300, 1e-300

--- Whether a value can be drawn on an axis.
function ticks.is_drawable(value, log)
  return value == value and value < kLargest and value > (log and kSmallest or -kLargest)
end

--- Whether low and high are a valid range of an axis.
function ticks.is_range(low, high, log)
  local size = math.max(math.abs(low), math.abs(high))
  return ticks.is_drawable(low, log) and ticks.is_drawable(high, log)
    and high - low > math.max(1e-12 * size, kSmallest)
end

--- The position of a value along an axis, from 0 to 1.
function ticks.fraction(axis, value)
  if axis.log then
    local low = math.log(axis.low)
    return (math.log(value) - low) / (math.log(axis.high) - low)
  end
  return (value - axis.low) / (axis.high - axis.low)
end

--- A range around low..high, or a default one if low is nil; `margin` is the fraction added on each side.
function ticks.range(low, high, log, margin)
  if not low then
    if log then return 1.0, 10.0 end
    return 0.0, 1.0
  end
  if not ticks.is_range(low, high, log) then
    if log then return low / 2, low * 2 end
    local size = math.max(math.abs(low), math.abs(high))
    local half = 0.05 * (size > 1e-290 and size or 1)
    return low - half, high + half
  end
  if log then
    local factor = math.exp((math.log(high) - math.log(low)) * margin)
    return math.max(low / factor, kSmallest / 2), math.min(high * factor, kLargest)
  end
  local added = (high - low) * margin
  return low - added, high + added
end

--- The text of a tick whose neighbors are `step` away.
local function tick_text(value, step)
  local size = math.abs(value)
  if size < 1e-9 * step then return "0" end
  if size >= 1e5 or size < 1e-4 then
    local digits = math.ceil(math.log(size / step, 10) - 1e-9) + 1
    local text = ("%." .. math.min(math.max(digits, 1), 15) .. "g"):format(value)
    return (text:gsub("e%+?(-?)0*", "e%1"))
  end
  local digits = math.max(0, math.ceil(-math.log(step, 10) - 1e-9))
  return ("%." .. math.min(digits, 15) .. "f"):format(value)
end

local function linear(low, high, most, least_step)
  local raw = (high - low) / math.max(most, 1)
  local power = 10.0 ^ (math.log(raw, 10) // 1)
  local step = 10 * power
  for _, factor in ipairs {1, 2, 5} do
    if factor * power >= raw * (1 - 1e-9) then
      step = factor * power
      break
    end
  end
  step = math.max(step, least_step or 0)
  local found = {}
  for i = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) do
    found[#found + 1] = {at = i * step, text = tick_text(i * step, step)}
  end
  return found
end

local function logarithmic(low, high, most)
  local first, last = math.ceil(math.log(low, 10) - 1e-9), math.floor(math.log(high, 10) + 1e-9)
  if last - first < 1 then return linear(low, high, most) end
  local found, stride = {}, math.max(1, math.ceil((last - first + 1) / math.max(most, 1)))
  for power = first, last, stride do
    local value = 10.0 ^ power
    local plain = power > -4 and power < 5
    found[#found + 1] = {at = value, text = plain and ("%.10g"):format(value) or "1e" .. power}
  end
  return found
end

--- At most about `most` ticks of an axis: {at, text}.
function ticks.of(axis, most)
  if axis.given then
    local found = {}
    for i, each in ipairs(axis.given) do
      local named = type(each) == "string"
      local at = named and i or each
      if ticks.is_drawable(at, axis.log) and at >= axis.low and at <= axis.high then
        found[#found + 1] = {at = at, text = named and each or ("%.6g"):format(each)}
      end
    end
    return found
  end
  return (axis.log and logarithmic or linear)(axis.low, axis.high, most, axis.whole and 1)
end

return ticks

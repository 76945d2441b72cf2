-- Numbers of channels of networks that are made wider or narrower.

local channels = {}

--- `count` rounded to a multiple of `divisor`, never below `least` (default: the divisor), and never
--- less than 90 % of it.
function channels.divisible(count, divisor, least)
  local rounded = math.floor(count + divisor / 2) // divisor * divisor
  rounded = math.max(least or divisor, rounded)
  if rounded < 0.9 * count then rounded = rounded + divisor end
  return math.tointeger(rounded)
end

return channels

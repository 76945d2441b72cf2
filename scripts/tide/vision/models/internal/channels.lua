-- Channel counts of scaled networks.

local channels = {}

--- `count` rounded to a multiple of `divisor`, at least `least` (default: the divisor), and at least
--- 90 % of `count`.
function channels.divisible(count, divisor, least)
  local rounded = math.floor(count + divisor / 2) // divisor * divisor
  rounded = math.max(least or divisor, rounded)
  if rounded < 0.9 * count then rounded = rounded + divisor end
  return math.tointeger(rounded)
end

return channels

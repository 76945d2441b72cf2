-- A small separate generator of integers, so that a test's random choices are the same
-- whatever else draws random numbers: `new_random(seed)` returns a function of `low` and `high`.
return function(seed)
  local state = seed * 2654435761 % 4294967296
  return function(low, high)
    state = (state * 1664525 + 1013904223) % 4294967296
    return low + (state >> 8) % (high - low + 1)
  end
end

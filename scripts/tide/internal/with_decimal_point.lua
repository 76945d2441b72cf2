-- Writers whose numbers have a point, also where the process has a locale with a decimal comma: what they write would
-- otherwise be read as something else, or not at all.
local native = require "tide.native"

--- A function that does what `fn` does, whatever the locale.
return function(fn)
  return function(...) return native.with_decimal_point(fn, ...) end
end

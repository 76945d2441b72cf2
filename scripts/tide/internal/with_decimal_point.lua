-- Writers whose numbers have a decimal point in every locale, because files with a decimal comma would be read
-- incorrectly.
local native = require "tide.native"

--- Wraps `fn` to be independent of the locale.
return function(fn)
  return function(...) return native.with_decimal_point(fn, ...) end
end

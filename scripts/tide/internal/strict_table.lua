-- Tables of the library in which reading an unknown name is an error.
local native = require "tide.native"

--- Makes reading an unknown name of `t` raise an error; `place` is the table's name in the error.
--- rawget(t, name) still gives nil.
local function strict_table(place, t)
  return setmetatable(t, {
    __tostring = native.module_text(place),
    __index = function(self, name)
      if type(name) == "string" then native.unknown_name(place, name, self) end
    end,
  })
end

return strict_table

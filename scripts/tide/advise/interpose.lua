-- Puts functions in the places of others until they are given back.
local class = require "tide.internal.class"

-- A list of {holder, name, function that was there}.
local Interposition = class "Interposition"

--- Makes holder[name] what make(function that is there) returns. A name without a function is left
--- alone.
function Interposition:put(holder, name, make)
  local was = rawget(holder, name)
  if type(was) ~= "function" then return end
  self[#self + 1] = {holder, name, was}
  rawset(holder, name, make(was))
end

--- Puts all functions back.
function Interposition:close()
  for i = #self, 1, -1 do
    rawset(self[i][1], self[i][2], self[i][3])
    self[i] = nil
  end
end

return Interposition

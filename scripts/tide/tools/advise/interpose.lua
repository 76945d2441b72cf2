-- Replaces functions until they are restored.
local class = require "tide.internal.class"

-- A list of {holder, name, original function}.
local Interposition = class "Interposition"

--- Replaces holder[name] by make(holder[name]). A name without a function is left alone.
function Interposition:put(holder, name, make)
  local was = rawget(holder, name)
  if type(was) ~= "function" then return end
  self[#self + 1] = {holder, name, was}
  rawset(holder, name, make(was))
end

--- Restores all functions.
function Interposition:close()
  for i = #self, 1, -1 do
    rawset(self[i][1], self[i][2], self[i][3])
    self[i] = nil
  end
end

return Interposition

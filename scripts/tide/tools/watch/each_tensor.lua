-- The tensors in what modules take and give.
local tide = require "tide"

--- Calls fn(tensor) for all tensors of a floating type with elements in a value: a tensor, or tables of them.
local function each_tensor(value, fn, above)
  if tide.is_tensor(value) then
    if value:is_floating_point() and value:numel() > 0 then fn(value) end
  elseif type(value) == "table" and not (above and above[value]) then
    above = above or {}
    above[value] = true
    for _, entry in next, value do each_tensor(entry, fn, above) end
  end
end

return each_tensor

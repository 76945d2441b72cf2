-- Compares a picture with the one expected.
local tide = require "tide"

local nearness = {}

--- Nothing if the tensors have one type and shape and no elements that are further apart than
--- `most`, else what differs.
function nearness.difference(got, expected, most)
  if not tide.is_tensor(got) then return ("%s, expected a tensor"):format(type(got)) end
  if got.dtype ~= expected.dtype then return ("type %s, expected %s"):format(got.dtype, expected.dtype) end
  local shape, wanted = table.concat(got.shape, ", "), table.concat(expected.shape, ", ")
  if shape ~= wanted then return ("shape (%s), expected (%s)"):format(shape, wanted) end
  local largest = (got:cpu():to("float64") - expected:to("float64")):abs():max():item()
  if not (largest <= most) then return ("differs by %.6g, allowed are %.6g"):format(largest, most) end
end

return nearness

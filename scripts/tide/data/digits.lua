-- data.digits: the handwritten digits that come with tide (see data/README.md for who made them).
local tide = require "tide"

--- images (1797, 8, 8) with values 0..16 and labels (1797) with values 0..9, both uint8 on the cpu.
local function digits()
  local arrays = tide.np.load_embedded "data/digits.npz"
  return arrays.images, arrays.labels
end

return digits

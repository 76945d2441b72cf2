-- data.digits: the handwritten digits included in tide (see data/README.md for their authors).
local checked = require "tide.internal.declare.checked"
local tide = require "tide"

--- Images (1797, 8, 8) and labels of handwritten digits.
---@example
--- local images, labels = tide.data.digits()
--- images.shape, labels.shape --> {1797, 8, 8}, {1797}
local digits = checked("data.digits", function()
  local arrays = tide.np.load_embedded "data/digits.npz"
  return arrays.images, arrays.labels
end)

return digits

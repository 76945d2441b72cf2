-- Describes sizes of matmuls and convolutions that are unsuitable for Tensor Cores.
local native = require "tide.native"

local tensor_cores = {}

--- "k = 30 (32), n = 10 (16)": the sizes of a matmul or a convolution that are not multiples of the required number,
--- with the next multiples; and this number. nil if all are multiples, and for work that Tensor Cores do not do.
--- `part`: a row of the parts of a profile.
function tensor_cores.misfits(part)
  local misfits, tile = native.estimate.misfits(part)
  local texts = {}
  for i, entry in ipairs(misfits) do
    local name, size = table.unpack(entry)
    texts[i] = ("%s = %d (%d)"):format(name, size, (size + tile - 1) // tile * tile)
  end
  if texts[1] then return table.concat(texts, ", "), tile end
end

return tensor_cores

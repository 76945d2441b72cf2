-- Which products and convolutions the Tensor Cores take, in words.
local native = require "tide.native"

local tensor_cores = {}

--- "k = 30 (32), n = 10 (16)": the sizes of a matmul or a convolution that are not multiples, with
--- the next ones that are; and what they are to be multiples of. nil if all are, and for what is no
--- work for Tensor Cores. `part`: a row of the parts of a profile.
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

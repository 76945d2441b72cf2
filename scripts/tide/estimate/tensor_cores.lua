-- Which products and convolutions the Tensor Cores take: by their type and sizes.
local tensor_cores = {}

--- What sizes are to be multiples of: 16 bytes.
tensor_cores.tiles = {float16 = 8, bfloat16 = 8, int8 = 16, uint8 = 16}

--- The sizes that a product or a convolution multiplies along, as {name, size}. `part`: a row of
--- the parts of a profile. nil: it is neither.
local function sizes_of(part)
  local a, b = part.inputs and part.inputs[1], part.inputs and part.inputs[2]
  if part.name == "matmul" then
    local sizes = {{"k", a[#a]}, {"n", b[#b]}}
    -- A single row, or a few, is no matrix.
    if #a > 1 and a[#a - 1] >= tensor_cores.tiles[part.dtype] then
      table.insert(sizes, 1, {"m", a[#a - 1]})
    end
    return sizes
  elseif part.name == "conv2d" then
    return {{"input channels", b[2]}, {"output channels", b[1]}}
  end
end

--- "k = 30 (32), n = 10 (16)": the sizes that are no multiples, with the next ones that are; nil if
--- all are, and for what is no work for Tensor Cores.
function tensor_cores.misfits(part)
  local tile, texts = tensor_cores.tiles[part.dtype], {}
  for _, entry in ipairs(tile and sizes_of(part) or {}) do
    local name, size = table.unpack(entry)
    if size % tile ~= 0 then
      texts[#texts + 1] = ("%s = %d (%d)"):format(name, size, (size + tile - 1) // tile * tile)
    end
  end
  return texts[1] and table.concat(texts, ", ")
end

return tensor_cores

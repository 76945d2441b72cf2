-- Convolutions and transposed convolutions.
local F = require "tide.nn.functional"
local values = require "tide.onnx.values"
local windows = require "tide.onnx.windows"

local ops = {}

local kConv <const> = {F.conv1d, F.conv2d, F.conv3d}
local kConvTranspose <const> = {F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d}

--- The sizes of a weight's windows.
local function kernel_of(weight)
  local shape = weight.shape
  return table.move(shape, 3, #shape, 1, {})
end

function ops.Conv(node, x, weight, bias)
  local sizes = windows.spatial(x)
  local window = windows.of(node, sizes, kernel_of(weight))
  local padding = window.before
  if not windows.is_symmetric(window) then
    x, padding = F.pad(x, windows.pad_list(window.before, window.after)), 0
  end
  return kConv[#sizes](x, weight, {
    bias = bias, stride = window.strides, padding = padding, dilation = window.dilations,
    groups = node.attributes.group or 1,
  })
end

--- How much of the whole result to leave off before and after, by output_shape or auto_pad.
local function set_crop(node, window, sizes, extra)
  local wanted = node.attributes.output_shape
  local auto = node.attributes.auto_pad or "NOTSET"
  if not wanted and auto ~= "SAME_UPPER" and auto ~= "SAME_LOWER" then return end
  if wanted and #wanted > #sizes then
    wanted = table.move(wanted, #wanted - #sizes + 1, #wanted, 1, {})
  end
  for d, size in ipairs(sizes) do
    local stride = window.strides[d]
    local target = wanted and wanted[d] or size * stride
    local total = stride * (size - 1) + extra[d] + windows.reach(window, d) - target
    local half = total < 0 and -(-total // 2) or total // 2
    window.before[d] = auto == "SAME_LOWER" and total - half or half
    window.after[d] = total - window.before[d]
  end
end

function ops.ConvTranspose(node, x, weight, bias)
  local sizes = windows.spatial(x)
  local window = windows.of(node, sizes, kernel_of(weight))
  local extra = windows.list_of(node, "output_padding", #sizes, 0)
  set_crop(node, window, sizes, extra)
  local y = kConvTranspose[#sizes](x, weight, {
    stride = window.strides, dilation = window.dilations, groups = node.attributes.group or 1,
  })
  local before, after, cropped = {}, {}, false
  for d in ipairs(sizes) do
    before[d], after[d] = -window.before[d], extra[d] - window.after[d]
    cropped = cropped or before[d] ~= 0 or after[d] ~= 0
  end
  if cropped then y = F.pad(y, windows.pad_list(before, after)) end
  if not bias then return y end
  return y + bias:reshape(-1, table.unpack(values.filled(#sizes, 1)))
end

return ops

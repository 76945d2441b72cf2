-- Convolutions and transposed convolutions.
local F = require "tide.nn.functional"
local raise = require "tide.internal.raise"
local tide = require "tide"
local values = require "tide.onnx.values"
local windows = require "tide.onnx.windows"

local ops = {}

ops.attributes = {
  Conv = "auto_pad dilations group kernel_shape pads strides",
  ConvTranspose = "auto_pad dilations group kernel_shape output_padding output_shape pads strides",
  DeformConv = "dilations group kernel_shape offset_group pads strides",
}

local kConv <const> = {F.conv1d, F.conv2d, F.conv3d}
local kConvTranspose <const> = {F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d}

--- The kernel sizes of a weight.
local function kernel_of(weight)
  local shape = weight.shape
  return table.move(shape, 3, #shape, 1, {})
end

--- Planes x in the layout in which the cpu convolves fastest, if no gradients are recorded. Results keep it, so that
--- most networks convert only their input. Second result: whether that is a copy.
local function arranged(x)
  local is_traced = type(x) ~= "userdata"
  if is_traced or tide.is_grad_enabled() or not x:is_cpu() or x.dtype ~= "float32"
    or x:is_contiguous "channels_last" then
    return x, false
  end
  return x:contiguous "channels_last", true
end

function ops.Conv(node, x, weight, bias)
  local sizes = windows.spatial(x)
  local window = windows.of(node, sizes, kernel_of(weight))
  local padding = window.before
  if not windows.is_symmetric(window) then
    x, padding = F.pad(x, windows.pad_list(window.before, window.after)), 0
  end
  local is_copy = false
  if #sizes == 2 then x, is_copy = arranged(x) end
  local y = kConv[#sizes](x, weight, {
    bias = bias, stride = window.strides, padding = padding, dilation = window.dilations,
    groups = node.attributes.group or 1,
  })
  if is_copy then x:free() end
  return y
end

--- A convolution that samples x at offset positions, interpolated between pixels. Offsets are (n, offset groups *
--- kernel elements * 2, height, width), rows before columns.
function ops.DeformConv(node, x, weight, offset, bias, mask)
  local sizes = windows.spatial(x)
  if #sizes ~= 2 then raise("expected 2 spatial dimensions, got %d", #sizes) end
  local window = windows.of(node, sizes, kernel_of(weight))
  local groups, parts = node.attributes.group or 1, node.attributes.offset_group or 1
  local n, channels, height, width = table.unpack(x.shape)
  local rows, columns = offset:size(3), offset:size(4)
  local kernel, samples_per_window = window.kernel, window.kernel[1] * window.kernel[2]
  local options = {dtype = x.dtype, device = x.device}
  local moved = offset:reshape(n * parts, samples_per_window, 2, rows, columns)
  local shares = mask and mask:reshape(n * parts, samples_per_window, 1, rows, columns)
  local image, samples = x:reshape(n * parts, channels // parts, height, width), {}
  local top = (tide.arange(rows, options) * window.strides[1] - window.before[1]):unsqueeze(2)
  local left = tide.arange(columns, options) * window.strides[2] - window.before[2]
  local function in_grid(pixel, size) return pixel * (2 / math.max(size - 1, 1)) - 1 end
  for k = 1, samples_per_window do
    local down, right = (k - 1) // kernel[2] * window.dilations[1], (k - 1) % kernel[2] * window.dilations[2]
    local y, z = moved:select(2, k):select(2, 1) + top + down, moved:select(2, k):select(2, 2) + left + right
    local grid = tide.stack({in_grid(z, width), in_grid(y, height)}, -1)
    local sample = F.grid_sample(image, grid, {align_corners = true})
    samples[k] = shares and sample * shares:select(2, k) or sample
  end
  local outputs = weight:size(1)
  local gathered = tide.stack(samples, 3):reshape(n, groups, -1, rows * columns)
  local y = weight:reshape(groups, outputs // groups, -1):matmul(gathered):reshape(n, outputs, rows, columns)
  return bias and y + bias:reshape(-1, 1, 1) or y
end

--- Sets how much of the full result to crop before and after, by output_shape or auto_pad.
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

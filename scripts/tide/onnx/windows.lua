-- Shared by convolutions and pools: pads, strides and dilations of their windows.
local raise = require "tide.internal.raise"
local values = require "tide.onnx.values"

local windows = {}

--- The extent of a window along dimension d.
local function reach(window, d) return (window.kernel[d] - 1) * window.dilations[d] + 1 end
windows.reach = reach

--- Sets the pads of auto_pad SAME for the sizes of an input: the output size is size / stride, rounded up.
local function same_pads(window, sizes, upper)
  for d, size in ipairs(sizes) do
    local stride = window.strides[d]
    local count = (size + stride - 1) // stride
    local total = math.max(0, (count - 1) * stride + reach(window, d) - size)
    window.before[d] = upper and total // 2 or total - total // 2
    window.after[d] = total - window.before[d]
  end
end

--- A list with a number for each spatial dimension.
local function list_of(node, name, rank, default)
  local list = node.attributes[name] or values.filled(rank, default)
  if #list ~= rank then raise("%s: expected %d numbers, got %d", name, rank, #list) end
  return list
end
windows.list_of = list_of

--- The windows of a node over spatial dimensions of these sizes: {kernel, strides, dilations, before,
--- after}, lists with a number for each. `kernel` is the weight's, for nodes without the attribute.
function windows.of(node, sizes, kernel)
  local a, rank = node.attributes, #sizes
  local window = {
    kernel = a.kernel_shape or kernel, strides = list_of(node, "strides", rank, 1),
    dilations = list_of(node, "dilations", rank, 1), before = {}, after = {},
  }
  if not window.kernel or #window.kernel ~= rank then
    raise("kernel_shape: expected %d numbers", rank)
  end
  for d = 1, rank do
    if window.kernel[d] < 1 or window.strides[d] < 1 or window.dilations[d] < 1 then
      raise "kernel_shape, strides and dilations must be positive"
    end
  end
  local auto = a.auto_pad or "NOTSET"
  if auto == "SAME_UPPER" or auto == "SAME_LOWER" then
    same_pads(window, sizes, auto == "SAME_UPPER")
  else
    local given = auto ~= "VALID" and a.pads or values.filled(2 * rank, 0)
    if #given ~= 2 * rank then raise("pads: expected %d numbers, got %d", 2 * rank, #given) end
    for d = 1, rank do window.before[d], window.after[d] = given[d], given[rank + d] end
  end
  return window
end

--- The sizes of x after batch and channels.
function windows.spatial(x)
  local shape = x.shape
  if #shape < 3 or #shape > 5 then
    raise("expected 1 to 3 spatial dimensions, got (%s)", table.concat(shape, ", "))
  end
  return table.move(shape, 3, #shape, 1, {})
end

--- Whether pads are the same before and after, as tide's own ops require.
function windows.is_symmetric(window)
  for d, before in ipairs(window.before) do
    if before ~= window.after[d] or before < 0 then return false end
  end
  return true
end

--- Pads before and after in F.pad's format: the last dimension first.
function windows.pad_list(before, after)
  local list = {}
  for d = #before, 1, -1 do
    list[#list + 1] = before[d]
    list[#list + 1] = after[d]
  end
  return list
end

return windows

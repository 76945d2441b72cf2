-- Ops on 8-bit integers with scales and zero points, and matmuls that quantize their input.
local activations = require "tide.onnx.ops.activations"
local F = require "tide.nn.functional"
local pools = require "tide.onnx.ops.pools"
local quantized = require "tide.onnx.quantized"
local recurrence = require "tide.onnx.recurrence"
local tide = require "tide"

local kPool <const> = "auto_pad ceil_mode channels_last count_include_pad dilations kernel_shape pads strides"

local ops = {
  state = {
    QLinearAdd = {2, 3, 5, 6, 7, 8}, QLinearMul = {2, 3, 5, 6, 7, 8}, QLinearAveragePool = {2, 3, 4, 5},
    QLinearGlobalAveragePool = {2, 3, 4, 5}, QLinearLeakyRelu = {2, 3, 4, 5}, QLinearSigmoid = {2, 3, 4, 5},
    QLinearSoftmax = {2, 3, 4, 5}, QLinearConcat = {1, 2}, DynamicQuantizeMatMul = {2, 3, 4},
    MatMulIntegerToFloat = {2, 3, 4, 5, 6}, DynamicQuantizeLSTM = {2, 3, 9, 10, 11, 12},
  },
}

ops.attributes = {
  DynamicQuantizeLSTM = "activation_alpha activation_beta activations clip direction hidden_size input_forget",
  QLinearAveragePool = kPool,
  QLinearConcat = "axis",
  QLinearGlobalAveragePool = "channels_last",
  QLinearLeakyRelu = "alpha",
  QLinearSoftmax = "axis opset",
}

--- The dequantized values of x.
local function real(x, scale, zero_point) return quantized.centered(x, zero_point, -1, "float32") * scale end

--- y quantized to the dtype of x.
local function back(y, scale, zero_point, x) return quantized.quantize(y, scale, zero_point, 1, x.dtype) end

function ops.QLinearAdd(_, a, a_scale, a_zero, b, b_scale, b_zero, scale, zero)
  return back(real(a, a_scale, a_zero) + real(b, b_scale, b_zero), scale, zero, a)
end

function ops.QLinearMul(_, a, a_scale, a_zero, b, b_scale, b_zero, scale, zero)
  return back(real(a, a_scale, a_zero) * real(b, b_scale, b_zero), scale, zero, a)
end

--- Each part has its own scale and zero point.
function ops.QLinearConcat(node, scale, zero, ...)
  local given, parts = {...}, {}
  for i = 1, #given, 3 do parts[#parts + 1] = real(given[i], given[i + 1], given[i + 2]) end
  local axis = node.attributes.axis
  return back(tide.cat(parts, axis < 0 and axis or axis + 1), scale, zero, given[1])
end

--- pool(x) with channels second, for nodes with channels last.
local function with_channels(node, x, pool)
  if node.attributes.channels_last ~= 1 then return pool(x) end
  return pool(x:movedim(-1, 2)):movedim(2, -1)
end

function ops.QLinearAveragePool(node, x, x_scale, x_zero, scale, zero)
  local y = with_channels(node, real(x, x_scale, x_zero), function(own) return pools.AveragePool(node, own) end)
  return back(y, scale, zero, x)
end

function ops.QLinearGlobalAveragePool(node, x, x_scale, x_zero, scale, zero)
  local y = with_channels(node, real(x, x_scale, x_zero), function(own) return pools.GlobalAveragePool(node, own) end)
  return back(y, scale, zero, x)
end

function ops.QLinearLeakyRelu(node, x, x_scale, x_zero, scale, zero)
  return back(activations.LeakyRelu(node, real(x, x_scale, x_zero)), scale, zero, x)
end

function ops.QLinearSigmoid(_, x, x_scale, x_zero, scale, zero)
  return back(real(x, x_scale, x_zero):sigmoid(), scale, zero, x)
end

--- `opset` selects the version of Softmax.
function ops.QLinearSoftmax(node, x, x_scale, x_zero, scale, zero)
  local a = node.attributes
  local y = activations.Softmax({attributes = {axis = a.axis}, version = a.opset}, real(x, x_scale, x_zero))
  return back(y, scale, zero, x)
end

--- The matrix product of 8-bit integers as floats, with a bias.
local function product(a, a_zero, b, b_zero, scale, bias)
  local y = quantized.centered(a, a_zero, -1, "float32"):matmul(quantized.centered(b, b_zero, -1, "float32")) * scale
  return bias and y + bias or y
end

function ops.MatMulIntegerToFloat(_, a, b, a_scale, b_scale, a_zero, b_zero, bias)
  return product(a, a_zero, b, b_zero, a_scale * quantized.along(b_scale, b, -1), bias)
end

function ops.DynamicQuantizeMatMul(_, a, b, b_scale, b_zero, bias)
  local numbers, scale, zero = quantized.dynamic(a)
  return product(numbers, zero, b, b_zero, scale * quantized.along(b_scale, b, -1), bias)
end

--- A scale or zero point of one direction: a single value, or one for each column.
local function of_direction(value, direction)
  if not value then return nil end
  return value:dim() == 2 and value:select(1, direction) or value:narrow(1, direction, 1)
end

--- The weights are transposed, unlike LSTM's; inputs are quantized together, states at each step.
function ops.DynamicQuantizeLSTM(node, x, w, r, b, lengths, h, c, p, w_scale, w_zero, r_scale, r_zero)
  local function quantizing(weight, scale, zero, direction)
    local own_scale, own_zero = of_direction(scale, direction), of_direction(zero, direction)
    local own = quantized.centered(weight:select(1, direction), own_zero, -1, "float32") * own_scale
    return function(value, _, bias)
      local numbers, value_scale, value_zero = quantized.dynamic(value)
      return F.linear(real(numbers, value_scale, value_zero), own:t(), bias)
    end
  end
  return recurrence("LSTM", node, x, w:transpose(2, 3), r:transpose(2, 3), b, lengths, {h, c}, p, function(direction)
    return quantizing(w, w_scale, w_zero, direction), quantizing(r, r_scale, r_zero, direction)
  end)
end

return ops

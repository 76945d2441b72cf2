-- Ops of the domain com.microsoft; values as computed by ONNX Runtime 1.32.
local operators = require "tide.onnx.operators"
local tide = require "tide"
local test = require "tide.test"
local describe, it, close, raises = test.describe, test.it, test.close, test.raises

--- A function that computes an op with these attributes and number of outputs.
local function op(name, attributes, count)
  local call, outputs = operators.find("com.microsoft", name).call, {}
  for i = 1, count or 1 do outputs[i] = "y" .. i end
  local node = {op = name, attributes = attributes or {}, outputs = outputs, version = 1}
  return function(...) return call(node, ...) end
end

--- Sines of 0, step, 2 step, ... in a shape.
local function sines(device, step, ...)
  local sizes = {...}
  local count = 1
  for _, size in ipairs(sizes) do count = count * size end
  return (tide.arange(count, {dtype = "float64", device = device}) * step):sin():float():reshape(sizes)
end

--- Compares the elements of results with flat lists.
local function expect(lists, ...)
  local results = {...}
  for i, list in ipairs(lists) do close(results[i]:flatten():float(), list, {atol = 2e-5}) end
end

describe("fused ops", function(device)
  local function tensor(values) return tide.tensor(values, {device = device}) end
  local function wave(...) return sines(device, ...) end
  it("include variants of Gelu", function()
    local x, bias = tensor {-1, 0.5, 2}, tensor {0.5, 0, -0.5}
    expect({{-0.15429, 0.34571, 1.39957}}, op "FastGelu"(x, bias))
    expect({{-0.1542, 0.35039, 1.93566}}, op "QuickGelu"(x))
    expect({{-0.15427, 0.34573, 1.39979}}, op "BiasGelu"(x, bias))
    expect({{-0.15427, 0.34573, 1.39979}}, op "Gelu"(x + bias))
  end)
  it("include matmuls and convolutions with ops after them", function()
    expect({{0.03849, 0.16892, 0.01878, -0.13325}},
      op("FusedMatMul", {transBatchA = 1, transB = 1, alpha = 0.5})(wave(1, 2, 1, 3), wave(2, 1, 2, 3)))
    expect({{-0.06368, 0.16468, -0.01068, 0.67594}},
      op("FusedGemm", {activation = "LeakyRelu", activation_alpha = 0.2, alpha = 0.5, beta = 2.0})(
        wave(1, 2, 2), wave(2, 2, 2), wave(3, 2)))
    expect({{0.75, 0.75, -0.43968, -0.5}}, op("FusedConv", {activation = "Clip", activation_params = {-0.5, 0.75}})(
      wave(1, 1, 1, 3, 3), wave(2, 1, 1, 2, 2), tensor {0.5}, wave(3, 1, 1, 2, 2)))
    raises("the activation 'Swoosh' is not supported", op("FusedGemm", {activation = "Swoosh"}), wave(1, 2, 2),
      wave(1, 2, 2))
  end)
  it("normalize sums and embeddings", function()
    expect({
      {0, -0.56804, 1.28735, 0, -0.71363, 1.36621}, {0.13344, -0.97054}, {2.03154, 1.25296},
      {0, 0.79184, -0.39153, -0.1383, -0.72637, -2.04697},
    }, op("SkipLayerNormalization", nil, 4)(wave(1, 1, 2, 3), wave(2, 1, 2, 3), wave(3, 3), wave(4, 3), wave(5, 3)))
    expect({{0, 0.24339, -0.04197, 0, 0.0372, 0.476}}, op("SkipSimplifiedLayerNormalization", {epsilon = 1e-3})(
      wave(1, 1, 2, 3), wave(2, 1, 2, 3), wave(3, 3)))
    expect({{-0.31592, 1.13183, -0.49509, 1.49018, 1.48214, -2.46428}, {2}},
      op("EmbedLayerNormalization", {epsilon = 1e-2})(tensor {{1, 0, 2}}, tensor {{0, 1, 1}}, wave(1, 3, 2),
        wave(2, 4, 2), wave(3, 2, 2), tensor {1.0, 2}, tensor {0.5, -0.5}, tensor {{1, 1, 0}}))
  end)
end)

describe("fused attention", function(device)
  local function tensor(values) return tide.tensor(values, {device = device}) end
  local function wave(...) return sines(device, ...) end
  it("accepts masks of lengths, of ranges, and of keys, and a past", function()
    local x, weight, bias = wave(1, 2, 3, 4), wave(2, 4, 12), wave(3, 12)
    local attend, causal = op("Attention", {num_heads = 2}), op("Attention", {num_heads = 2, unidirectional = 1}, 2)
    local function first(y) return y:select(2, 1) end
    expect({{-1.12913, 2.34415, -1.92317, -0.01291, -1.52392, 1.83366, -1.08061, 0.00455}},
      first(attend(x, weight, bias)))
    expect({{-1.12687, 2.37062, -1.95257, -0.02424, 0.49638, 1.5293, -2.86683, 1.99071}},
      first(attend(x, weight, bias, tensor {2, 1})))
    expect({{-1.63383, 2.95768, -1.92517, -0.22106, -1.58968, 2.04935, -1.10711, -0.02746}},
      first(attend(x, weight, bias, tensor {3, 2, 1, 0})))
    expect({{0.56299, 0.28717, -1.89962, 2.42783, -2.01829, 2.15621, -1.2071, 0.08721}},
      causal(x, weight, bias, tensor {{1, 0, 1}, {1, 1, 0}}):select(2, 2))
    local y, present = causal(x, weight, bias, nil, wave(5, 2, 2, 2, 1, 2))
    expect({
      {0.59482, 0.3857, -0.85242, 0.23551, 0.17143, 1.24439, -1.35455, 1.00273},
      {0, -0.54402, 0.91295, -0.98803, 0.74511, -0.26237, -0.30481, 0.77389},
    }, first(y), present:select(-1, 1):select(-1, 1))
    raises("a mask of the shape (1, 1, 3, 3) is not supported", attend, x, weight, bias, tide.ones(1, 1, 3, 3))
    raises("3 heads do not divide (2, 3, 4)", op("Attention", {num_heads = 3}), x, weight, bias)
  end)
  it("accepts separate queries, keys and values", function()
    local q, k, v = wave(1, 1, 2, 4), wave(2, 1, 3, 4), wave(3, 1, 3, 4)
    expect({{0.41191, -0.71827, 0.17212, 0.69412, 0.11303, -0.43465, 0.32886, 0.55301}},
      op("MultiHeadAttention", {num_heads = 2})(q, k, v, wave(4, 12), tensor {{1, 1, 0}}, wave(5, 1, 2, 2, 3)))
    local causal = op("MultiHeadAttention", {num_heads = 2, unidirectional = 1, scale = 0.5}, 3)
    expect({{0, -0.22365, -0.46061, 0.57521, -0.16091, -0.23739, -0.55655, 0.6616}}, causal(q, wave(2, 1, 2, 4),
      wave(3, 1, 2, 4), nil, nil, nil, wave(4, 1, 2, 1, 2), wave(5, 1, 2, 1, 2)))
    -- Packed tensors hold the same numbers.
    local packed = tide.stack({q:unflatten(3, {2, 2}), q:unflatten(3, {2, 2}), q:unflatten(3, {2, 2})}, 4)
    local attend = op("MultiHeadAttention", {num_heads = 2})
    close(attend(packed), attend(q, q, q):tolist())
    close(attend(q, packed:narrow(4, 1, 2)), attend(q, q, q):tolist())
  end)
  it("rotates features by positions", function()
    expect({{-0.55284, -0.23512, -0.34679, 0.55797, 1.356, -0.23516, -0.50089, -0.62931}},
      op("RotaryEmbedding")(wave(1, 1, 2, 4), tensor {1}, wave(6, 4, 1), wave(7, 4, 1)))
  end)
end)

describe("ops on 8-bit integers", function(device)
  local function u8(values) return tide.tensor(values, {dtype = "uint8", device = device}) end
  local function number(value) return tide.tensor(value, {device = device}) end
  local function zero(value) return u8(value) end
  local x = u8 {{0, 100, 255}, {7, 130, 200}}
  local own = {number(0.02), zero(120)}
  it("compute with dequantized values", function()
    local b = u8 {1, 50, 250}
    local function both(name)
      return op(name)(x, own[1], own[2], b, number(0.03), zero(130), number(0.05), zero(125))
    end
    expect({{0, 69, 251, 2, 81, 229}}, both "QLinearAdd")
    expect({{255, 144, 255, 255, 115, 240}}, both "QLinearMul")
    expect({{20, 87, 190, 0, 60, 255, 25, 107, 153, 0, 100, 193}}, op("QLinearConcat", {axis = 1})(
      number(0.03), zero(100), x, own[1], own[2], x, number(0.04), zero(130)))
    local to = {number(0.03), zero(130)}
    expect({{114, 127, 220, 115, 137, 183}}, op("QLinearLeakyRelu", {alpha = 0.2})(x, own[1], own[2], to[1], to[2]))
    expect({{90, 164}}, op("QLinearAveragePool", {kernel_shape = {2, 2}})(
      x:reshape(1, 1, 2, 3), own[1], own[2], to[1], to[2]))
    expect({{127}}, op("QLinearGlobalAveragePool", {channels_last = 1})(
      x:reshape(1, 2, 3, 1), own[1], own[2], to[1], to[2]))
    expect({{21, 100, 234, 24, 137, 208}}, op("QLinearSigmoid")(x, own[1], own[2], number(0.004), zero(0)))
    -- By hand: ONNX Runtime's table of exponentials has errors of up to a step.
    expect({{1, 11, 238, 4, 49, 197}}, op("QLinearSoftmax", {axis = -1, opset = 13})(
      x, own[1], own[2], number(0.004), zero(0)))
  end)
  it("quantize the input of a matmul first", function()
    local b, scale, zeros = u8 {{1, 200}, {90, 30}, {128, 7}}, number {0.02, 0.01}, u8 {128, 100}
    expect({{-0.14032, -1.93465, 0.71994, 1.06}}, op("DynamicQuantizeMatMul")(
      sines(device, 1, 2, 3), b, scale, zeros, number {0.5, -0.5}))
    expect({{6.9, -5.131, 6.0884, -4.388}}, op("MatMulIntegerToFloat")(
      x, b, own[1], scale, own[2], zeros, number {0.5, -0.5}))
  end)
  it("can be the weights of an LSTM", function()
    local function bytes(step)
      return (tide.arange(16, {device = device}) * step):remainder(256):to("uint8"):reshape(1, 2, 8)
    end
    expect({{-0.1203, -0.12341, -0.02325, -0.17976, -0.08516, 0.21802}, {-0.08516, 0.21802}, {-0.1237, 0.60819}},
      op("DynamicQuantizeLSTM", {hidden_size = 2}, 3)(sines(device, 1, 3, 1, 2), bytes(37), bytes(53),
        sines(device, 2, 1, 16), nil, nil, nil, nil, number {0.01}, u8 {120}, number {0.012}, u8 {130}))
  end)
end)

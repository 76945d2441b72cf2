-- tide.onnx.save: loaded files compute the same results; modules that cannot be saved.
local native = require "tide.native"
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, raises = test.same_type, test.raises
local F, nn = tide.nn.functional, tide.nn

local here = debug.getinfo(1, "S").source:match "^@(.*)/" or "."
local own_folder = dofile(here .. "/../support/own_folder.lua")

local Lambda = tide.class("Lambda", nn.Module)

function Lambda:init(fn) self.fn = fn end

function Lambda:forward(...) return self.fn(...) end

describe("tide.onnx.save", function(device)
  local folder = own_folder()
  test.before_each(function() tide.manual_seed(1) end)

  local function save(module, inputs, options)
    local path = folder() .. "/model.onnx"
    tide.onnx.save(module:to(device), inputs, path, options)
    return path
  end

  local function on_device(...)
    local list = {...}
    for i, x in ipairs(list) do list[i] = x:to(device) end
    return list
  end

  local function close(got, expected)
    equal(got.shape, expected.shape)
    equal(got.dtype, expected.dtype)
    test.is_true(got:to("float64"):allclose(expected:to("float64"), {rtol = 1e-4, atol = 1e-5}))
  end

  --- Saves and loads; outputs must be the same, also for `other` inputs.
  local function round_trip(module, inputs, options, other)
    local loaded = tide.onnx.load(save(module, inputs, options), {device = device})
    module:eval()
    local _ <close> = tide.no_grad()
    for _, given in ipairs {inputs, other} do
      local expected = table.pack(module(table.unpack(given)))
      local got = table.pack(loaded(table.unpack(given)))
      local place = 0
      local function compare(value)
        if not tide.is_tensor(value) then
          for _, entry in ipairs(value) do compare(entry) end
          return
        end
        place = place + 1
        close(got[place], value)
      end
      for i = 1, expected.n do compare(expected[i]) end
      equal(got.n, place)
    end
  end

  it("preserves an MLP, its names and a batch of another size", function()
    local net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(), nn.Linear(8, 3),
      nn.Softmax(2))
    local options = {input_names = {"x"}, output_names = {"p"}, dynamic_axes = {x = {1}, p = {1}}}
    round_trip(net, on_device(tide.randn(2, 4)), options, on_device(tide.randn(7, 4)))
    test.is_false(net[1].training)
    local message = native.read_onnx(folder() .. "/model.onnx", "ModelProto")
    local names = {}
    for i, tensor in ipairs(message.graph.initializer) do names[i] = tensor.name end
    equal(names, {"0.weight", "0.bias", "3.weight", "3.bias"})
    equal(message.graph.input[1].type.tensor_type.shape.dim[1].dim_param, "x_dim_1")
    equal(message.graph.output[1].name, "p")
  end)

  it("preserves a convolutional network", function()
    round_trip(nn.Sequential(nn.Conv2d(3, 8, 3, {padding = 1, stride = 2}), nn.BatchNorm2d(8),
      nn.GELU(), nn.MaxPool2d(2), nn.ConvTranspose2d(8, 4, 3, {stride = 2, output_padding = 1}),
      nn.Hardswish(), nn.AvgPool2d(2), nn.SiLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten()),
      on_device(tide.randn(2, 3, 16, 16)), {dynamic_axes = {input_1 = {1}}},
      on_device(tide.randn(3, 3, 16, 16)))
  end)

  it("writes a model that was loaded", function()
    local x = tide.randn(2, 3, 9, 9)
    local net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 4, 1), nn.Flatten())
    round_trip(tide.onnx.load(save(net, on_device(x)), {device = device}), on_device(x))
  end)

  it("preserves a residual network", function()
    round_trip(tide.vision.models.resnet18 {num_classes = 5}, on_device(tide.randn(1, 3, 32, 32)),
      {dynamic_axes = {input_1 = {1}}}, on_device(tide.randn(2, 3, 32, 32)))
  end)

  it("preserves a layer of a transformer", function()
    local options = {dynamic_axes = {input_1 = {1, 2}}}
    round_trip(nn.TransformerEncoderLayer(8, 2, 16), on_device(tide.randn(5, 2, 8)), options,
      on_device(tide.randn(6, 3, 8)))
    round_trip(nn.TransformerEncoderLayer(8, 2, 16,
      {batch_first = true, norm_first = true, activation = "gelu"}), on_device(tide.randn(5, 2, 8)))
  end)

  it("preserves recurrent layers and their states", function()
    local x = tide.randn(5, 2, 4)
    round_trip(nn.LSTM(4, 6, 2, {bidirectional = true}), on_device(x),
      {dynamic_axes = {input_1 = {1, 2}}}, on_device(tide.randn(7, 3, 4)))
    round_trip(nn.GRU(4, 6, {batch_first = true}), on_device(x, tide.randn(1, 5, 6)))
    round_trip(nn.LSTM(4, 6, {bias = false}),
      on_device(x, tide.randn(1, 2, 6), tide.randn(1, 2, 6)))
    round_trip(nn.RNN(4, 6), on_device(x))
  end)

  it("preserves embeddings and normalizations", function()
    round_trip(nn.Sequential(nn.Embedding(10, 4), nn.LayerNorm(4)),
      on_device(tide.tensor{{1, 10}, {3, 4}}))
    round_trip(nn.Sequential(nn.GroupNorm(2, 4), nn.InstanceNorm1d(4), nn.PReLU(4),
      nn.Upsample {scale_factor = 2}), on_device(tide.randn(2, 4, 6)))
    round_trip(nn.Sequential(nn.Upsample {scale_factor = 2, mode = "bilinear"}, nn.PixelShuffle(2),
      nn.ZeroPad2d(1)), on_device(tide.randn(1, 4, 3, 3)))
  end)

  it("preserves ops of a custom forward", function()
    for _, fn in ipairs {
      function(x) return (x * 2 + 1) / (x:abs() + 1), 3 - x, x:square():sum(2, true):sqrt() end,
      function(x) return x:max(2) end,
      function(x) return x:topk(2, 2) end,
      function(x) return x[{1, {2, 3}}], x[2], x[{{}, -1}], x:narrow(2, 2, 2) end,
      function(x) return tide.cat({x, -x}, 2):chunk(2, 2) end,
      function(x) return tide.stack({x, x:exp()}, 1):permute(3, 1, 2):reshape(-1, 2) end,
      function(x) return tide.where(x:gt(0), x, x * 0.1), x:masked_fill(x:lt(0), 5.0) end,
      function(x) return x:clamp(-0.5, 0.5), x:clamp(0), x:argmax(2), x:to("int64") end,
      function(x) return x:mean(), x:amax({1, 2}), x:cumsum(2), x:tril(), x:flip(2) end,
      function(x) return x:div(0.3, {rounding_mode = "floor"}), F.pad(x, {1, 2}) end,
      function(x) return F.scaled_dot_product_attention(x, x, x, {is_causal = true}) end,
      function(x) return x:unsqueeze(1):expand(3, 3, 4), x:repeat_dims(2, 1), x:t():matmul(x) end,
    } do
      round_trip(Lambda(fn), on_device(tide.randn(3, 4)))
    end
  end)

  it("computes values that depend on dynamic sizes", function()
    local function open(fn, first, other, axes)
      round_trip(Lambda(fn), on_device(tide.randn(first)), {dynamic_axes = {input_1 = axes or {1}}},
        on_device(tide.randn(other)))
    end
    local small, large = {2, 3}, {5, 3}
    open(function(x) return x:sum(1) / x:size(1) end, small, large)
    open(function(x) return x[x:size(1)], x:narrow(1, 2, x:size(1) - 1) end, small, large)
    open(function(x) return tide.cat({x, tide.ones(x:size(1), 2, {device = device})}, 2) end, small, large)
    open(function(x) return x * tide.arange(1, x:size(1) + 1, {device = device}):unsqueeze(2) end, small, large)
    open(function(x) return x:reshape(1, x:size(1) * 3), x:unsqueeze(1):expand(4, x:size(1), 3) end, small, large)
    open(function(x) return F.scaled_dot_product_attention(x, x, x, {is_causal = true}) end, {1, 4, 8}, {3, 7, 8},
      {1, 2})
    open(function(x) return F.interpolate(x, {size = {x:size(3) * 2, x:size(4)}}) end, {1, 2, 4, 5}, {2, 2, 6, 8},
      {1, 3, 4})
    open(function(x) return x[{{}, {1, 2}}] * x:size(1) + x:size(2) end, small, {4, 6}, {1, 2})
  end)

  it("makes dimensions of two inputs dynamic together, and names those of outputs", function()
    local path = save(Lambda(function(a, b) return a:matmul(b), a:reshape(a:size(1) * 12) end),
      on_device(tide.randn(2, 3, 4), tide.randn(2, 4, 5)),
      {input_names = {"a", "b"}, dynamic_axes = {a = {1}, b = {1}}})
    local graph = native.read_onnx(path, "ModelProto").graph
    local function dims(info)
      local list = {}
      for i, dim in ipairs(info.type.tensor_type.shape.dim) do list[i] = dim.dim_param or dim.dim_value end
      return list
    end
    equal(dims(graph.input[2]), {"a_dim_1", 4, 5})
    equal(dims(graph.output[1]), {"a_dim_1", 3, 5})
    equal(dims(graph.output[2]), {"output_2_dim_1"})
  end)

  it("rejects sizes that cannot be dynamic, with the dimension and the op", function()
    local function refuse(message, fn, first, axes)
      raises(message, save, Lambda(fn), on_device(tide.randn(first)), {dynamic_axes = {input_1 = axes or {1}}})
    end
    refuse("dimension 1 of 'input_1' is fixed by the op 'mul': its constant is (2.0), (2.0) and (3.0) "
      .. "at the sizes 4, 5 and 6", function(x) return x * (x:size(1) // 2 + 0.0) end, {4, 3})
    refuse("dimension 1 of 'input_1' is fixed by the op 'matmul': its constant is of shape (2, 2), of shape (3, 3)",
      function(x) return tide.eye(x:size(1), {device = device}):matmul(x) end, {2, 3})
    refuse("dimension 1 of 'input_1': the op 'relu' depends on the size of the example",
      function(x) return x:size(1) > 2 and x:relu() or x end, {2, 3})
    refuse("dimension 2 of 'input_1' is fixed by the op 'add'", function(x) return x + x:size(1) * x:size(2) end,
      {2, 3}, {1, 2})
    raises("dimension 2 of 'input_1': forward accepts no other size than 3: at 4: ", save, nn.Linear(3, 2),
      on_device(tide.randn(2, 3)), {dynamic_axes = {input_1 = {2}}})
    raises("dynamic_axes: no input or output is called 'x'", save, nn.Linear(3, 2), on_device(tide.randn(2, 3)),
      {dynamic_axes = {x = {1}}})
    raises("dynamic_axes: 'n' is 2 in dimension 1 of 'input_1' and 3 in dimension 2 of 'input_1'", save,
      nn.ReLU(), on_device(tide.randn(2, 3)), {dynamic_axes = {input_1 = {"n", "n"}}})
  end)

  it("does not change the module", function()
    local net = nn.Sequential(nn.LSTM(2, 2), Lambda(function(y) return y end)):train()
    net[2]:eval()
    save(net, on_device(tide.randn(3, 1, 2)))
    equal({net.training, net[1].training, net[2].training}, {true, true, false})
    test.is_nil(rawget(net[1], "forward"))
  end)

  it("names the op and the module that cannot be written", function()
    local net = nn.Sequential(nn.Linear(2, 2), Lambda(function(x) return x:erfinv() end))
    raises("module[2] (Lambda): save: the op 'erfinv' cannot be exported to ONNX", function()
      save(net, on_device(tide.ones(1, 2)))
    end)
    raises("which changes a tensor in place", function()
      save(Lambda(function(x) return x:add_(1) end), on_device(tide.ones(2)))
    end)
    raises("a graph cannot branch on it", function()
      save(Lambda(function(x) return x < 1 and x or -x end), on_device(tide.ones(1)))
    end)
    raises("adaptive_avg_pool1d from size 5 to 2 cannot be exported to ONNX", function()
      save(nn.AdaptiveAvgPool1d(2), on_device(tide.ones(1, 1, 5)))
    end)
  end)

  it("checks its arguments, and writes nothing if it fails", function()
    local net, x = nn.Linear(2, 2), tide.ones(1, 2)
    raises("save: argument 1 (module): expected module, got number", tide.onnx.save, 1, x, "x.onnx")
    raises("save: inputs: expected tensors", tide.onnx.save, net, {}, "x.onnx")
    raises("opset_version must be 17, got 9", tide.onnx.save, net, x, "x.onnx", {opset_version = 9})
    raises("save: dynamic_axes: 'input_1' has no dimension 3: it has 2", tide.onnx.save, net, x,
      "x.onnx", {dynamic_axes = {input_1 = {3}}})
    raises("save: input_names: 2 names for 1 tensors", tide.onnx.save, net, x, "x.onnx",
      {input_names = {"a", "b"}})
    test.is_nil(io.open("x.onnx"))
  end)

  it("writes files that ONNX's checker and reference agree with", function()
    local path = save(nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4), nn.GELU()),
      on_device(tide.full({2, 3}, 0.5)))
    local script = ([[import sys
try:
  import numpy, onnx, onnx.reference
except ImportError:
  sys.exit(3)
m = onnx.load("%s")
onnx.checker.check_model(m, full_check=True)
y = onnx.reference.ReferenceEvaluator(m).run(None, {"input_1": numpy.full((2, 3), 0.5, "float32")})
y[0].astype("float32").tofile("%s.values")]]):format(path, path)
    local _, _, code = os.execute(("python3 -c '%s' 2>/dev/null"):format(script))
    if code == 3 or code == 127 then
      print "skipped: there is no python3 with onnx"
      return
    end
    equal(code, 0)
    local file <close> = io.open(path .. ".values", "rb")
    local loaded = tide.onnx.load(path)
    local expected = tide.from_bytes(file:read "a", "float32", {2, 4})
    close(loaded(tide.full({2, 3}, 0.5)):detach(), expected)
  end)
end)

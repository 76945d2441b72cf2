-- Normalization in evaluation mode, and of values for which epsilon matters.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local close, equal, identical = test.close, test.same_type, test.identical
local nn, F = tide.nn, tide.nn.functional

describe("InstanceNorm", function(device)
  local place = {dtype = "float64", device = device}

  --- A layer with other weights than the initial ones, and its input (2, 2, 4).
  local function layer_and_input(options)
    for name, value in pairs(place) do options[name] = value end
    local layer = nn.InstanceNorm1d(2, options)
    if layer.weight then
      tide.no_grad(function()
        layer.weight:copy_(tide.tensor({0.5, 2}, place))
        layer.bias:copy_(tide.tensor({0.1, -0.3}, place))
      end)
    end
    local iota = tide.arange(16, place):reshape(2, 2, 4)
    return layer, (iota * 0.7):sin() * 2 + 1
  end

  -- The numbers are those of torch.nn.InstanceNorm1d.
  it("without running statistics computes the same in evaluation and in training", function()
    local layer, x = layer_and_input {affine = true, eps = 0.01}
    local trained = layer(x)
    layer:eval()
    identical(layer(x):detach(), trained:detach())
    close(trained:reshape(-1), tide.tensor({-0.7129834277807752, 0.12739233078895468,
      0.5725262388698915, 0.41306486408239407, 2.7658922255554375, 0.1457703196962762,
      -1.844018112603647, -2.2676444803317826, -0.6137159601849748, -0.09338354192621846,
      0.4205998111616592, 0.6864996969099986, 2.339590266032382, 0.7199358899705328,
      -1.3536354504083918, -2.905890753278239}, place), {rtol = 1e-12})
    equal(layer.running_mean, nil)
    local plain = layer_and_input {}
    close(plain:eval()(x)[{1, 1}], tide.tensor({-1.6399662699151782, 0.055256349006759645,
      0.9531892816656093, 0.6315206392428113}, place), {rtol = 1e-12})
  end)
  it("with running statistics updates them in training and uses them in evaluation", function()
    local layer, x = layer_and_input {affine = true, eps = 0.01, momentum = 0.3,
      track_running_stats = true}
    layer(x)
    layer(x * 2)
    local mean = tide.tensor({1.5235247230142752, 0.41668403102508633}, place)
    local var = tide.tensor({2.4818137210478075, 3.1455797504751235}, place)
    close(layer.running_mean, mean, {rtol = 1e-12})
    close(layer.running_var, var, {rtol = 1e-12})
    layer:eval()
    close(layer(x):detach():reshape(-1), tide.tensor({-0.06582477231450246, 0.34228299249954514,
      0.5584512986618171, 0.4810128140612395, 1.1110512004299975, -0.43313535177016715,
      -1.6058306114868919, -1.8554976742065115, -0.4657281305852271, -0.05517327441183461,
      0.3503720158636874, 0.5601734534048008, 2.2810853702702727, 1.0752713509920113,
      -0.4684786176167502, -1.6241148035606645}, place), {rtol = 1e-12})
    close(layer.running_mean, mean, {rtol = 1e-12})
    -- A single sample is normalized as in a batch.
    close(layer(x[2]), layer(x)[2], {rtol = 1e-12})
    layer:reset_running_stats()
    equal({layer.running_mean:tolist(), layer.running_var:tolist()}, {{0.0, 0.0}, {1.0, 1.0}})
  end)
end)

describe("lazy norms", function(device)
  it("infer their channels from batches and from single samples", function()
    local x = tide.arange(24, {dtype = "float64", device = device}):reshape(2, 3, 4)
    for _, input in ipairs {x, x[1]} do
      local layer = nn.LazyInstanceNorm1d({affine = true})
      equal(layer(input).shape, input.shape)
      equal({layer.num_features, layer.weight.shape, layer.weight.dtype}, {3, {3}, "float64"})
    end
  end)
  it("create their parameters on the device to which they were moved", function()
    local layer = nn.LazyBatchNorm1d():to("float64")
    layer(tide.ones({2, 3}, {dtype = "float64"}))
    equal(layer.running_mean.dtype, "float64")
    local module = nn.Module():to("float64")
    module:parameter("weight", {2})
    equal(module.weight.dtype, "float64")
  end)
end)

describe("BatchNorm", function(device)
  it("without running statistics also normalizes by the batch in evaluation", function()
    local layer = nn.BatchNorm1d(2, {track_running_stats = false, device = device,
      dtype = "float64"}):eval()
    local x = tide.tensor({{1, 10}, {3, 30}}, {device = device, dtype = "float64"})
    -- Two numbers at a distance d are normalized to +-1 / sqrt(1 + eps / (d / 2)^2).
    local a, b = 1 / math.sqrt(1 + 1e-5), 1 / math.sqrt(1 + 1e-7)
    close(layer(x), tide.tensor({{-a, -b}, {a, b}}, {dtype = "float64"}), {rtol = 1e-12})
    equal(layer.num_batches_tracked, nil)
  end)
end)

describe("rms_norm", function(device)
  it("uses the precision of its type as the default epsilon", function()
    local rows = {{1e-6, 2e-6, -3e-6}, {3e-8, -1e-8, 2e-8}}
    for dtype, eps in pairs {float64 = 2.0 ^ -52, float32 = 2.0 ^ -23} do
      local x = tide.tensor(rows, {dtype = dtype, device = device})
      local expected = {}
      for i, row in ipairs(rows) do
        local square = (row[1] ^ 2 + row[2] ^ 2 + row[3] ^ 2) / 3
        expected[i] = {}
        for j, value in ipairs(row) do expected[i][j] = value / math.sqrt(square + eps) end
      end
      expected = tide.tensor(expected, {dtype = dtype})
      local options = {rtol = dtype == "float64" and 1e-12 or 1e-5, atol = 0}
      close(F.rms_norm(x, {3}), expected, options)
      close(nn.RMSNorm(3, {dtype = dtype, device = device})(x):detach(), expected, options)
    end
  end)
end)

describe("spectral_norm", function(device)
  it("does not change its vectors in evaluation, and divides by the norm that they give", function()
    local place = {dtype = "float64", device = device}
    local layer = nn.Linear(2, 2, {bias = false, dtype = "float64", device = device})
    nn.utils.spectral_norm(layer)
    tide.no_grad(function()
      layer.weight_orig:copy_(tide.tensor({{3, 1}, {0, 2}}, place))
      layer.weight_u:copy_(tide.tensor({0.6, 0.8}, place))
      layer.weight_v:copy_(tide.tensor({0, 1}, place))
    end)
    layer:eval()
    local x = tide.eye(2, place)
    for _ = 1, 2 do
      -- u' W v = 0.6 * 1 + 0.8 * 2
      close(layer(x):detach(), tide.tensor({{3, 0}, {1, 2}}, place) / 2.2, {rtol = 1e-12})
      equal({layer.weight_u:tolist(), layer.weight_v:tolist()}, {{0.6, 0.8}, {0.0, 1.0}})
    end
    layer:train()
    layer(x)
    -- v = W' u and u = W v, normalized.
    local v = tide.tensor({1.8, 2.2}, place) / math.sqrt(1.8 ^ 2 + 2.2 ^ 2)
    local u = tide.tensor({3 * 1.8 + 2.2, 4.4}, place) / math.sqrt(7.6 ^ 2 + 4.4 ^ 2)
    close(layer.weight_v, v, {rtol = 1e-12})
    close(layer.weight_u, u, {rtol = 1e-12})
  end)
  it("takes the given number of steps in training", function()
    local place = {dtype = "float64", device = device}
    local layers = {}
    for i, count in ipairs {1, 3} do
      tide.manual_seed(1)
      layers[i] = nn.Linear(4, 5, {bias = false, dtype = "float64", device = device})
      nn.utils.spectral_norm(layers[i], {n_power_iterations = count})
    end
    layers[2]:load_state_dict(layers[1]:state_dict())
    local x = tide.ones({1, 4}, place)
    layers[2](x)
    for _ = 1, 3 do layers[1](x) end
    close(layers[1].weight_u, layers[2].weight_u, {rtol = 1e-12})
  end)
end)

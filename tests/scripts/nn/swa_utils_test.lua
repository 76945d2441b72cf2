-- optim.swa_utils: averages of lists, and recomputed batch norms.
local tide = require "tide"
local test = require "tide.test"
local describe, it, equal, raises = test.describe, test.it, test.same_type, test.raises
local nn, swa = tide.nn, tide.optim.swa_utils

describe("AveragedModel", function(device)
  it("averages with functions of lists as with functions of tensors", function()
    local net = nn.Linear(2, 2, {device = device})
    local pairs_of = {
      {swa.AveragedModel(net), swa.AveragedModel(net, {multi_avg_fn = swa.get_swa_multi_avg_fn()})},
      {swa.AveragedModel(net, {avg_fn = swa.get_ema_avg_fn(0.8)}),
        swa.AveragedModel(net, {multi_avg_fn = swa.get_ema_multi_avg_fn(0.8)})},
    }
    local sum = tide.zeros(2, 2, {device = device})
    for _ = 1, 3 do
      tide.no_grad(function() net.weight:normal_() end)
      sum = sum + net.weight:detach()
      for _, pair in ipairs(pairs_of) do
        for _, model in ipairs(pair) do model:update_parameters(net) end
      end
    end
    for _, pair in ipairs(pairs_of) do
      test.equal(pair[1].module.weight, pair[2].module.weight)
      equal(pair[1].n_averaged:item(), 3)
    end
    test.close(pairs_of[1][1].module.weight, sum / 3, {atol = 1e-6})
    raises("avg_fn and multi_avg_fn exclude each other", swa.AveragedModel, net,
      {avg_fn = swa.get_swa_avg_fn(), multi_avg_fn = swa.get_swa_multi_avg_fn()})
  end)
end)

describe("update_bn", function(device)
  it("averages over batches, and restores modes and momenta", function()
    local net = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2), nn.Dropout(0.5)):to(device)
    net:eval()
    net[2].momentum = 0.3
    local x = tide.rand(12, 3, {device = device})
    local y = net[1](x):detach()
    local means, variances = tide.zeros(2, {device = device}), tide.zeros(2, {device = device})
    for i = 1, 3 do
      local batch = y[{ {4 * i - 3, 4 * i} }]
      means, variances = means + batch:mean(1) / 3, variances + batch:var(1) / 3
    end
    local batches = {}
    for i = 1, 3 do batches[i] = {x[{ {4 * i - 3, 4 * i} }], "a label"} end
    local labels = tide.zeros(12)
    local loader = tide.data.DataLoader(tide.data.TensorDataset(x:cpu(), labels), {batch_size = 4})
    for _, source in ipairs {batches, loader} do
      swa.update_bn(source, net, device)
      test.close(net[2].running_mean, means, {atol = 1e-6})
      test.close(net[2].running_var, variances, {atol = 1e-6})
      equal(net[2].num_batches_tracked:item(), 3)
      equal({net.training, net[2].training, net[2].momentum}, {false, false, 0.3})
    end
    raises("argument 1 (loader): expected loader, got number", swa.update_bn, 3, net)
    swa.update_bn({}, nn.Linear(1, 1)) -- nothing to compute
  end)
end)

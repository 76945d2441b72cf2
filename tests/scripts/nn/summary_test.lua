-- module:summary: shapes, parameters and multiply-adds of the layers of a network.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, raises = test.equal, test.raises
local nn = tide.nn

describe("the summary of a network", function(device)
  local function small()
    return nn.Sequential({"conv", nn.Conv2d(3, 4, 3, {groups = 1, stride = 2})},
      {"norm", nn.BatchNorm2d(4)}, {"head", nn.Sequential(nn.Flatten(), nn.Linear(36, 5))}):to(device)
  end

  it("prints as a table", function()
    local net = small()
    net.norm.weight:requires_grad_(false)
    equal(tostring(net:summary({2, 3, 8, 8}, {depth = 1})), table.concat({
      "Layer               Output shape  Parameters  Mult-adds",
      "-------------------------------------------------------",
      "Sequential          (2, 5)               305      2,304",
      "  Conv2d conv       (2, 4, 3, 3)         112      1,944",
      "  BatchNorm2d norm  (2, 4, 3, 3)           8          -",
      "  Sequential head   (2, 5)               185        360",
      "-------------------------------------------------------",
      "Parameters: 305, trainable: 301, mult-adds: 2,304",
      "Memory: input 0.00 MB, outputs of layers 0.00 MB, parameters and buffers 0.00 MB",
    }, "\n"))
  end)
  it("has its values as fields", function()
    local summary = small():summary(tide.ones(2, 3, 8, 8, {device = device}))
    equal({summary.parameters, summary.trainable, summary.mult_adds}, {305, 305, 2304})
    equal(summary.input_bytes, 2 * 3 * 8 * 8 * 4)
    -- The convolution, the norm, the flattened and the last output.
    equal(summary.output_bytes, (72 + 72 + 72 + 10) * 4)
    -- Besides the parameters two statistics of 4 channels, and a count of 8 bytes.
    equal(summary.parameter_bytes, (305 + 8) * 4 + 8)
    local layer = summary.layers[2]
    equal({layer.name, layer.type, layer.depth, layer.parameters, layer.calls, layer.mult_adds},
      {"conv", "Conv2d", 1, 112, 1, 1944})
    equal(layer.output_shape, {2, 4, 3, 3})
    equal({summary.layers[1].parameters, summary.layers[1].total_parameters}, {0, 305})
  end)
  it("does not change the network", function()
    local net = small()
    net.head:eval()
    net:summary{2, 3, 8, 8}
    equal({net.training, net.norm.training, net.head.training}, {true, true, false})
    equal(net.norm.num_batches_tracked:item(), 0)
    raises("takes 3", net.summary, net, {2, 4, 8, 8})
    equal({net.training, net.head.training}, {true, false})
    equal(rawget(net.conv, "_hooks") == nil or #net.conv._hooks == 0, true)
  end)
  it("counts parameters of a layer that is called twice once, and its products each time", function()
    local layer = nn.Linear(3, 3)
    local summary = nn.Sequential(layer, layer):to(device):summary{5, 3}
    equal({summary.parameters, summary.mult_adds, #summary.layers}, {12, 90, 2})
    equal(summary.layers[2].calls, 2)
  end)
  it("counts products of other layers", function()
    local function products(net, ...) return net:to(device):summary(...).mult_adds end
    equal(products(nn.ConvTranspose2d(3, 4, 2), {1, 3, 5, 5}), 3 * 4 * 4 * 25)
    equal(products(nn.Conv1d(4, 6, 3, {groups = 2}), {2, 4, 9}), 6 * 2 * 3 * 2 * 7)
    equal(products(nn.LSTM(4, 5), {7, 2, 4}), 4 * 5 * (4 + 5) * 14)
    equal(products(nn.LazyLinear(3), {6, 4}), 6 * 4 * 3)
    -- Four projections of 10 rows, scores of 5 queries and 5 keys twice, and the sums that they weight.
    local x = tide.ones(5, 2, 8, {device = device})
    equal(products(nn.MultiheadAttention(8, 2), x, x, x), 4 * 64 * 10 + 2 * 2 * 25 * 8)
    local packed = nn.utils.rnn.pack_sequence({tide.ones(3, 4, {device = device}), tide.ones(2, 4, {device = device})})
    equal(products(nn.GRU(4, 5), packed), 3 * 5 * (4 + 5) * 5)
  end)
  it("requires an input or a shape", function()
    local net = nn.Linear(2, 2)
    raises("summary: expected an input, or its shape as a list, got nil", net.summary, net)
    raises("summary: expected an input, or its shape as a list, got number", net.summary, net, 5)
    raises("summary: unknown option 'dept'; did you mean 'depth'?: known are depth", net.summary, net, {1, 2}, {dept = 1})
  end)
end)

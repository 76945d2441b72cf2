-- tide.vision.models: results of torchvision's networks, their options and initial values. The
-- golden cases compare more of them, and their gradients.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local close, equal, raises = test.close, test.equal, test.raises
local models, nn = tide.vision.models, tide.nn

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local formula = dofile(here .. "/../../golden/vision_models.lua")

local function count(net)
  local numbers = 0
  for _, parameter in ipairs(net:parameters()) do numbers = numbers + parameter:numel() end
  return numbers
end

local function group_norm(channels) return nn.GroupNorm(8, channels) end

local stem = {{out_channels = 8, kernel_size = 3, stride = 4},
  {out_channels = 16, kernel_size = 3, stride = 8}}

-- {name, options, entries of the state_dict, parameters, output, size}: results of torchvision 0.27 with
-- 3 classes for an image of 64 x 64, or another size, with weights set by the formula.
local small <const> = {
  {"mobilenet_v3_small", {}, 244, 1520931, {0.237067, -0.0485275, -0.329076}},
  {"mnasnet0_5", {}, 314, 941355, {0.214436, -0.992193, 1.48299}},
  {"shufflenet_v2_x0_5", {}, 338, 344867, {0.148863, 0.54537, 0.788996}},
}
local others <const> = {
  {"mobilenet_v3_large", {reduced_tail = true, dilated = true, width_mult = 0.5}, 312, 522187,
    {0.0425154, 0.180916, -0.290549}},
  {"mobilenet_v2", {width_mult = 0.35, round_nearest = 4}, 314, 394691,
    {0.211935, -0.893879, 1.3285}},
  {"regnet_x_400mf", {}, 428, 5096179, {9.04791, -7.09383, 3.86466}},
  {"regnet_y_400mf", {stem_width = 16, activation = nn.SiLU}, 384, 3902079,
    {-1.71721, -1.40287, -1.07982}},
  {"googlenet", {aux_logits = false, transform_input = true}, 344, 5602979,
    {-1.02008, 0.444065, 1.78227}},
  {"resnet18", {norm_layer = group_norm}, 62, 11178051, {-0.385958, -0.663944, -0.877638}},
  {"resnet50", {replace_stride_with_dilation = {false, true, true}}, 320, 23514179,
    {939.232, 1674.28, 773.919}},
  {"resnet50", {groups = 4, width_per_group = 8}, 320, 8217027, {811.83, 1519.02, 742.454}},
  {"densenet121", {bn_size = 2}, 727, 3863171, {1.87714, 7.88245, 11.8185}},
  {"densenet121", {bn_size = 2, memory_efficient = true}, 727, 3863171, {1.87714, 7.88245, 11.8185}},
  {"squeezenet1_0", {}, 52, 736963, {0, 0.00316493, 0.0247932}},
  {"efficientnet_b0", {norm_layer = group_norm}, 213, 4011391, {-0.763797, 1.25058, -1.24264}},
  {"vit_b_32", {image_size = 64, representation_size = 16}, 154, 87433027,
    {-0.0849201, 0.155925, 0.0932645}},
  {"vit_b_32", {image_size = 64, conv_stem_configs = stem}, 164, 85077387,
    {0.413774, 0.0408924, -0.425729}},
  {"inception_v3", {aux_logits = false}, 566, 21791715, {4.78982, 0.0920252, -4.70756}, 96},
}

--- Adds a test of the network of a row on a device.
local function compare(row, device)
  local name, options, entries, parameters, output, size = table.unpack(row)
  local words = {}
  for option in pairs(options) do words[#words + 1] = option end
  table.sort(words)
  it(("%s has torchvision's results %s"):format(name, table.concat(words, ", ")), function()
    local given = {num_classes = 3}
    for option, value in pairs(options) do given[option] = value end
    local net = models[name](given)
    local keys = 0
    for _ in pairs(net:state_dict()) do keys = keys + 1 end
    equal({keys, count(net)}, {entries, parameters})
    formula.set_weights(net)
    net:to(device):eval()
    local images = formula.images(1, 3, size or 64, size or 64):to(device)
    local y = tide.no_grad(function() return net(images) end)
    local largest = 0
    for _, value in ipairs(output) do largest = math.max(largest, math.abs(value)) end
    close(y:flatten():tolist(), output, {rtol = 0, atol = 1e-4 * largest})
  end)
end

describe("networks for images", function(device)
  for _, row in ipairs(small) do compare(row, device) end

  it("lenet accepts images of 28 x 28, with the given number of channels", function()
    local net = models.lenet({in_channels = 3, num_classes = 4}):to(device)
    equal(net(tide.ones(2, 3, 28, 28, {device = device})).shape, {2, 4})
    equal(count(models.lenet()), 61706)
  end)
end)

describe("larger networks for images", function()
  for _, row in ipairs(others) do compare(row, "cpu") end

  it("googlenet in training also returns the logits of its auxiliary classifiers", function()
    local net = models.googlenet({num_classes = 3})
    equal(count(net), 9939113)
    local x = tide.ones(2, 3, 64, 64)
    local results = table.pack(net(x))
    equal(results.n, 3)
    for i = 1, 3 do equal(results[i].shape, {2, 3}) end
    equal(select("#", net:eval()(x)), 1)
  end)
  it("inception_v3 in training also returns the logits of its auxiliary classifier", function()
    local net = models.inception_v3({num_classes = 3})
    local x = tide.ones(2, 3, 299, 299)
    local logits, aux = net(x)
    equal({logits.shape, aux.shape}, {{2, 3}, {2, 3}})
    equal(models.inception_v3({aux_logits = false}).AuxLogits, nil)
  end)
  it("densenet with memory_efficient recomputes features in training, with the same gradients", function()
    local function gradient(options)
      tide.manual_seed(1)
      local net = models.densenet121(options)
      net(formula.images(2, 3, 32, 32)):square():mean():backward()
      return net.features.conv0.weight.grad
    end
    local plain = gradient {bn_size = 1, num_classes = 2}
    close(gradient {bn_size = 1, num_classes = 2, memory_efficient = true}, plain, {rtol = 1e-3, atol = 1e-5})
    local dropped = gradient {bn_size = 1, num_classes = 2, drop_rate = 0.5}
    test.is_true((dropped - plain):abs():max():item() > 1e-4)
  end)
end)

describe("options of networks", function()
  it("that do not exist are an error with the nearest name", function()
    raises("resnet18: unknown option 'num_clases'; did you mean 'num_classes'?", models.resnet18,
      {num_clases = 10})
    raises("lenet: unknown option 'zzz': known are num_classes, in_channels", models.lenet,
      {zzz = 1})
  end)
  it("must have their type", function()
    raises("lenet: num_classes: expected an integer, got 2.5", models.lenet,
      {num_classes = 2.5})
    raises("lenet: option 'num_classes': expected integer, got string", models.lenet,
      {num_classes = "ten"})
    raises("lenet: num_classes must be positive, got 0", models.lenet,
      {num_classes = 0})
    raises("alexnet: option 'dropout': expected number, got boolean", models.alexnet, {dropout = true})
    raises("alexnet: dropout must be between 0 and 1, got 2", models.alexnet, {dropout = 2})
    raises("resnet18: option 'zero_init_residual': expected boolean, got number", models.resnet18,
      {zero_init_residual = 1})
    raises("resnet18: option 'norm_layer': expected function or false, got string",
      models.resnet18, {norm_layer = "BatchNorm2d"})
    raises("lenet: expected a table of options by name, got number", models.lenet, 10)
    raises("lenet: expected a table of options by name, got a list", models.lenet, {10})
  end)
  it("cannot request weights", function()
    local text = [[weights cannot be downloaded: load a file, as in net:load_state_dict(]]
      .. [[tide.load("resnet18.safetensors"))]]
    raises("resnet18: " .. text, models.resnet18, {weights = "DEFAULT"})
    raises("resnet18: " .. text, models.resnet18, {pretrained = true})
    equal(count(models.lenet({pretrained = false})), 61706)
  end)
  it("that are fixed by a name cannot be changed", function()
    raises("resnext50_32x4d: groups is 32 in this network, got 2", models.resnext50_32x4d,
      {groups = 2})
  end)
  it("that are invalid are errors", function()
    raises("BasicBlock: groups must be 1 and width_per_group 64, got 2 and 64", models.resnet18,
      {groups = 2})
    raises("BasicBlock: a dilation of 2 instead of a stride needs a network of Bottleneck blocks",
      models.resnet34, {replace_stride_with_dilation = {false, true, false}})
    raises("replace_stride_with_dilation: expected a list of 3 booleans, got 2 entries",
      models.resnet50, {replace_stride_with_dilation = {true, true}})
    raises("image_size 50 is not divisible by the patch size 16", models.vit_b_16, {image_size = 50})
    raises("mobilenet_v2: inverted_residual_setting: expected rows of 4 numbers", models.mobilenet_v2,
      {inverted_residual_setting = {{1, 2}}})
  end)
  it("a vision transformer accepts only images of its size", function()
    local net = models.vit_b_32({image_size = 32, num_classes = 2})
    raises("expected images of 32 x 32, got (1, 3, 64, 64): set image_size", net,
      tide.ones(1, 3, 64, 64))
  end)
end)

describe("names of networks", function()
  it("are listed in order, and each is a function", function()
    local names = models.list()
    test.is_true(#names >= 74)
    for i, name in ipairs(names) do
      equal(type(models[name]), "function", name)
      test.is_true(i == 1 or names[i - 1] < name)
    end
  end)
  it("can be passed to get_model", function()
    equal(count(models.get_model("lenet", {num_classes = 10})), 61706)
    raises("get_model: unknown network 'resnet19'; did you mean 'resnet18'?", models.get_model,
      "resnet19")
    raises("get_model: unknown network 'x': tide.vision.models.list() lists all",
      models.get_model, "x")
    raises("tide.vision.models.resnet8: there is no such name; did you mean 'resnet18'?",
      function() return models.resnet8 end)
  end)
  it("of layers in older files are also read", function()
    local net = models.densenet121({bn_size = 1, num_classes = 2})
    local other = models.densenet121({bn_size = 1, num_classes = 2})
    local state, renamed = {}, 0
    for key, tensor in pairs(net:state_dict()) do
      local old, changed = key:gsub("(denselayer%d+%.%a+)(%d)", "%1.%2")
      state[old], renamed = tensor, renamed + changed
    end
    test.is_true(renamed > 500, renamed)
    other:load_state_dict(state)
    close(other.features.denseblock2.denselayer3.conv2.weight, net.features.denseblock2.denselayer3.conv2.weight)
    net, other, state = models.vit_b_32({image_size = 32}), models.vit_b_32({image_size = 32}), {}
    for key, tensor in pairs(net:state_dict()) do
      local old = key:gsub("mlp%.0", "mlp.linear_1"):gsub("mlp%.3", "mlp.linear_2")
      state[old] = tensor
    end
    other:load_state_dict(state)
    close(other.encoder.layers.encoder_layer_7.mlp[4].weight, net.encoder.layers.encoder_layer_7.mlp[4].weight)
  end)
  it("are in errors of weights that do not fit", function()
    local net = models.lenet()
    local state = net:state_dict()
    state["classifier.4.weight"], state.head = nil, tide.ones(2)
    raises("load_state_dict: missing: classifier.4.weight; not in the module: head",
      net.load_state_dict, net, state)
    state = net:state_dict()
    state["classifier.4.bias"] = tide.ones(3)
    raises("load_state_dict: classifier.4.bias is (10) in the module, but (3) in what is loaded",
      net.load_state_dict, net, state)
  end)
end)

describe("initial values of networks", function()
  --- Asserts that a tensor has a mean of 0 and this deviation, within statistical error.
  local function spread(tensor, std)
    local x = tensor:detach():double()
    local n = x:numel()
    test.is_true(math.abs(x:mean():item()) < 5 * std / math.sqrt(n), x:mean():item())
    -- The squares of normal numbers vary by sqrt(2), those of uniform ones by less.
    close(x:square():mean():item(), std * std, {rtol = 5 * math.sqrt(2 / n)})
  end

  --- Asserts that a tensor is uniformly distributed over +-bound.
  local function uniform(tensor, bound)
    spread(tensor, bound / math.sqrt(3))
    test.is_true(tensor:detach():abs():max():item() <= bound)
  end

  local function all(tensor, value)
    equal(tensor:detach():eq(value):all():item(), true)
  end

  it("of residual networks depend on the number of outputs", function()
    tide.manual_seed(11)
    local net = models.resnet18({num_classes = 100})
    spread(net.conv1.weight, math.sqrt(2 / (64 * 7 * 7)))
    spread(net.layer2[1].conv2.weight, math.sqrt(2 / (128 * 9)))
    spread(net.layer4[1].downsample[1].weight, math.sqrt(2 / 512))
    uniform(net.fc.weight, 1 / math.sqrt(512))
    all(net.layer1[1].bn2.weight, 1)
    all(models.resnet18({zero_init_residual = true}).layer1[1].bn2.weight, 0)
    local bottleneck = models.resnet50({zero_init_residual = true}).layer1[1]
    all(bottleneck.bn3.weight, 0)
    all(bottleneck.bn2.weight, 1)
  end)
  it("of vgg depend on the number of outputs, or are those of its layers", function()
    tide.manual_seed(12)
    local net = models.vgg11({num_classes = 100})
    spread(net.features[4].weight, math.sqrt(2 / (128 * 9)))
    all(net.features[4].bias, 0)
    spread(net.classifier[7].weight, 0.01)
    all(net.classifier[7].bias, 0)
    local plain = models.vgg11({init_weights = false, num_classes = 100})
    uniform(plain.features[4].weight, 1 / math.sqrt(64 * 9))
    uniform(plain.classifier[7].weight, 1 / math.sqrt(4096))
  end)
  it("of squeezenet, densenet and mobilenets are torchvision's", function()
    tide.manual_seed(13)
    local net = models.squeezenet1_1({num_classes = 20})
    uniform(net.features[4].expand3x3.weight, math.sqrt(6 / (16 * 9)))
    all(net.features[4].expand3x3.bias, 0)
    spread(net.classifier[2].weight, 0.01)
    net = models.densenet121({num_classes = 20})
    spread(net.features.denseblock1.denselayer1.conv2.weight, math.sqrt(2 / (128 * 9)))
    uniform(net.classifier.weight, 1 / math.sqrt(1024))
    all(net.classifier.bias, 0)
    net = models.mobilenet_v2({num_classes = 20})
    spread(net.features[19][1].weight, math.sqrt(2 / 1280))
    spread(net.features[3].conv[2][1].weight, math.sqrt(2 / (96 * 9)))
    spread(net.classifier[2].weight, 0.01)
    all(net.classifier[2].bias, 0)
    net = models.mobilenet_v3_small({num_classes = 20})
    spread(net.features[13][1].weight, math.sqrt(2 / 576))
    all(net.features[2].block[2].fc1.bias, 0)
    spread(net.classifier[1].weight, 0.01)
  end)
  it("of efficientnet, mnasnet, regnet and googlenet are torchvision's", function()
    tide.manual_seed(14)
    local net = models.efficientnet_b0({num_classes = 25})
    spread(net.features[9][1].weight, math.sqrt(2 / 1280))
    uniform(net.classifier[2].weight, 1 / 5)
    all(net.classifier[2].bias, 0)
    net = models.mnasnet0_5({num_classes = 25})
    spread(net.layers[15].weight, math.sqrt(2 / 1280))
    uniform(net.classifier[2].weight, math.sqrt(3 / 25))
    net = models.regnet_x_400mf({num_classes = 25})
    local conv = net.trunk_output.block4["block4-0"].f.b[1]
    spread(conv.weight, math.sqrt(2 / (9 * 400)))
    spread(net.fc.weight, 0.01)
    all(net.fc.bias, 0)
    net = models.googlenet({num_classes = 25})
    spread(net.conv3.conv.weight, 0.01)
    spread(net.fc.weight, 0.01)
    uniform(net.aux1.fc1.bias, 1 / math.sqrt(2048))
    net = models.inception_v3({num_classes = 25})
    spread(net.Mixed_6b.branch7x7_2.conv.weight, 0.1)
    spread(net.fc.weight, 0.1)
    spread(net.AuxLogits.fc.weight, 0.001)
  end)
  it("of convnext and vision transformers are torchvision's", function()
    tide.manual_seed(15)
    local net = models.convnext_tiny({num_classes = 25, layer_scale = 0.25})
    spread(net.features[3][2].weight, 0.02)
    spread(net.classifier[3].weight, 0.02)
    all(net.classifier[3].bias, 0)
    all(net.features[2][1].layer_scale, 0.25)
    net = models.vit_b_32({num_classes = 25, image_size = 64})
    -- Truncated at 2, which is far out.
    spread(net.conv_proj.weight, math.sqrt(1 / (3 * 32 * 32)))
    all(net.class_token, 0)
    spread(net.encoder.pos_embedding, 0.02)
    local block = net.encoder.layers.encoder_layer_3
    uniform(block.mlp[1].weight, math.sqrt(6 / (768 + 3072)))
    spread(block.mlp[1].bias, 1e-6)
    uniform(block.self_attention.in_proj_weight, math.sqrt(6 / (4 * 768)))
    all(net.heads.head.weight, 0)
  end)
end)

describe("stochastic depth of networks", function()
  it("increases with the depth, and is disabled by eval", function()
    local net = models.efficientnet_b0({num_classes = 2, stochastic_depth_prob = 0.4})
    local probabilities = {}
    for _, module in ipairs(net:modules()) do
      if getmetatable(module).name == "StochasticDepth" then
        probabilities[#probabilities + 1] = module.p
      end
    end
    equal(#probabilities, 16)
    close(probabilities[1], 0)
    close(probabilities[16], 0.4 * 15 / 16)
    local blocks = models.convnext_tiny({num_classes = 2}).features
    close(blocks[8][3].stochastic_depth.p, 0.1)
  end)
end)

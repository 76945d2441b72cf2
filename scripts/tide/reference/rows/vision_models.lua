-- The reference of tide.vision.models.

local networks = {
  title = "Networks for images",
  prefix = "tide.vision.models.",
  {"list", "()", "The names of all networks, sorted", [[tide.vision.models.list()[1] --> "alexnet"]]},
  {"get_model", "(name, options?)", "The network of this name, with its options",
    [[tide.vision.models.get_model("lenet", {num_classes = 2})(tide.ones(1, 1, 28, 28)).shape --> {1, 2}]]},
}

--- Adds a row for each of the names. The last layer of the first is named in its example; the others
--- would take long to make.
local function add(about, names, example)
  for i, name in ipairs(names) do
    networks[#networks + 1] = {
      name, "(...)", about,
      i == 1 and example or ("tide.vision.models.%s ~= nil --> true"):format(name),
    }
  end
end

add("LeNet-5 for images of 28 x 28, with rectifiers and max pools",
  {"lenet"}, "tide.vision.models.lenet()(tide.ones(2, 1, 28, 28)).shape --> {2, 10}")
add("AlexNet, 61 million parameters", {"alexnet"},
  "tide.vision.models.alexnet ~= nil --> true")
add("VGG of so many layers, with _bn batch normalization too; 133 to 144 million parameters",
  {"vgg11", "vgg11_bn", "vgg13", "vgg13_bn", "vgg16", "vgg16_bn", "vgg19", "vgg19_bn"},
  "tide.vision.models.vgg11 ~= nil --> true")
add("A residual network of so many layers; norm_layer(channels) makes its norms",
  {"resnet18", "resnet34", "resnet50", "resnet101", "resnet152"},
  [[tide.vision.models.resnet18({num_classes = 10}):get_parameter("fc.weight").shape --> {10, 512}]])
add("ResNeXt: a residual network of so many layers, whose convolutions have groups",
  {"resnext50_32x4d", "resnext101_32x8d", "resnext101_64x4d"},
  "tide.vision.models.resnext50_32x4d ~= nil --> true")
add("A residual network of so many layers, with twice as many channels inside its blocks",
  {"wide_resnet50_2", "wide_resnet101_2"}, "tide.vision.models.wide_resnet50_2 ~= nil --> true")
add("SqueezeNet, 1.2 million parameters", {"squeezenet1_1", "squeezenet1_0"},
  "tide.vision.models.squeezenet1_1({num_classes = 10})(tide.ones(1, 3, 32, 32)).shape --> {1, 10}")
add("A densely connected network of so many layers; memory_efficient computes parts anew in backward",
  {"densenet121", "densenet161", "densenet169", "densenet201"},
  [[tide.vision.models.densenet121():get_parameter("classifier.weight").shape --> {1000, 1024}]])
add("MobileNetV2, 3.5 million parameters", {"mobilenet_v2"},
  [[tide.vision.models.mobilenet_v2():get_parameter("classifier.1.weight").shape --> {1000, 1280}]])
add("MobileNetV3, 2.5 and 5.5 million parameters", {"mobilenet_v3_small", "mobilenet_v3_large"},
  [[tide.vision.models.mobilenet_v3_small():get_parameter("classifier.3.weight").shape --> {1000, 1024}]])
add("EfficientNet, ever deeper and wider: 5 to 66 million parameters",
  {"efficientnet_b0", "efficientnet_b1", "efficientnet_b2", "efficientnet_b3", "efficientnet_b4",
    "efficientnet_b5", "efficientnet_b6", "efficientnet_b7"},
  [[tide.vision.models.efficientnet_b0():get_parameter("classifier.1.weight").shape --> {1000, 1280}]])
add("EfficientNetV2: small, medium, large",
  {"efficientnet_v2_s", "efficientnet_v2_m", "efficientnet_v2_l"},
  "tide.vision.models.efficientnet_v2_s ~= nil --> true")
add("ConvNeXt: 29, 50, 89 and 198 million parameters",
  {"convnext_tiny", "convnext_small", "convnext_base", "convnext_large"},
  "tide.vision.models.convnext_tiny ~= nil --> true")
add("A vision transformer of patches of so many pixels; all images are image_size x image_size",
  {"vit_b_16", "vit_b_32", "vit_l_16", "vit_l_32", "vit_h_14"},
  "tide.vision.models.vit_b_16 ~= nil --> true")
add("MNASNet of this width, 2.2 to 6.3 million parameters",
  {"mnasnet0_5", "mnasnet0_75", "mnasnet1_0", "mnasnet1_3"},
  [[tide.vision.models.mnasnet0_5():get_parameter("classifier.1.weight").shape --> {1000, 1280}]])
add("ShuffleNetV2 of this width, 1.4 to 7.4 million parameters",
  {"shufflenet_v2_x0_5", "shufflenet_v2_x1_0", "shufflenet_v2_x1_5", "shufflenet_v2_x2_0"},
  [[tide.vision.models.shufflenet_v2_x0_5():get_parameter("fc.weight").shape --> {1000, 1024}]])
add("GoogLeNet; in training with aux_logits (the default) gives the logits of two side branches too",
  {"googlenet"}, "tide.vision.models.googlenet ~= nil --> true")
add("Inception v3 for images of 299 x 299; in training with aux_logits gives those of a side branch too",
  {"inception_v3"}, "tide.vision.models.inception_v3 ~= nil --> true")
add("RegNet of so many operations for an image; y squeezes and excites channels, x does not",
  {"regnet_x_400mf", "regnet_x_800mf", "regnet_x_1_6gf", "regnet_x_3_2gf", "regnet_x_8gf",
    "regnet_x_16gf", "regnet_x_32gf", "regnet_y_400mf", "regnet_y_800mf", "regnet_y_1_6gf",
    "regnet_y_3_2gf", "regnet_y_8gf", "regnet_y_16gf", "regnet_y_32gf", "regnet_y_128gf"},
  [[tide.vision.models.regnet_x_400mf():get_parameter("fc.weight").shape --> {1000, 400}]])

return {
  networks,
  {
    title = "Images",
    prefix = "tide.vision.",
    {"models", "", "Networks for images: see tide.vision.models.NAME",
      "#tide.vision.models.list() > 70 --> true"},
    {"datasets", "", "Data sets of pictures: see tide.vision.datasets.NAME",
      "#tide.vision.datasets.Digits() --> 1797"},
    {"ops", "", "Boxes, regions, layers of networks: see tide.vision.ops.NAME",
      "tide.vision.ops.nms ~= nil --> true"},
  },
}

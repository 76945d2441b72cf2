-- The reference of data sets of pictures.

--- An example with files in a folder of its own, which is removed: what `code` calls x is shown.
local function with_folder(code, shown)
  return [[local root = os.tmpname(); os.remove(root); os.execute("mkdir -p '" .. root .. "'"); ]] .. code ..
    [[; os.execute("rm -r '" .. root .. "'"); x --> ]] .. shown
end

--- An example that reads a data set of MNIST's form, with two pictures of 1 x 1.
local function of_mnist(name, x, shown)
  return with_folder(([[os.execute("mkdir -p '" .. root .. "/%s/raw'"); ]]):format(name) ..
    ([[local raw = root .. "/%s/raw/"; ]]):format(name) ..
    [[tide.vision.write_file(raw .. "train-images-idx3-ubyte", (">I4I4I4I4"):pack(0x803, 2, 1, 1) .. "\7\8"); ]] ..
    [[tide.vision.write_file(raw .. "train-labels-idx1-ubyte", (">I4I4"):pack(0x801, 2) .. "\0\9"); ]] ..
    ("local set = tide.vision.datasets.%s(root); local x = %s"):format(name, x), shown)
end

--- An example that shows the error for files that are not there.
local function missing(name)
  return ("local found, message = pcall(tide.vision.datasets.%s, \"no/such/folder\"); "):format(name) ..
    "found --> false"
end

--- An example with pictures cat/1.png and dog/1.png.
local function of_folders(x, shown)
  return with_folder([[os.execute("cd '" .. root .. "' && mkdir cat dog"); ]] ..
    [[for i, name in ipairs{"cat", "dog"} do tide.vision.write_png(tide.full({1, 2, 2}, i):to("uint8"), ]] ..
    [[root .. "/" .. name .. "/1.png") end; local x = ]] .. x, shown)
end

local kOptions = "(root, {train, transform, target_transform, download})"

return {
  {
    title = "Data sets of pictures",
    prefix = "tide.vision.datasets.",
    {"MNIST", kOptions,
      "Handwritten digits in root/MNIST/raw, plain or .gz, as torchvision leaves them. A sample is a uint8 picture " ..
        "(1, 28, 28), where torchvision has one of PIL, and its class, which counts from 1: the digit 0 is " ..
        "class 1. Nothing is fetched: download = true says what to fetch, and checks MD5 sums of packed files",
      of_mnist("MNIST", "{set:get(2)}", "{{{{8}}}, 10}")},
    {"FashionMNIST", kOptions, "Pictures of clothes in root/FashionMNIST/raw, as MNIST",
      of_mnist("FashionMNIST", "set.classes[10]", "\"Ankle boot\"")},
    {"KMNIST", kOptions, "Handwritten hiragana in root/KMNIST/raw, as MNIST",
      of_mnist("KMNIST", "set.class_to_idx.wo", "10")},
    {"CIFAR10", kOptions,
      "Pictures (3, 32, 32) of 10 classes, of the binary version: root/cifar-10-batches-bin or " ..
        "root/cifar-10-binary.tar.gz. Without transforms a loader takes whole batches at once. download: as MNIST",
      missing "CIFAR10"},
    {"CIFAR100", "(root, {train, transform, target_transform, download, coarse})",
      "As CIFAR10, of 100 classes, or with coarse = true of the 20 they belong to: root/cifar-100-binary or " ..
        "root/cifar-100-binary.tar.gz", missing "CIFAR100"},
    {"ImageFolder", "(root, {transform, target_transform, loader, is_valid_file, allow_empty})",
      "Pictures in a folder for each class, root/dog/x.png, in torchvision's order: a sample is the uint8 picture " ..
        "in RGB (3, height, width), or what loader(path) gives, and its class. Fields: classes, class_to_idx, " ..
        "samples, targets", of_folders("tide.vision.datasets.ImageFolder(root).class_to_idx", "{cat = 1, dog = 2}")},
    {"DatasetFolder", "(root, loader, {extensions, transform, target_transform, is_valid_file, allow_empty})",
      "As ImageFolder, of files of any kind: loader(path) reads a sample. Either extensions, such as {\".npy\"}, or " ..
        "is_valid_file(path) says which files count",
      of_folders("#tide.vision.datasets.DatasetFolder(root, tide.np.load, {extensions = {\".png\"}})", "2")},
    {"FakeData", "(...)",
      "Random pictures, 1000 of {3, 224, 224} and 10 classes if nothing else is said; the sample at a position is " ..
        "always the same", "tide.vision.datasets.FakeData(5, {3, 4, 6}):get(2).shape --> {3, 4, 6}"},
    {"Digits", "(...)",
      "The 1797 handwritten digits that come with tide: pictures (1, 8, 8) of values 0 to 16; the digit 0 is class 1",
      "tide.vision.datasets.Digits():get(1).shape --> {1, 8, 8}"},
  },
}

-- Data sets of images: files in the published formats, folders, and damaged ones.
local tide = require "tide"
local test = require "tide.test"
local native = require "tide.native"
local describe, it = test.describe, test.it
local equal, raises = test.same_type, test.raises
local datasets = tide.vision.datasets

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local count_refused = dofile(here .. "/../support/count_refused.lua")
local own_folder = dofile(here .. "/../support/own_folder.lua")

local function write(path, bytes)
  native.make_folders(path:match "^(.*)/")
  native.write_file(path, bytes)
end

--- Pseudorandom bytes 0..255, always the same.
local function pattern(count, start)
  local bytes = {}
  for i = 1, count do bytes[i] = string.char((i * 7 + start * 31) % 256) end
  return table.concat(bytes)
end

local function idx(sizes, bytes)
  local head = {string.char(0, 0, 8, #sizes)}
  for _, size in ipairs(sizes) do head[#head + 1] = (">I4"):pack(size) end
  return table.concat(head) .. bytes
end

describe("data sets of MNIST's form", function()
  local folder = own_folder()
  local images, labels = pattern(3 * 4 * 2, 1), "\0\9\3"

  local function put(name, train_images, train_labels)
    local raw = ("%s/%s/raw/"):format(folder(), name)
    write(raw .. "train-images-idx3-ubyte", train_images or idx({3, 4, 2}, images))
    write(raw .. "train-labels-idx1-ubyte", train_labels or idx({3}, labels))
    return raw
  end

  it("are read, with classes from 1", function()
    for _, name in ipairs {"MNIST", "FashionMNIST", "KMNIST"} do
      put(name)
      local set = datasets[name](folder())
      equal({#set, set.data.shape, set.data:bytes()}, {3, {3, 1, 4, 2}, images})
      equal(set.targets:tolist(), {1, 10, 4})
      local image, class = set:get(2)
      equal({image.shape, image.dtype, image:bytes(), class}, {{1, 4, 2}, "uint8", images:sub(9, 16), 10})
      equal({#set.classes, set.class_to_idx[set.classes[4]]}, {10, 4})
    end
    equal(datasets.KMNIST(folder()).classes[3], "su")
  end)
  it("may be compressed, and are selected by train", function()
    local raw = put "MNIST"
    os.execute(("cd '%s' && gzip -n * && cp train-images-idx3-ubyte.gz t10k-images-idx3-ubyte.gz"):format(raw))
    equal(datasets.MNIST(folder()).data:bytes(), images)
    write(raw .. "t10k-labels-idx1-ubyte", idx({3}, "\1\1\1"))
    equal(datasets.MNIST(folder(), false).targets:tolist(), {2, 2, 2})
    raises("train-images-idx3-ubyte.gz is damaged: its MD5 sum is ", datasets.MNIST, folder(), {download = true})
  end)
  it("that are missing raise an error with the files, and with download with their sources", function()
    local raw = folder() .. "/MNIST/raw"
    raises(("MNIST: not found: %s/train-images-idx3-ubyte or train-images-idx3-ubyte.gz, "):format(raw), datasets.MNIST,
      folder())
    raises("download = true shows what to download", datasets.MNIST, folder())
    raises("Put these files into " .. raw .. ":\n  https://ossci-datasets.s3.amazonaws.com/mnist/" ..
      "train-images-idx3-ubyte.gz (MD5 f68b3c2dcbeaaa9fbdd348bbdeb94873)", datasets.MNIST, folder(), {download = true})
  end)
  it("that are damaged are errors", function()
    local function refused(text, ...)
      local raw = put("MNIST", ...)
      raises(text:gsub("RAW/", (raw:gsub("%%", "%%%%"))), datasets.MNIST, folder())
    end
    refused("MNIST: RAW/train-images-idx3-ubyte is truncated: it has 3 bytes", "abc")
    refused("MNIST: RAW/train-images-idx3-ubyte is not an idx file of bytes in 3 dimensions: it begins with " ..
      "0x00000801, not 0x00000803", idx({24}, images))
    refused("RAW/train-images-idx3-ubyte: the header specifies 3 x 4 x 2 bytes, but 23 follow",
      idx({3, 4, 2}, images:sub(2)))
    refused("the header specifies 4294967295 x 4294967295 x 4294967295 bytes, but 24 follow",
      idx({0xffffffff, 0xffffffff, 0xffffffff}, images))
    refused("has no samples: 0 x 4 x 2", idx({0, 4, 2}, ""))
    refused("train-images-idx3-ubyte holds 3 images, RAW/train-labels-idx1-ubyte holds 2 labels", nil,
      idx({2}, "\1\2"))
    refused("MNIST: RAW/train-labels-idx1-ubyte: expected labels from 0 to 9, got 10", nil, idx({3}, "\1\10\2"))
  end)
  it("are read or rejected when they are mutated, compressed and plain", function()
    local raw = put "MNIST"
    local function read() datasets.MNIST(folder()) end
    test.is_true(count_refused(raw .. "train-images-idx3-ubyte", 1000, 1, read, raw) > 450)
    put "MNIST"
    os.execute(("gzip -n '%s/train-labels-idx1-ubyte'"):format(raw))
    test.is_true(count_refused(raw .. "train-labels-idx1-ubyte.gz", 1000, 2, read, raw) > 700)
  end)
  it("with too large unpacked sizes are rejected before memory is allocated", function()
    local raw = put "MNIST"
    os.remove(raw .. "train-images-idx3-ubyte")
    -- 17 members of 64 MiB each.
    os.execute(("cd '%s' && head -c 64M /dev/zero | gzip -1 > one && " ..
      "cat one one one one one one one one one one one one one one one one one > train-images-idx3-ubyte.gz")
      :format(raw))
    raises("train-images-idx3-ubyte.gz: holds more than the 1073741824 bytes expected", datasets.MNIST, folder())
  end)
end)

describe("data sets of CIFAR's form", function()
  local folder = own_folder()
  local Small10 = tide.class("Small10", datasets.CIFAR10)
  Small10.train_files, Small10.test_files = {{"data_batch_1.bin", 2}, {"data_batch_2.bin", 1}}, {{"test_batch.bin", 1}}
  local Small100 = tide.class("Small100", datasets.CIFAR100)
  Small100.train_files = {{"train.bin", 2}}
  local kNames <const> = "airplane\nautomobile\nbird\ncat\ndeer\ndog\nfrog\nhorse\nship\ntruck\n\n"

  local function put10()
    local place = folder() .. "/cifar-10-batches-bin/"
    write(place .. "batches.meta.txt", kNames)
    write(place .. "data_batch_1.bin", "\0" .. pattern(3072, 1) .. "\9" .. pattern(3072, 2))
    write(place .. "data_batch_2.bin", "\3" .. pattern(3072, 3))
    write(place .. "test_batch.bin", "\4" .. pattern(3072, 4))
    return place
  end

  it("are read, with classes from 1", function()
    put10()
    local set = Small10(folder())
    equal({#set, set.data.shape, set.targets:tolist()}, {3, {3, 3, 32, 32}, {1, 10, 4}})
    local image, class = set:get(-1)
    equal({image.shape, image:bytes(), class, set.classes[class]}, {{3, 32, 32}, pattern(3072, 3), 4, "cat"})
    image, class = Small10(folder(), {train = false}):get(1)
    equal({image:bytes(), class}, {pattern(3072, 4), 5})
  end)
  it("may be in the archive", function()
    put10()
    os.execute(("cd '%s' && tar czf cifar-10-binary.tar.gz cifar-10-batches-bin && rm -r cifar-10-batches-bin")
      :format(folder()))
    local set = Small10(folder())
    equal({set.targets:tolist(), set.data[2]:bytes()}, {{1, 10, 4}, pattern(3072, 2)})
    raises("cifar-10-binary.tar.gz is damaged: its MD5 sum is ", Small10, folder(), {download = true})
    local path = folder() .. "/cifar-10-binary.tar.gz"
    test.is_true(count_refused(path, 300, 3, function() Small10(folder()) end, path) > 200)
    os.execute(("cd '%s' && mkdir x && tar czf cifar-10-binary.tar.gz x"):format(folder()))
    raises(path .. ": lacks cifar-10-batches-bin/batches.meta.txt", Small10, folder())
  end)
  it("of 100 classes have fine and coarse ones", function()
    local place, fine, coarse = folder() .. "/cifar-100-binary/", {}, {}
    for i = 1, 100 do fine[i] = "fine" .. i end
    for i = 1, 20 do coarse[i] = "coarse" .. i end
    write(place .. "fine_label_names.txt", table.concat(fine, "\n"))
    write(place .. "coarse_label_names.txt", table.concat(coarse, "\n"))
    write(place .. "train.bin", "\19\99" .. pattern(3072, 1) .. "\0\5" .. pattern(3072, 2))
    local set = Small100(folder())
    equal({set.targets:tolist(), set.classes[100], set.data[2]:bytes()}, {{100, 6}, "fine100", pattern(3072, 2)})
    set = Small100(folder(), {coarse = true})
    equal({set.targets:tolist(), #set.classes}, {{20, 1}, 20})
  end)
  it("that are missing or damaged are errors", function()
    raises("download = true shows what to download", datasets.CIFAR10, folder())
    raises("https://www.cs.toronto.edu/~kriz/cifar-100-binary.tar.gz (MD5 03b5dce01913d631647c71ecec9e9cb8)",
      datasets.CIFAR100, folder(), {download = true})
    native.make_folders(folder() .. "/cifar-10-batches-py")
    raises("cifar-10-batches-py is the Python version, which is not supported", datasets.CIFAR10, folder())
    local place = put10()
    raises(place .. "data_batch_3.bin, ", datasets.CIFAR10, folder())
    write(place .. "data_batch_2.bin", pattern(3072, 1))
    raises(place .. "data_batch_2.bin: expected 1 records of 3073 bytes, got 3072 bytes", Small10, folder())
    write(place .. "data_batch_2.bin", "\10" .. pattern(3072, 1))
    raises(place .. "data_batch_2.bin: expected labels from 0 to 9, got 10", Small10, folder())
    write(place .. "batches.meta.txt", "one\ntwo")
    raises(place .. "batches.meta.txt: expected 10 class names, got 2", Small10, folder())
    put10()
    test.is_true(count_refused(place .. "data_batch_1.bin", 500, 4, function() Small10(folder()) end, place) > 200)
  end)
  it("return batches directly, also from workers, and samples if there is a transform", function()
    put10()
    local function batches(set, options)
      local all = {}
      for images, classes in tide.data.DataLoader(set, options) do
        all[#all + 1] = {images:to("float32"):sum({2, 3, 4}):tolist(), classes:tolist()}
      end
      return all
    end
    local plain = batches(Small10(folder()), {batch_size = 2})
    equal({#plain, plain[1][2], plain[2][2]}, {2, {1, 10}, {4}})
    equal(batches(Small10(folder()), {batch_size = 2, num_workers = 2}), plain)
    local set = Small10(folder(), {target_transform = function(class) return class + 5 end})
    for _, workers in ipairs {0, 2} do
      local got = batches(set, {batch_size = 2, num_workers = workers})
      equal({got[1][1], got[1][2], got[2][2]}, {plain[1][1], {6, 15}, {9}})
    end
    raises("CIFAR10: option 'transform': expected function, got number", Small10, folder(), {transform = 3})
    raises("Small10: get(4): expected a position from 1 to 3", set.get, set, 4)
  end)
end)

describe("folders of images", function()
  local folder = own_folder()

  local function picture(name, value)
    native.make_folders((folder() .. "/" .. name):match "^(.*)/")
    tide.vision.write_png(tide.full({1, 2, 2}, value):to "uint8", folder() .. "/" .. name)
  end

  local function example()
    for i, name in ipairs {"dog/z.png", "dog/a.PNG", "dog/b/a.png", "dog/b.c/a.png", "cat/10.png", "cat/9.png",
      "Zebra/x.png"} do picture(name, i) end
    native.write_file(folder() .. "/cat/notes.txt", "text")
    native.write_file(folder() .. "/readme.png", "no class")
  end

  it("have torchvision's order and classes", function()
    example()
    local set = datasets.ImageFolder(folder())
    equal({set.classes, set.class_to_idx}, {{"Zebra", "cat", "dog"}, {Zebra = 1, cat = 2, dog = 3}})
    local paths = {}
    for i, sample in ipairs(set.samples) do paths[i] = sample[1]:sub(#folder() + 2) .. " " .. sample[2] end
    -- torchvision.datasets.ImageFolder on the same files, with its classes counted from 1.
    equal(paths, {"Zebra/x.png 1", "cat/10.png 2", "cat/9.png 2", "dog/a.PNG 3", "dog/z.png 3", "dog/b/a.png 3",
      "dog/b.c/a.png 3"})
    local image, class = set:get(4)
    equal({image.shape, image:max():item(), class, set.targets[7]}, {{3, 2, 2}, 2, 3, 3})
    local numbers = {}
    for images, classes in tide.data.DataLoader(set, {batch_size = 7, num_workers = 2}) do
      numbers = {images.shape, classes:tolist()}
    end
    equal(numbers, {{7, 3, 2, 2}, {1, 2, 2, 3, 3, 3, 3}})
  end)
  it("accept a loader, extensions or a function", function()
    example()
    local function name_of(path) return path:match "[^/]*$" end
    local set = datasets.ImageFolder(folder(), {loader = name_of, is_valid_file = function(path)
      return path:find "[xz9]%.png$" ~= nil
    end})
    equal({#set, set:get(2)}, {3, "9.png", 2})
    set = datasets.DatasetFolder(folder(), name_of, {extensions = {".txt"}, allow_empty = true})
    equal({#set, #set.classes, set:get(1)}, {1, 3, "notes.txt", 2})
    raises("DatasetFolder: expected either extensions or is_valid_file", datasets.DatasetFolder, folder(), name_of)
  end)
  it("that are invalid are errors", function()
    raises(folder() .. "/none: cannot be listed: No such file or directory", datasets.ImageFolder, folder() .. "/none")
    raises("ImageFolder: " .. folder() .. " has no subfolders: expected one for each class", datasets.ImageFolder,
      folder())
    example()
    native.make_folders(folder() .. "/empty")
    native.make_folders(folder() .. "/void/deeper")
    raises("ImageFolder: " .. folder() .. ": no valid file for the classes empty, void: extensions are .jpg, .jpeg, ",
      datasets.ImageFolder, folder())
    native.write_file(folder() .. "/empty/x.png", "this is text")
    os.execute(("ln -s .. '%s/void/back'"):format(folder()))
    raises("folders are nested more than 16 deep: is there a symbolic link cycle?", datasets.ImageFolder, folder())
    os.remove(folder() .. "/void/back")
    local set = datasets.ImageFolder(folder(), {allow_empty = true})
    equal(set.samples[4], {folder() .. "/dog/a.PNG", 3})
    local position = #set.samples
    equal(set.samples[position][1], folder() .. "/empty/x.png")
    raises("empty/x.png: is neither a PNG nor a JPEG file", set.get, set, position)
    raises(("DataLoader: sample %d: %s/empty/x.png: is neither"):format(position, folder()), function()
      for _ in tide.data.DataLoader(set, {num_workers = 1}) do end
    end)
  end)
end)

describe("data sets without files", function()
  it("are random numbers that depend on the position only", function()
    local set = datasets.FakeData(5, {3, 4, 6}, 4)
    tide.manual_seed(3)
    local image, class = set:get(2)
    local drawn = tide.rand(1):item()
    tide.manual_seed(4)
    local again, same = set:get(2)
    equal({#set, image.shape, image.dtype, again:bytes(), same}, {5, {3, 4, 6}, "uint8", image:bytes(), class})
    tide.manual_seed(3)
    equal(tide.rand(1):item(), drawn)
    equal(datasets.FakeData{size = 5, image_size = {3, 4, 6}, num_classes = 4, random_offset = 1}:get(1):bytes(),
      image:bytes())
    for i = 1, 5 do
      local _, number = set:get(i)
      test.is_true(number >= 1 and number <= 4)
    end
    raises("FakeData: num_classes must be positive, got 0", datasets.FakeData, 5, {3, 4, 4}, 0)
    raises("FakeData: argument 2 (image_size): expected table of 3 integers, got {3}", datasets.FakeData, 5, {3})
    raises("FakeData: image_size must be positive, got {3, 0, 4}", datasets.FakeData, 5, {3, 0, 4})
  end)
  it("include the digits that come with tide", function()
    local set, images, labels = datasets.Digits(), tide.data.digits()
    local image, class = set:get(100)
    equal({#set, image:bytes(), class, image.shape}, {1797, images[100]:bytes(), labels[100]:item() + 1, {1, 8, 8}})
  end)
end)

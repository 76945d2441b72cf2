-- datasets.CIFAR10 and CIFAR100: the binary version, unpacked or as an archive.
local define = require "tide.internal.declare.define"
local ArrayDataset = require "tide.vision.datasets.array_dataset"
local downloads = require "tide.vision.datasets.downloads"
local native = require "tide.native"
local raise = require "tide.internal.raise"
local tar_members = require "tide.vision.datasets.tar"
local tide = require "tide"

local kPixels <const> = 3 * 32 * 32
local kMostBytes <const> = 256 << 20 -- limit for a file or the unpacked archive
local kUrl <const> = "https://www.cs.toronto.edu/~kriz/"

--- Images (3, 32, 32) in 10 classes, from the binary version: root/cifar-10-batches-bin or
--- root/cifar-10-binary.tar.gz. Without transforms, a loader reads each batch in one operation. download: see MNIST.
---@param root string  the folder
---@param train boolean = true  the training set; false: the test set
---@param transform function = nil  applied to images
---@param target_transform function = nil  applied to targets
---@param download boolean = false  report what to download and check files; nothing is downloaded
---@counts targets, as classes
---@errors missing files: the message lists them and their sources
---@see data.DataLoader vision.transforms.Compose vision.datasets.ImageFolder
---@example
--- local found, message = pcall(tide.vision.datasets.CIFAR10, "no/such/folder")
--- found --> false
local CIFAR10, read_10 = define("vision.datasets.CIFAR10", ArrayDataset)

--- The folder, the archive, its MD5 sum, the folder of the unsupported Python version; files as {name, records}.
CIFAR10.folder, CIFAR10.archive = "cifar-10-batches-bin", "cifar-10-binary.tar.gz"
CIFAR10.sum, CIFAR10.python_folder = "c32a1d4ab5d03f1284b67883e8d87530", "cifar-10-batches-py"
CIFAR10.train_files = {
  {"data_batch_1.bin", 10000}, {"data_batch_2.bin", 10000}, {"data_batch_3.bin", 10000},
  {"data_batch_4.bin", 10000}, {"data_batch_5.bin", 10000},
}
CIFAR10.test_files = {{"test_batch.bin", 10000}}
--- The labels before a record's pixels: {file of the class names, number of classes} for each.
CIFAR10.labels = {{"batches.meta.txt", 10}}
CIFAR10.label = 1

--- Like CIFAR10, with 100 classes, or with coarse = true the 20 superclasses: root/cifar-100-binary or
--- root/cifar-100-binary.tar.gz.
---@param root string  the folder
---@param train boolean = true  the training set; false: the test set
---@param transform function = nil  applied to images
---@param target_transform function = nil  applied to targets
---@param download boolean = false  report what to download and check files; nothing is downloaded
---@param coarse boolean = false  use the 20 superclasses
---@counts targets, as classes
---@errors missing files: the message lists them and their sources
---@see data.DataLoader vision.transforms.Compose vision.datasets.ImageFolder
---@example
--- local found, message = pcall(tide.vision.datasets.CIFAR100, "no/such/folder")
--- found --> false
local CIFAR100, read_100 = define("vision.datasets.CIFAR100", CIFAR10)
CIFAR100.folder, CIFAR100.archive = "cifar-100-binary", "cifar-100-binary.tar.gz"
CIFAR100.sum, CIFAR100.python_folder = "03b5dce01913d631647c71ecec9e9cb8", "cifar-100-python"
CIFAR100.train_files, CIFAR100.test_files = {{"train.bin", 50000}}, {{"test.bin", 10000}}
CIFAR100.labels = {{"coarse_label_names.txt", 20}, {"fine_label_names.txt", 100}}

--- A function that returns the bytes of a file of the dataset and its name for messages.
local function open(self, caller, given, names)
  local folder, archive = given.root .. "/" .. self.folder, given.root .. "/" .. self.archive
  local has_archive = native.file_kind(archive) == "file"
  if has_archive and given.download then downloads.check(caller, archive, self.sum) end
  local missing = {}
  for _, name in ipairs(names) do
    local path = folder .. "/" .. name
    if native.file_kind(path) ~= "file" then missing[#missing + 1] = path end
  end
  if #missing == 0 then
    return function(name) return native.read_bytes(folder .. "/" .. name, kMostBytes), folder .. "/" .. name end
  end
  if not has_archive then
    missing[#missing + 1] = archive
    local python = native.file_kind(given.root .. "/" .. self.python_folder) == "folder"
    downloads.raise_missing(caller, given.download, missing, given.root, kUrl, {{self.archive, self.sum}},
      python and self.python_folder .. " is the Python version, which is not supported" or nil)
  end
  local members = tar_members(caller, archive, native.read_bytes(archive, kMostBytes))
  return function(name)
    local bytes = members[self.folder .. "/" .. name]
    if not bytes then raise("%s: %s: lacks %s/%s", caller, archive, self.folder, name) end
    return bytes, archive .. ": " .. name
  end
end

--- Pixels (n, 3, 32, 32) and classes of one file.
local function read_records(self, caller, bytes, path, count)
  local record = #self.labels + kPixels
  if #bytes ~= count * record then
    raise("%s: %s: expected %d records of %d bytes, got %d bytes", caller, path, count, record, #bytes)
  end
  local records = bytes:reshape {count, record}
  local classes = self.labels[self.label][2]
  local labels = records:select(2, self.label)
  local most = labels:max():item()
  if most >= classes then
    raise("%s: %s: expected labels from 0 to %d, got %d", caller, path, classes - 1, most)
  end
  return records[{{}, {#self.labels + 1, record}}]:reshape {count, 3, 32, 32}, labels:to "int64" + 1
end

--- The class names, one per line.
local function read_names(caller, bytes, path, count)
  local names = {}
  for name in (#bytes > 0 and bytes:bytes() or ""):gmatch "[^\r\n]+" do names[#names + 1] = name end
  if #names ~= count then raise("%s: %s: expected %d class names, got %d", caller, path, count, #names) end
  return names
end

local function read(self, caller, given)
  self:set_transforms(given)
  local files, labels = given.train and self.train_files or self.test_files, self.labels[self.label]
  local needed = {labels[1]}
  for _, file in ipairs(files) do needed[#needed + 1] = file[1] end
  local contents = open(self, caller, given, needed)
  local bytes, path = contents(labels[1])
  self:set_classes(read_names(caller, bytes, path, labels[2]))
  local images, targets = {}, {}
  for k, file in ipairs(files) do
    bytes, path = contents(file[1])
    images[k], targets[k] = read_records(self, caller, bytes, path, file[2])
  end
  self.root, self.train = given.root, given.train
  self:set_arrays(tide.cat(images), tide.cat(targets))
end

function CIFAR10:init(...) read(self, getmetatable(self).name, read_10(...)) end

function CIFAR100:init(...)
  local given = read_100(...)
  self.label = given.coarse and 1 or 2
  read(self, getmetatable(self).name, given)
end

return {CIFAR10 = CIFAR10, CIFAR100 = CIFAR100}

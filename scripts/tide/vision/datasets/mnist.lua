-- datasets.MNIST and datasets in its format: idx files, plain or gzipped.
local define = require "tide.internal.declare.define"
local ArrayDataset = require "tide.vision.datasets.array_dataset"
local downloads = require "tide.vision.datasets.downloads"
local native = require "tide.native"
local raise = require "tide.internal.raise"

local kMostBytes <const> = 1 << 30 -- limit for a file
local kBytesType <const> = 8 -- idx's type code for unsigned bytes

--- The contents of an idx file: a uint8 tensor of `rank` dimensions.
local function read_idx(caller, path, rank)
  local bytes = native.read_bytes(path, kMostBytes)
  local head_size = 4 + 4 * rank
  if #bytes < head_size then raise("%s: %s is truncated: it has %d bytes", caller, path, #bytes) end
  local head = bytes[{{1, head_size}}]:bytes()
  local magic = (">I4"):unpack(head)
  if magic ~= kBytesType << 8 | rank then
    raise("%s: %s is not an idx file of bytes in %d dimensions: it begins with 0x%08x, not 0x%08x", caller, path,
      rank, magic, kBytesType << 8 | rank)
  end
  local shape, count = {}, 1
  for k = 1, rank do
    shape[k] = (">I4"):unpack(head, 1 + 4 * k)
    -- The product of three 32-bit sizes may overflow.
    count = shape[k] > 0 and count > kMostBytes // shape[k] and math.maxinteger or count * shape[k]
  end
  if count ~= #bytes - head_size then
    raise("%s: %s: the header specifies %s bytes, but %d follow", caller, path, table.concat(shape, " x "),
      #bytes - head_size)
  end
  if count == 0 then raise("%s: %s has no samples: %s", caller, path, table.concat(shape, " x ")) end
  return bytes[{{head_size + 1, #bytes}}]:reshape(shape):contiguous()
end

--- The path of a file or of its gzipped form; nil if neither exists.
local function found(path)
  if native.file_kind(path) == "file" then return path end
  if native.file_kind(path .. ".gz") == "file" then return path .. ".gz" end
end

--- Handwritten digits in root/MNIST/raw, plain or .gz, as stored by torchvision. A sample is a uint8 image (1, 28, 28),
--- where torchvision returns a PIL image, and its class, counted from 1: the digit 0 is class 1. Nothing is downloaded:
--- download = true reports what to download, and checks MD5 sums of gzipped files.
---@param root string  the folder
---@param train boolean = true  the training set; false: the test set
---@param transform function = nil  applied to images
---@param target_transform function = nil  applied to targets
---@param download boolean = false  report what to download and check files; nothing is downloaded
---@counts targets, as classes
---@errors missing files: the message lists them and their sources
---@see data.DataLoader vision.transforms.Compose vision.datasets.ImageFolder
---@example
--- local root = os.tmpname()
--- os.remove(root)
--- os.execute("mkdir -p '" .. root .. "'")
--- os.execute("mkdir -p '" .. root .. "/MNIST/raw'")
--- local raw = root .. "/MNIST/raw/"
--- tide.vision.write_file(raw .. "train-images-idx3-ubyte", (">I4I4I4I4"):pack(0x803, 2, 1, 1) .. "\7\8")
--- tide.vision.write_file(raw .. "train-labels-idx1-ubyte", (">I4I4"):pack(0x801, 2) .. "\0\9")
--- local set = tide.vision.datasets.MNIST(root)
--- local x = {set:get(2)}
--- os.execute("rm -r '" .. root .. "'")
--- x --> {{{{8}}}, 10}
local MNIST, read_mnist = define("vision.datasets.MNIST", ArrayDataset)

--- The source of the files, and their MD5 sums: training images and labels, test images and labels.
MNIST.url = "https://ossci-datasets.s3.amazonaws.com/mnist/"
MNIST.sums = {
  "f68b3c2dcbeaaa9fbdd348bbdeb94873", "d53e105ee54ea40749a09fcbcd1e9432",
  "9fb629c4189551a2d022fa330f9573f3", "ec29112dd5afa0611ce80d1b7f02629c",
}
MNIST.class_names = {
  "0 - zero", "1 - one", "2 - two", "3 - three", "4 - four", "5 - five", "6 - six", "7 - seven", "8 - eight",
  "9 - nine",
}

local kFiles <const> = {
  "train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte",
}

--- The paths of images and labels.
local function find_files(self, caller, given)
  local folder = ("%s/%s/raw"):format(given.root, caller)
  local paths, missing, packed = {}, {}, {}
  for k, name in ipairs(kFiles) do
    packed[k] = {name .. ".gz", self.sums[k]}
    local path = found(folder .. "/" .. name)
    if path and given.download and path:find "%.gz$" then downloads.check(caller, path, self.sums[k]) end
    local needed = given.train == (k <= 2)
    if needed then paths[#paths + 1] = path end
    if needed and not path then missing[#missing + 1] = ("%s/%s or %s.gz"):format(folder, name, name) end
  end
  if #missing > 0 then
    downloads.raise_missing(caller, given.download, missing, folder, self.url, packed)
  end
  return paths[1], paths[2]
end

function MNIST:init(...) self:read(read_mnist(...)) end

--- Reads the files selected by `given`.
function MNIST:read(given)
  local caller = getmetatable(self).name
  self:set_transforms(given)
  self:set_classes(self.class_names)
  local images_path, labels_path = find_files(self, caller, given)
  local images, labels = read_idx(caller, images_path, 3), read_idx(caller, labels_path, 1)
  if #images ~= #labels then
    raise("%s: %s holds %d images, %s holds %d labels", caller, images_path, #images, labels_path, #labels)
  end
  local most = labels:max():item()
  if most >= #self.classes then
    raise("%s: %s: expected labels from 0 to %d, got %d", caller, labels_path, #self.classes - 1, most)
  end
  self.root, self.train = given.root, given.train
  self:set_arrays(images:unsqueeze(2), labels:to "int64" + 1)
end

--- Images of clothes in root/FashionMNIST/raw; see MNIST.
---@param root string  the folder
---@param train boolean = true  the training set; false: the test set
---@param transform function = nil  applied to images
---@param target_transform function = nil  applied to targets
---@param download boolean = false  report what to download and check files; nothing is downloaded
---@counts targets, as classes
---@errors missing files: the message lists them and their sources
---@see data.DataLoader vision.transforms.Compose vision.datasets.ImageFolder
---@example
--- local root = os.tmpname()
--- os.remove(root)
--- os.execute("mkdir -p '" .. root .. "'")
--- os.execute("mkdir -p '" .. root .. "/FashionMNIST/raw'")
--- local raw = root .. "/FashionMNIST/raw/"
--- tide.vision.write_file(raw .. "train-images-idx3-ubyte", (">I4I4I4I4"):pack(0x803, 2, 1, 1) .. "\7\8")
--- tide.vision.write_file(raw .. "train-labels-idx1-ubyte", (">I4I4"):pack(0x801, 2) .. "\0\9")
--- local set = tide.vision.datasets.FashionMNIST(root)
--- local x = set.classes[10]
--- os.execute("rm -r '" .. root .. "'")
--- x --> "Ankle boot"
local FashionMNIST, read_fashion = define("vision.datasets.FashionMNIST", MNIST)

function FashionMNIST:init(...) self:read(read_fashion(...)) end

FashionMNIST.url = "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"
FashionMNIST.sums = {
  "8d4fb7e6c68d591d4c3dfef9ec88bf0d", "25c81989df183df01b3e8a0aad5dffbe",
  "bef4ecab320f06d8554ea6380940ec79", "bb300cfdad3c16e7a12a480ee83cd310",
}
FashionMNIST.class_names = {
  "T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot",
}

--- Handwritten hiragana in root/KMNIST/raw; see MNIST.
---@param root string  the folder
---@param train boolean = true  the training set; false: the test set
---@param transform function = nil  applied to images
---@param target_transform function = nil  applied to targets
---@param download boolean = false  report what to download and check files; nothing is downloaded
---@counts targets, as classes
---@errors missing files: the message lists them and their sources
---@see data.DataLoader vision.transforms.Compose vision.datasets.ImageFolder
---@example
--- local root = os.tmpname()
--- os.remove(root)
--- os.execute("mkdir -p '" .. root .. "'")
--- os.execute("mkdir -p '" .. root .. "/KMNIST/raw'")
--- local raw = root .. "/KMNIST/raw/"
--- tide.vision.write_file(raw .. "train-images-idx3-ubyte", (">I4I4I4I4"):pack(0x803, 2, 1, 1) .. "\7\8")
--- tide.vision.write_file(raw .. "train-labels-idx1-ubyte", (">I4I4"):pack(0x801, 2) .. "\0\9")
--- local set = tide.vision.datasets.KMNIST(root)
--- local x = set.class_to_idx.wo
--- os.execute("rm -r '" .. root .. "'")
--- x --> 10
local KMNIST, read_kuzushiji = define("vision.datasets.KMNIST", MNIST)

function KMNIST:init(...) self:read(read_kuzushiji(...)) end

KMNIST.url = "http://codh.rois.ac.jp/kmnist/dataset/kmnist/"
KMNIST.sums = {
  "bdb82020997e1d708af4cf47b453dcf7", "e144d726b3acfaa3e44228e80efcd344",
  "5c965bf0a639b31b8f53240b1b52f4d7", "7320c461ea6c1c855c0b718fb2a4b134",
}
KMNIST.class_names = {"o", "ki", "su", "tsu", "na", "ha", "ma", "ya", "re", "wo"}

return {MNIST = MNIST, FashionMNIST = FashionMNIST, KMNIST = KMNIST}

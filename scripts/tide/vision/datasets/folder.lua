-- datasets.DatasetFolder and ImageFolder: a folder for each class.
local define = require "tide.internal.declare.define"
local native = require "tide.native"
local protocol = require "tide.data.protocol"
local raise = require "tide.internal.raise"
local tide = require "tide"
local VisionDataset = require "tide.vision.datasets.vision_dataset"

--- torchvision's list. An image that is neither PNG nor JPEG is an error when it is read, so that no sample is
--- silently skipped.
local kPictures <const> = {".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp"}
local kDeepest <const> = 16 -- nested folders

--- Like ImageFolder, for any kind of files: loader(path) reads a sample. Either extensions, such as {".npy"}, or
--- is_valid_file(path) selects the files.
---@param root string  the folder
---@param loader function  reads a file
---@param extensions string[] = nil  extensions of the files
---@param transform function = nil  applied to images
---@param target_transform function = nil  applied to targets
---@param is_valid_file function = nil  takes a path and returns whether it is a sample
---@param allow_empty boolean = false  allow folders without samples
---@counts targets, as classes
---@errors the folder does not exist, or a folder of a class has no samples, unless allow_empty
---@see data.DataLoader vision.transforms.Compose vision.datasets.ImageFolder
---@example
--- local root = os.tmpname()
--- os.remove(root)
--- os.execute("mkdir -p '" .. root .. "'")
--- os.execute("cd '" .. root .. "' && mkdir cat dog")
--- local image = tide.ones({1, 2, 2}, {dtype = "uint8"})
--- for _, name in ipairs{"cat", "dog"} do tide.vision.write_png(image, root .. "/" .. name .. "/1.png") end
--- local x = #tide.vision.datasets.DatasetFolder(root, tide.np.load, {extensions = {".png"}})
--- os.execute("rm -r '" .. root .. "'")
--- x --> 2
local DatasetFolder, read_samples = define("vision.datasets.DatasetFolder", VisionDataset)

local function has_extension(path, extensions)
  local lower = path:lower()
  for _, extension in ipairs(extensions) do
    if lower:sub(-#extension) == extension:lower() then return true end
  end
  return false
end

--- Adds {path, file names} of a folder and its subfolders to `found`.
local function walk(caller, path, depth, found)
  if depth > kDeepest then
    raise("%s: %s: folders are nested more than %d deep: is there a symbolic link cycle?", caller, path, kDeepest)
  end
  local names, kinds = native.list_folder(path)
  local files = {}
  for i, name in ipairs(names) do
    if kinds[i] == "folder" then
      walk(caller, path .. "/" .. name, depth + 1, found)
    elseif kinds[i] == "file" then
      files[#files + 1] = name
    end
  end
  found[#found + 1] = {path, files}
end

--- Names of the folders in the root folder.
local function find_classes(caller, root)
  local names, kinds = native.list_folder(root)
  local classes = {}
  for i, name in ipairs(names) do
    if kinds[i] == "folder" then classes[#classes + 1] = name end
  end
  if #classes == 0 then raise("%s: %s has no subfolders: expected one for each class", caller, root) end
  return classes
end

--- Paths and classes in torchvision's order: by class, folder and name.
local function find_samples(caller, given, classes, is_valid)
  local samples, empty = {}, {}
  for k, name in ipairs(classes) do
    local before, folders = #samples, {}
    walk(caller, given.root .. "/" .. name, 1, folders)
    table.sort(folders, function(a, b) return a[1] < b[1] end)
    for _, folder in ipairs(folders) do
      for _, file in ipairs(folder[2]) do
        local path = folder[1] .. "/" .. file
        if is_valid(path) then samples[#samples + 1] = {path, k} end
      end
    end
    if #samples == before then empty[#empty + 1] = name end
  end
  if #empty > 0 and not given.allow_empty then
    raise("%s: %s: no valid file for the classes %s%s", caller, given.root, table.concat(empty, ", "),
      given.extensions and ": extensions are " .. table.concat(given.extensions, ", ") or "")
  end
  return samples
end

local function read(self, caller, given)
  self:set_transforms(given)
  if (given.extensions == nil) == (given.is_valid_file == nil) then
    raise("%s: expected either extensions or is_valid_file", caller)
  end
  if type(given.extensions) == "string" then given.extensions = {given.extensions} end
  self.root, self.loader, self.extensions = given.root, given.loader, given.extensions
  self:set_classes(find_classes(caller, given.root))
  self.samples = find_samples(caller, given, self.classes, given.is_valid_file
    or function(path) return has_extension(path, given.extensions) end)
  self.targets = {}
  for i, sample in ipairs(self.samples) do self.targets[i] = sample[2] end
end

function DatasetFolder:init(...) read(self, getmetatable(self).name, read_samples(...)) end

function DatasetFolder:__len() return #self.samples end

function DatasetFolder:get(i)
  local sample = self.samples[protocol.check_position(getmetatable(self).name, i, #self)]
  return self:transformed(self:load(sample[1]), sample[2])
end

--- A file as loaded by the loader.
function DatasetFolder:load(path) return self.loader(path) end

--- Images in a folder for each class, root/dog/x.png, in torchvision's order: a sample is the uint8 RGB image
--- (3, height, width), or the result of loader(path), and its class. Fields: classes, class_to_idx, samples, targets.
---@param root string  the folder
---@param transform function = nil  applied to images
---@param target_transform function = nil  applied to targets
---@param loader function = read_image  reads a file
---@param is_valid_file function = nil  takes a path and returns whether it is a sample
---@param allow_empty boolean = false  allow folders without samples
---@counts targets, as classes
---@errors the folder does not exist, or a folder of a class has no samples, unless allow_empty
---@see data.DataLoader vision.transforms.Compose
---@example
--- local root = os.tmpname()
--- os.remove(root)
--- os.execute("mkdir -p '" .. root .. "'")
--- os.execute("cd '" .. root .. "' && mkdir cat dog")
--- local image = tide.ones({1, 2, 2}, {dtype = "uint8"})
--- for _, name in ipairs{"cat", "dog"} do tide.vision.write_png(image, root .. "/" .. name .. "/1.png") end
--- local x = tide.vision.datasets.ImageFolder(root).class_to_idx
--- os.execute("rm -r '" .. root .. "'")
--- x --> {cat = 1, dog = 2}
local ImageFolder, read_pictures = define("vision.datasets.ImageFolder", DatasetFolder)

function ImageFolder:init(...)
  local caller, given = getmetatable(self).name, read_pictures(...)
  if not given.is_valid_file then given.extensions = kPictures end
  read(self, caller, given)
  self.imgs = self.samples
end

--- Loads a file with the loader; without one, as an RGB image.
function ImageFolder:load(path)
  if self.loader then return self.loader(path) end
  return tide.vision.read_image(path, {mode = "rgb"})
end

return {DatasetFolder = DatasetFolder, ImageFolder = ImageFolder}

-- datasets.DatasetFolder and ImageFolder: a folder for each class.
local arguments = require "tide.internal.arguments"
local class = require "tide.internal.class"
local native = require "tide.native"
local of_kind = require "tide.internal.of_kind"
local protocol = require "tide.data.protocol"
local raise = require "tide.internal.raise"
local tide = require "tide"
local VisionDataset = require "tide.vision.datasets.vision_dataset"

--- torchvision's list. A picture that is neither PNG nor JPEG is an error when it is read, so that no sample is
--- left out in silence.
local kPictures <const> = {".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp"}
local kDeepest <const> = 16 -- folders in folders

local DatasetFolder = class("DatasetFolder", VisionDataset)

local function has_extension(path, extensions)
  local lower = path:lower()
  for _, extension in ipairs(extensions) do
    if lower:sub(-#extension) == extension:lower() then return true end
  end
  return false
end

--- Adds {path, names of the files in it} of a folder and those below it to `found`.
local function walk(caller, path, depth, found)
  if depth > kDeepest then
    raise("%s: %s: folders are nested more than %d deep: does a link lead back?", caller, path, kDeepest)
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

--- Names of the folders in the root.
local function find_classes(caller, root)
  local names, kinds = native.list_folder(root)
  local classes = {}
  for i, name in ipairs(names) do
    if kinds[i] == "folder" then classes[#classes + 1] = name end
  end
  if #classes == 0 then raise("%s: %s: has no folder in it: expected one for each class", caller, root) end
  return classes
end

--- Paths and classes, in torchvision's order: by class, folder and name.
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

local kKinds <const> = {root = "string", extensions = "table", is_valid_file = "function", allow_empty = "boolean", loader = "function"}

--- DatasetFolder(root, loader, {extensions or is_valid_file, transform =, target_transform =,
--- allow_empty = false}): loader(path) reads a sample.
function DatasetFolder:init(...)
  local caller = getmetatable(self).name
  local given = arguments(caller, {
    "root", "loader", {"extensions"}, {"transform"}, {"target_transform"}, {"is_valid_file"}, {"allow_empty", false},
  }, kKinds)(...)
  for i, extension in ipairs(given.extensions or {}) do
    of_kind(caller, ("extensions[%d]"):format(i), extension, "string")
  end
  read(self, caller, given)
end

function DatasetFolder:__len() return #self.samples end

function DatasetFolder:get(i)
  local sample = self.samples[protocol.check_position(getmetatable(self).name, i, #self)]
  return self:transformed(self:load(sample[1]), sample[2])
end

--- What the loader makes of a file.
function DatasetFolder:load(path) return self.loader(path) end

local ImageFolder = class("ImageFolder", DatasetFolder)

--- ImageFolder(root, {transform =, target_transform =, loader =, is_valid_file =, allow_empty = false}).
function ImageFolder:init(...)
  local caller = getmetatable(self).name
  local given = arguments(caller, {
    "root", {"transform"}, {"target_transform"}, {"loader"}, {"is_valid_file"}, {"allow_empty", false},
  }, kKinds)(...)
  if not given.is_valid_file then given.extensions = kPictures end
  read(self, caller, given)
  self.imgs = self.samples
end

--- Without a loader, the picture in RGB.
function ImageFolder:load(path)
  if self.loader then return self.loader(path) end
  return tide.vision.read_image(path, {mode = "rgb"})
end

return {DatasetFolder = DatasetFolder, ImageFolder = ImageFolder}

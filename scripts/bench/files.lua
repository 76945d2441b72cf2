-- Workloads that read files: pictures made ready for training, and large arrays.
local tide = require "tide"
local program = require "bench.program"

-- Pictures ----------------------------------------------------------------------------------------

local kPictures <const>, kHeight <const>, kWidth <const> = 256, 375, 500

--- Picture i: waves of other lengths in each colour, and noise, as the peer makes it.
local function picture(i)
  local x = tide.arange(kWidth):view(1, 1, kWidth)
  local y = tide.arange(kHeight):view(1, kHeight, 1)
  local wave = tide.tensor({1, 2, 3}):view(3, 1, 1)
  local value = 128 + 60 * (x * wave * 0.02 + i):sin() + 40 * (y * wave * 0.03):cos()
    + 20 * tide.rand(3, kHeight, kWidth)
  return value:clamp(0, 255):to("uint8")
end

local Pictures = tide.class("Pictures", tide.data.Dataset)

function Pictures:init(folder, transform) self.folder, self.transform = folder, transform end

function Pictures:len() return kPictures end

function Pictures:get(i)
  local image = tide.vision.read_image(("%s/%d.jpg"):format(self.folder, i), {mode = "rgb"})
  return self.transform(image), i
end

--- A pass over all pictures: read, cut out at random, scaled, flipped, normalized, in batches of 32.
local function pictures()
  local T = tide.vision.transforms
  local folder = program.folder()
  for i = 1, kPictures do
    tide.vision.write_jpeg(picture(i), ("%s/%d.jpg"):format(folder.path, i), 90)
  end
  local transform = T.Compose {
    T.RandomResizedCrop(224), T.RandomHorizontalFlip(), T.ConvertImageDtype "float32",
    T.Normalize({0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}),
  }
  local loader = tide.data.DataLoader(Pictures(folder.path, transform),
    {batch_size = 32, num_workers = 2, persistent_workers = true})
  return function()
    local last
    for x in loader do last = x end
    return last:sum():item(), folder -- whose files stay as long as this function
  end
end

-- Arrays ------------------------------------------------------------------------------------------

local kArrays <const>, kElements <const> = 16, 16 << 20 -- 1 GiB

--- A file of 1 GiB of tensors, which the system holds in memory.
local function write_arrays()
  local folder, arrays = program.folder(), {}
  for i = 1, kArrays do arrays["a" .. i] = tide.rand(kElements) end
  folder.file = folder.path .. "/arrays.safetensors"
  tide.save(arrays, folder.file)
  return folder
end

local function gigabytes(seconds) return kArrays * kElements * 4 / seconds / 1e9 end

local function load_file()
  local folder = write_arrays()
  return function() return tide.load(folder.file) end
end

--- The same bytes, read into one buffer over and over.
local function read_file()
  local folder = write_arrays()
  return function()
    program.output(("dd if='%s' of=/dev/null bs=16M status=none"):format(folder.file))
  end
end

return {
  {
    name = "pictures",
    words = "256 JPEG files (3, 375, 500): read, cut, scaled to 224, flipped, normalized, batched; 2 workers",
    unit = "images/s",
    more_is_better = true,
    figure = function(t) return kPictures / t end,
    make = pictures,
  },
  {
    name = "load_1g",
    words = "loading 1 GiB of a safetensors file that the system holds in memory",
    unit = "GB/s",
    more_is_better = true,
    figure = gigabytes,
    make = load_file,
  },
  {
    name = "read_1g",
    words = "reading the same file by dd, 16 MiB at a time",
    unit = "GB/s",
    more_is_better = true,
    alone = true,
    figure = gigabytes,
    make = read_file,
  },
}

-- Runs the golden cases of functions on pictures: what torchvision makes of one.
local tide = require "tide"
local nearness = dofile((debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or ".") .. "/nearness.lua")

local transforms = {}

--- The picture of all cases: (7 i + i * i // 11) % 256 for its element i from 0.
local function make_image(device)
  local i = tide.arange(3 * 37 * 53)
  return ((i * 7 + i * i // 11) % 256):to("uint8"):reshape(3, 37, 53):to(device)
end

--- Runs each call; calls report(words, status, message) for it. A name that is not there fails.
function transforms.run(folder, device, report)
  local vision = dofile(folder .. "/vision.lua")
  local tensors = tide.load(folder .. "/" .. vision.file)
  for number, case in ipairs(vision.transforms) do
    local ok, difference = pcall(function()
      local image = make_image(device)
      local call = assert(load("local tide, T, image, picture = ... " .. case.call, "=case"))
      local result = call(tide, tide.vision.transforms.functional, image, image:to("float32") / 255)
      return nearness.difference(result, tensors["transform." .. number], case.most)
    end)
    report(("%d: %s"):format(number, case.call), ok and not difference and "passed" or "failed",
      tostring(difference))
  end
end

return transforms

-- Runs the golden cases of picture files: what torchvision reads in them.
local tide = require "tide"
local nearness = dofile((debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or ".") .. "/nearness.lua")

local files = {}

--- Reads each file; calls report(words, status, message) for it.
function files.run(folder, report)
  local vision = dofile(folder .. "/vision.lua")
  local tensors = tide.load(folder .. "/" .. vision.file)
  for _, case in ipairs(vision.files) do
    local ok, difference = pcall(function()
      local image = tide.vision.read_image(folder .. "/" .. case.file, {mode = case.mode})
      return nearness.difference(image, tensors[case.tensor], case.most)
    end)
    report(("%s, %s"):format(case.file, case.mode), ok and not difference and "passed" or "failed",
      tostring(difference))
  end
end

return files

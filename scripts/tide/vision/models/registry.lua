-- tide.vision.models.list and get_model: networks by name.
local checked = require "tide.internal.declare.checked"
local families = require "tide.vision.models.internal.families"
local nearest = require "tide.internal.nearest"
local raise = require "tide.internal.raise"

local registry = {}

local file_of -- the file of each network, built on first use

local function files()
  if not file_of then
    file_of = {}
    for file, names in pairs(families) do
      for _, name in ipairs(file == "registry" and {} or names) do file_of[name] = file end
    end
  end
  return file_of
end

--- The names of all networks, sorted.
---@example
--- tide.vision.models.list()[1] --> "alexnet"
registry.list = checked("vision.models.list", function()
  local names = {}
  for name in pairs(files()) do names[#names + 1] = name end
  table.sort(names)
  return names
end)

--- Builds the network of this name with options.
---@param name string  name of the network
---@param options table = {}  its options
---@example
--- tide.vision.models.get_model("lenet", {num_classes = 2})(tide.ones(1, 1, 28, 28)).shape --> {1, 2}
registry.get_model = checked("vision.models.get_model", function(name, options)
  local file = type(name) == "string" and files()[name]
  if not file then
    local near = nearest(tostring(name), files())
    raise("get_model: unknown network '%s'%s", tostring(name),
      near and ("; did you mean '%s'?"):format(near) or ": tide.vision.models.list() lists all")
  end
  return require("tide.vision.models." .. file)[name](options)
end)

return registry

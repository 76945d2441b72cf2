-- tide.vision.models.list and get_model: networks by name.
local checked = require "tide.internal.declare.checked"
local models = require "tide.vision.models"
local nearest = require "tide.internal.nearest"
local raise = require "tide.internal.raise"

local registry = {}

--- A set of the names of all networks.
local function networks()
  local names = {}
  for name in pairs(getmetatable(models).__names()) do names[name] = not registry[name] or nil end
  return names
end

--- The names of all networks, sorted.
---@example
--- tide.vision.models.list()[1] --> "alexnet"
registry.list = checked("vision.models.list", function()
  local names = {}
  for name in pairs(networks()) do names[#names + 1] = name end
  table.sort(names)
  return names
end)

--- Builds the network of this name with options.
---@param name string  name of the network
---@param options table = {}  its options
---@example
--- tide.vision.models.get_model("lenet", {num_classes = 2})(tide.ones(1, 1, 28, 28)).shape --> {1, 2}
registry.get_model = checked("vision.models.get_model", function(name, options)
  if not networks()[name] then
    local near = nearest(name, networks())
    raise("get_model: unknown network '%s'%s", name,
      near and ("; did you mean '%s'?"):format(near) or ": tide.vision.models.list() lists all")
  end
  return models[name](options)
end)

return registry

-- tide.vision.models.list and get_model: the networks by their names.
local families = require "tide.vision.models.internal.families"
local nearest = require "tide.internal.nearest"
local raise = require "tide.internal.raise"

local registry = {}

local file_of -- the file that makes each network; made when it is first needed

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
function registry.list()
  local names = {}
  for name in pairs(files()) do names[#names + 1] = name end
  table.sort(names)
  return names
end

--- The network of this name: get_model("resnet18", {num_classes = 10}).
function registry.get_model(name, options)
  local file = type(name) == "string" and files()[name]
  if not file then
    local near = nearest(tostring(name), files())
    raise("get_model: there is no network '%s'%s", tostring(name),
      near and ("; did you mean '%s'?"):format(near) or ": tide.vision.models.list() names them all")
  end
  return require("tide.vision.models." .. file)[name](options)
end

return registry

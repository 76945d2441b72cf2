-- The function of a network: reads its table of options and builds it.
local kind_of = require "tide.internal.kind_of"
local raise = require "tide.internal.raise"
local reader = require "tide.internal.declare.reader"

--- tide has no weights: an option that requests them is an error that shows how to load a file.
local function check_weights(name, options)
  if options.weights or options.pretrained then
    raise([[%s: weights cannot be downloaded: load a file, as in ]]
      .. [[net:load_state_dict(tide.load("%s.safetensors"))]], name, name)
  end
end

--- The options that are not fixed by the network's name. A different value for a fixed one is an error.
local function open_options(name, options, fixed)
  local open = {}
  for option, value in pairs(options) do
    if option == "weights" or option == "pretrained" then
      -- false: no weights requested
    elseif fixed[option] == nil then
      open[option] = value
    elseif fixed[option] ~= value then
      raise("%s: %s is %s in this network, got %s", name, option, tostring(fixed[option]), tostring(value))
    end
  end
  return open
end

--- Makes the declared function, "vision.models.resnet18", which returns build(values). `fixed` has the options that
--- the network's name determines.
local function network(declared, build, fixed)
  local read, name = reader(declared), declared:match "[%w_]+$"
  fixed = fixed or {}
  return function(options, ...)
    options = options == nil and {} or options
    if type(options) ~= "table" or getmetatable(options) or #options > 0 then
      raise("%s: expected a table of options by name, got %s", name,
        type(options) == "table" and "a list" or kind_of(options))
    end
    if select("#", ...) > 0 then raise("%s: too many arguments: argument 2 is a %s", name, kind_of((...))) end
    check_weights(name, options)
    local values = read(open_options(name, options, fixed))
    for option, value in pairs(fixed) do values[option] = value end
    return build(values)
  end
end

return network

-- The function of a network: reads its table of options, and builds it.
local kind_of = require "tide.internal.kind_of"
local raise = require "tide.internal.raise"
local reader = require "tide.internal.declare.reader"

--- Weights are not part of tide: an option that asks for them says how to load some.
local function check_weights(name, options)
  if options.weights or options.pretrained then
    raise([[%s: there are no weights to download: load a file, as in ]]
      .. [[net:load_state_dict(tide.load("%s.safetensors"))]], name, name)
  end
end

--- The options that are not part of the name of the network. Another value of those that are is an error.
local function open_options(name, options, fixed)
  local open = {}
  for option, value in pairs(options) do
    if option == "weights" or option == "pretrained" then
      -- nil or false, which asks for none
    elseif fixed[option] == nil then
      open[option] = value
    elseif fixed[option] ~= value then
      raise("%s: %s is %s in this network, got %s", name, option, tostring(fixed[option]), tostring(value))
    end
  end
  return open
end

--- The function that is declared as `declared`, "vision.models.resnet18", which returns build(values). `fixed` holds
--- the options that are part of the name of the network.
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

-- The function of a network: reads its table of options, and builds it.
local declarations = require "tide.internal.declarations"
local kind_of = require "tide.internal.kind_of"
local nearest = require "tide.internal.nearest"
local raise = require "tide.internal.raise"

--- Raises an error for an option that the network does not have.
local function unknown_option(name, option, declared)
  local known, sorted = {}, {}
  for i, entry in ipairs(declared) do
    known[entry[1]], sorted[i] = true, entry[1]
  end
  table.sort(sorted)
  local near = nearest(tostring(option), known)
  raise("%s: there is no option '%s'%s", name, tostring(option),
    near and ("; did you mean '%s'?"):format(near) or ": known are " .. table.concat(sorted, ", "))
end

local function is_callable(value)
  return type(value) == "function" or (getmetatable(value) or {}).__call ~= nil
end

--- The value of an option, which must be of the kind of its default: a whole number, a number, a
--- boolean, or something to call.
local function checked(name, option, value, default)
  local expected, fits
  if math.type(default) == "integer" then
    local count = type(value) == "number" and math.tointeger(value)
    expected, fits = "a whole number of at least 1", count and count >= 1
    value = count or value
  elseif type(default) == "number" then
    expected, fits = "a number", type(value) == "number"
  elseif type(default) == "boolean" then
    expected, fits = "true or false", type(value) == "boolean"
  elseif is_callable(default) then
    expected, fits = "a class or function that makes a layer", is_callable(value)
  else
    fits = true
  end
  if not fits then
    raise("%s: %s: expected %s, got %s", name, option, expected,
      type(value) == "number" and tostring(value) or kind_of(value))
  end
  return value
end

--- Weights are not part of tide: an option that asks for them says how to load some.
local function check_weights(name, options)
  if options.weights or options.pretrained then
    raise([[%s: there are no weights to download: load a file, as in ]]
      .. [[net:load_state_dict(tide.load("%s.safetensors"))]], name, name)
  end
end

--- The options that `fixed` leaves open.
local function open_options(declared, fixed)
  local open = {}
  for _, entry in ipairs(declared) do
    if fixed[entry[1]] == nil then open[#open + 1] = entry end
  end
  return open
end

--- A function(options) that returns build(values). `declared` lists the options as {name, default},
--- where the default tells the kind of the option, and nil allows any. `fixed` holds those that are
--- part of the name of the network: another value is an error.
local function network(name, declared, build, fixed)
  declarations["vision.models." .. name] = {declared = open_options(declared, fixed or {}), kinds = {}}
  return function(options)
    options = options == nil and {} or options
    if type(options) ~= "table" or getmetatable(options) or #options > 0 then
      raise("%s: expected a table of options by name, got %s", name,
        type(options) == "table" and "a list" or kind_of(options))
    end
    check_weights(name, options)
    local values, defaults = {}, {}
    for _, entry in ipairs(declared) do
      values[entry[1]], defaults[entry[1]] = entry[2], entry
    end
    for option, value in pairs(options) do
      if defaults[option] then
        values[option] = checked(name, option, value, defaults[option][2])
      elseif option ~= "weights" and option ~= "pretrained" then
        unknown_option(name, option, declared)
      end
    end
    for option, value in pairs(fixed or {}) do
      if options[option] ~= nil and options[option] ~= value then
        raise("%s: %s is %s in this network, got %s", name, option, tostring(value),
          tostring(options[option]))
      end
      values[option] = value
    end
    return build(values)
  end
end

return network

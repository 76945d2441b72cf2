-- The options of a trainer: their conversion, allowed values, and messages for common mistakes.
local nearest = require "tide.internal.nearest"
local protocol = require "tide.data.protocol"
local raise = require "tide.internal.raise"
local tide = require "tide"

local kName <const> = "Trainer"

local function fail(name, expected, value)
  raise("%s: %s: expected %s, got %s", kName, name, expected,
    type(value) == "number" and tostring(value) or type(value) == "string" and "'" .. value .. "'"
      or protocol.kind_of(value))
end

-- Functions (name, value) that return the value to use.

--- An integer number of batches, or a fraction as a float from 0 to 1.
local function limit(name, value)
  local is_count = math.type(value) == "integer" and value >= 0
  local is_share = math.type(value) == "float" and value >= 0 and value <= 1
  if not is_count and not is_share then
    fail(name, "an integer number of batches, or a fraction as a float from 0.0 to 1.0", value)
  end
  return value
end

--- Seconds: a number, "DD:HH:MM:SS", or {days =, hours =, minutes =, seconds =}.
local function duration(name, value)
  if type(value) == "number" and value > 0 then return value end
  if type(value) == "string" then
    local days, hours, minutes, seconds = value:match "^(%d+):(%d+):(%d+):(%d+)$"
    if days then return ((days * 24 + hours) * 60 + minutes) * 60 + seconds end
  end
  if type(value) == "table" then
    local factors, total = {days = 86400, hours = 3600, minutes = 60, seconds = 1}, 0
    for unit, number in pairs(value) do
      if not factors[unit] or type(number) ~= "number" then
        fail(name .. "." .. tostring(unit), "days, hours, minutes or seconds", number)
      end
      total = total + factors[unit] * number
    end
    if total > 0 then return total end
  end
  fail(name, '"DD:HH:MM:SS", seconds, or {hours = 1, minutes = 30}', value)
end

local function list(name, value)
  if type(value) ~= "table" then fail(name, "a list", value) end
  return protocol.is_list(value) and value or {value}
end

--- The loggers of an option; a boolean switches the default loggers on or off.
local function loggers(name, value)
  if type(value) == "boolean" then return value end
  local all = list(name, value)
  for _, logger in ipairs(all) do
    if not protocol.method(logger, "log_metrics") then fail(name, "true, false, a logger or a list of them", logger) end
  end
  return all
end

--- Functions that check and convert options beyond their declared types.
local kForms <const> = {
  callbacks = list, device = function(_, value) return tide.device(value) end,
  fast_dev_run = function(_, value) return type(value) == "boolean" and (value and 1 or 0) or value end,
  limit_predict_batches = limit, limit_test_batches = limit, limit_train_batches = limit, limit_val_batches = limit,
  logger = loggers, max_time = duration, overfit_batches = limit, val_check_interval = limit,
}

-- Names of options in other libraries.
local kCalled <const> = {
  accelerator = "device", devices = "device", epochs = "max_epochs", log_dir = "default_root_dir",
  grad_clip = "gradient_clip_val", verbose = "enable_progress_bar",
}

--- Raises an error for an option that is not in `known`.
local function unknown(caller, name, known)
  local near = kCalled[name] and known[kCalled[name]] and kCalled[name]
    or nearest(tostring(name), known)
  local names = {}
  for other in pairs(known) do names[#names + 1] = other end
  table.sort(names)
  raise("%s: unknown option '%s'%s", caller, tostring(name),
    near and ("; did you mean '%s'?"):format(near) or ": known are " .. table.concat(names, ", "))
end

--- Raises an error unless `given` is nil or a table of options with these names.
local function check(given, names, ...)
  if given ~= nil and (type(given) ~= "table" or getmetatable(given)) then
    raise("%s: expected a table of options, got %s", kName, protocol.kind_of(given))
  end
  if select("#", ...) > 0 then raise("%s: too many arguments: argument 2 is a %s", kName, protocol.kind_of((...))) end
  local known = {}
  for _, name in ipairs(names) do known[name] = true end
  for name in pairs(given or {}) do
    if not known[name] then unknown(kName, name, known) end
  end
end

--- Converts the options of a trainer to the form that it uses.
local function prepare(options)
  for name, form in pairs(kForms) do
    if options[name] ~= nil then options[name] = form(name, options[name]) end
  end
  if options.default_root_dir == "" then fail("default_root_dir", "the name of a folder", "") end
  options.callbacks = options.callbacks or {}
  options.device = options.device or tide.accelerator()
  if options.fast_dev_run > 0 then
    for _, name in ipairs {"limit_train_batches", "limit_val_batches", "limit_test_batches",
      "limit_predict_batches"} do
      options[name] = options.fast_dev_run
    end
    options.max_epochs, options.max_steps, options.num_sanity_val_steps = 1, nil, 0
    options.logger, options.enable_checkpointing = false, false
  end
  return options
end

return {check = check, prepare = prepare}

-- The options of a trainer: their defaults, what they may be, and messages for slips.
local declarations = require "tide.internal.declarations"
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

-- Kinds: functions (name, value) that give the value to use.

local function boolean(name, value)
  if type(value) ~= "boolean" then fail(name, "true or false", value) end
  return value
end

local function count(name, value)
  local whole = protocol.whole(value)
  if not whole or whole < 0 then fail(name, "a whole number, 0 or more", value) end
  return whole
end

local function positive(name, value)
  local whole = protocol.whole(value)
  if not whole or whole < 1 then fail(name, "a positive whole number", value) end
  return whole
end

local function above_zero(name, value)
  if type(value) ~= "number" or not (value > 0) then fail(name, "a number above 0", value) end
  return value
end

--- A whole number of batches, or a share as a float from 0 to 1.
local function limit(name, value)
  local is_count = math.type(value) == "integer" and value >= 0
  local is_share = math.type(value) == "float" and value >= 0 and value <= 1
  if not is_count and not is_share then
    fail(name, "a whole number of batches, or a share as a float from 0.0 to 1.0", value)
  end
  return value
end

local function one_of(...)
  local words = {...}
  return function(name, value)
    for _, word in ipairs(words) do
      if word == value then return value end
    end
    fail(name, "one of " .. table.concat(words, ", "), value)
  end
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

local kKinds <const> = {
  accumulate_grad_batches = positive, callbacks = list, check_val_every_n_epoch = positive,
  default_root_dir = function(name, value)
    if type(value) ~= "string" or value == "" then fail(name, "the name of a folder", value) end
    return value
  end,
  detect_anomaly = boolean, deterministic = boolean,
  device = function(_, value) return tide.device(value) end,
  enable_checkpointing = boolean, enable_progress_bar = boolean,
  fast_dev_run = function(name, value)
    if type(value) == "boolean" then return value and 1 or 0 end
    return count(name, value)
  end,
  gradient_clip_algorithm = one_of("norm", "value"), gradient_clip_val = above_zero,
  limit_predict_batches = limit,
  limit_test_batches = limit, limit_train_batches = limit, limit_val_batches = limit,
  log_every_n_steps = positive,
  logger = function(name, value)
    if type(value) == "boolean" then return value end
    local loggers = list(name, value)
    for _, logger in ipairs(loggers) do
      if not protocol.method(logger, "log_metrics") then
        fail(name, "true, false, a logger or a list of them", logger)
      end
    end
    return loggers
  end,
  max_epochs = positive, max_steps = positive, max_time = duration, min_epochs = count,
  min_steps = count,
  num_sanity_val_steps = count, overfit_batches = limit,
  precision = one_of("32", "16-mixed", "bf16-mixed"),
  val_check_interval = limit,
}

local kDefaults <const> = {
  accumulate_grad_batches = 1, check_val_every_n_epoch = 1, detect_anomaly = false,
  deterministic = false, enable_progress_bar = true, fast_dev_run = 0, gradient_clip_algorithm = "norm",
  limit_predict_batches = 1.0, limit_test_batches = 1.0, limit_train_batches = 1.0,
  limit_val_batches = 1.0, log_every_n_steps = 50, min_epochs = 0, min_steps = 0,
  num_sanity_val_steps = 2, overfit_batches = 0, precision = "32", val_check_interval = 1.0,
}

--- All options with their defaults, for the reference.
local function declare()
  local declared = {}
  for name in pairs(kKinds) do declared[#declared + 1] = {name, kDefaults[name]} end
  table.sort(declared, function(a, b) return a[1] < b[1] end)
  declarations[kName] = {declared = declared, kinds = {}}
end
declare()

-- Other libraries' words.
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

--- The options of a trainer, checked, with their defaults.
local function read(given)
  if given ~= nil and (type(given) ~= "table" or getmetatable(given)) then
    raise("%s: expected a table of options, got %s", kName, protocol.kind_of(given))
  end
  local options = {}
  for name, value in pairs(given or {}) do
    if not kKinds[name] then unknown(kName, name, kKinds) end
    options[name] = kKinds[name](name, value)
  end
  for name, value in pairs(kDefaults) do
    if options[name] == nil then options[name] = value end
  end
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

return {read = read, unknown = unknown}

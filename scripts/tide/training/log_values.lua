-- Values that a training logs in one loop: last values, means over the epoch, metrics. All stay tensors
-- until they are read.
local batches = require "tide.training.batches"
local class = require "tide.internal.class"
local kind_of = require "tide.internal.kind_of"
local Mean = require "tide.training.metrics.mean"
local Metric = require "tide.training.metrics.metric"
local raise = require "tide.internal.raise"
local tide = require "tide"

-- Fields: by_step (whether values of a step are logged unaveraged); names (in order); entries, by
-- name: {value, mean, metric, on_step, on_epoch, prog_bar, logger}; restored (saved states of metrics,
-- by name, until the metric is logged).
local LogValues = class "LogValues"

function LogValues:init(by_step)
  self.by_step, self.names, self.entries, self.restored = by_step, {}, {}, {}
end

--- Makes an entry. `in_step`: it is logged in a step, not at the end of an epoch.
local function new_entry(self, name, value, options, in_step)
  if name == "" then raise "log: name: expected a name, got an empty string" end
  local entry = {prog_bar = options.prog_bar, logger = options.logger}
  entry.metric = class.is_a(value, Metric) and value or nil
  local on_step, on_epoch = options.on_step, options.on_epoch
  if on_step == nil then on_step = self.by_step and in_step and not entry.metric end
  if on_epoch == nil then on_epoch = not on_step end
  entry.on_step, entry.on_epoch = on_step, on_epoch
  if on_epoch and not entry.metric then entry.mean = Mean() end
  self.names[#self.names + 1], self.entries[name] = name, entry
  local before = self.restored[name]
  if before and entry.metric then
    -- The metric already includes its first batch.
    value.state = value.state and value:combine(before, value.state) or before
    self.restored[name] = nil
  end
  return entry
end

--- Logs a value; options are those of trainer:log. Does not wait.
function LogValues:log(name, value, options, batch_size, in_step)
  local entry = self.entries[name] or new_entry(self, name, value, options, in_step)
  if entry.metric then return end
  if tide.is_tensor(value) then
    if value:numel() ~= 1 then
      raise("log: %s: expected a single value, got shape (%s)", name,
        table.concat(value.shape, ", "))
    end
    value = value:detach()
  elseif type(value) == "boolean" then
    value = value and 1 or 0
  elseif type(value) ~= "number" then
    raise("log: %s: expected a number, a tensor or a metric, got %s", name, kind_of(value))
  end
  entry.value = value
  if entry.mean then entry.mean:update(value, batch_size or 1) end
end

-- Reading -----------------------------------------------------------------------------------------

--- Converts the values of a table, numbers or tensors, to numbers. Waits once.
function LogValues.read(values)
  local names, tensors, result = {}, {}, {}
  for name, value in pairs(values) do
    if tide.is_tensor(value) then
      if value:numel() ~= 1 then
        raise("log: %s: expected a single value, got shape (%s)", name,
          table.concat(value.shape, ", "))
      end
      names[#names + 1] = name
      tensors[#tensors + 1] = value:detach():reshape({}):to({device = "cpu", dtype = "float64",
        non_blocking = true})
    else
      result[name] = value
    end
  end
  if #names == 0 then return result end
  for i, number in ipairs(tide.stack(tensors):tolist()) do result[names[i]] = number end
  return result
end

local function epoch_value(entry)
  if entry.metric then return entry.metric.state and entry.metric:compute() end
  return entry.mean.state and entry.mean:compute()
end

--- The values of the epoch so far by name, unread.
function LogValues:of_epoch(only)
  local values = {}
  for _, name in ipairs(self.names) do
    local entry = self.entries[name]
    if entry.on_epoch and (not only or entry[only]) then values[name] = epoch_value(entry) end
  end
  return values
end

--- The values of the last step by name, unread; named NAME_step if the mean is logged as NAME.
function LogValues:of_step(only)
  local values = {}
  for _, name in ipairs(self.names) do
    local entry = self.entries[name]
    if entry.on_step and entry.value ~= nil and (not only or entry[only]) then
      values[entry.on_epoch and name .. "_step" or name] = entry.value
    end
  end
  return values
end

--- Values for the progress bar: means, or last values of entries without a mean.
function LogValues:shown()
  local values = self:of_epoch "prog_bar"
  for _, name in ipairs(self.names) do
    local entry = self.entries[name]
    if entry.prog_bar and not entry.on_epoch then values[name] = entry.value end
  end
  return values
end

--- Ends an epoch: resets means and metrics.
function LogValues:reset()
  self.restored = {}
  for _, entry in pairs(self.entries) do
    if entry.mean then entry.mean:reset() end
    if entry.metric then entry.metric:reset() end
    entry.value = nil
  end
end

-- State -------------------------------------------------------------------------------------------

local kFields <const> = {"on_step", "on_epoch", "prog_bar", "logger"}

--- The state needed to resume in the middle of an epoch.
function LogValues:state_dict()
  local list = {}
  for i, name in ipairs(self.names) do
    local entry = self.entries[name]
    local accumulated = entry.metric or entry.mean
    list[i] = {name = name, state = accumulated and accumulated.state,
      is_metric = entry.metric ~= nil}
    for _, field in ipairs(kFields) do list[i][field] = entry[field] end
  end
  return list
end

--- Restores a state_dict, with tensors on a device.
function LogValues:load_state_dict(list, device)
  self:init(self.by_step)
  for _, saved in ipairs(list) do
    local state = saved.state and batches.moved(saved.state, device)
    if saved.is_metric then
      self.restored[saved.name] = state
    else
      local entry = {}
      for _, field in ipairs(kFields) do entry[field] = saved[field] end
      if entry.on_epoch then
        entry.mean = Mean()
        entry.mean.state = state
      end
      self.names[#self.names + 1], self.entries[saved.name] = saved.name, entry
    end
  end
end

return LogValues

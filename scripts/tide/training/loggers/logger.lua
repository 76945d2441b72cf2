-- The base class of loggers: reads values when they are written, and decides when to write.
local class = require "tide.internal.class"
local hyperparams = require "tide.training.loggers.hyperparams"
local kind_of = require "tide.internal.kind_of"
local methods = require "tide.internal.declare.methods"
local native = require "tide.native"
local raise = require "tide.internal.raise"
local tide = require "tide"

local kSeconds <const> = 1 -- between writes

-- Fields: log_dir; caller (in messages); hparams (name to value); closed; written_at (tide.time() of
-- the last write). A class defines write(all); with all = false the newest values may be kept back.
local Logger = class "Logger"

function Logger:start(caller, log_dir)
  self.caller, self.log_dir, self.hparams, self.closed = caller, log_dir, {}, false
  self.written_at = tide.time()
  self.clock_offset = os.time() - self.written_at
end

--- Seconds since 1970.
function Logger:wall_time() return self.clock_offset + tide.time() end

function Logger:check_open()
  if self.closed then raise("%s is closed", self.caller) end
end

--- The step as an integer.
function Logger:checked_step(step)
  local integer = step == nil and 0 or type(step) == "number" and math.tointeger(step)
  if not integer then
    raise("%s: step: expected an integer, got %s", self.caller,
      type(step) == "number" and tostring(step) or kind_of(step))
  end
  return integer
end

function Logger:check_tag(tag)
  if type(tag) ~= "string" or tag == "" then
    raise("%s: tag: expected a name, got %s", self.caller, tag == "" and "an empty string" or kind_of(tag))
  end
end

--- A number, or a copy of a tensor's current value, unread.
function Logger:scalar(tag, value)
  self:check_tag(tag)
  if type(value) == "number" then return value end
  if type(value) == "boolean" then return value and 1 or 0 end
  if not tide.is_tensor(value) then
    raise("%s: %s: expected a number or a tensor, got %s", self.caller, tag, kind_of(value))
  end
  if value:numel() ~= 1 then
    raise("%s: %s: expected a single value, got shape (%s)", self.caller, tag, table.concat(value.shape, ", "))
  end
  return value:detach():clone()
end

--- Converts a result of `scalar` to a number.
function Logger.number(value)
  if type(value) == "number" then return value end
  local read = value:item()
  if type(read) == "boolean" then return read and 1 or 0 end
  return read
end

--- Writes if the last write was at least kSeconds ago.
function Logger:write_sometimes()
  if tide.time() - self.written_at >= kSeconds then self:write_now(false) end
end

function Logger:write_now(all)
  self.written_at = tide.time()
  self:write(all)
end

--- Logs hyperparameters to hparams.yaml and for TensorBoard's table; nested ones are named "outer/inner".
---@param values table  values by name
---@example
--- local logger <close> = tide.loggers.CSVLogger(tide.scratch())
--- logger:log_hyperparams({lr = 0.1, model = {layers = 2}})
--- io.open(logger.log_dir .. "/hparams.yaml"):read() --> "lr: 0.1"
function Logger:log_hyperparams(values)
  self:check_open()
  local added = hyperparams.flat(self.caller, values)
  for name, value in pairs(added) do self.hparams[name] = value end
  native.write_file(self.log_dir .. "/hparams.yaml", hyperparams.yaml(self.hparams))
end

--- Writes all logged values, which reads their tensors.
---@example
--- local logger <close> = tide.loggers.CSVLogger(tide.scratch())
--- logger:log_metrics({loss = 0.5}, 1)
--- logger:save()
--- io.open(logger.path):read() --> "loss,step"
function Logger:save()
  self:check_open()
  self:write_now(true)
end

--- Like save.
---@example
--- local logger <close> = tide.loggers.CSVLogger(tide.scratch())
--- logger:log_metrics({loss = 0.5}, 1)
--- logger:flush()
--- io.open(logger.path):read() --> "loss,step"
function Logger:flush() self:save() end

--- Writes all logged values and closes the logger; a <close> variable does so automatically.
---@example
--- local logger <close> = tide.loggers.CSVLogger(tide.scratch())
--- logger:log_metrics({loss = 0.5}, 1)
--- logger:close()
--- io.open(logger.path):read() --> "loss,step"
function Logger:close()
  if self.closed then return end
  self:write_now(true)
  self.closed = true
end

function Logger:__close() self:close() end

-- A logger that a script leaves open is closed when the script ends.
function Logger:__gc()
  if self.closed == false then pcall(self.close, self) end
end

function Logger:__tostring() return ("%s(%s)"):format(self.caller, self.log_dir) end

methods(Logger, "logger")

return Logger

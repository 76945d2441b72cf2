-- The loop of a training: epochs, steps, validation, and when it stops.
--
-- After each step, all its follow-up work (validation, the end of the epoch, learning rates) is done
-- before on_advance_end is called: the state is complete there, and a training resumed from it is
-- identical bit for bit.
local batches = require "tide.training.batches"
local class = require "tide.internal.class"
local evaluation_loop = require "tide.training.evaluation_loop"
local LogValues = require "tide.training.log_values"
local native = require "tide.native"
local nonfinite = require "tide.training.nonfinite"
local raise = require "tide.internal.raise"
local task = require "tide.training.task"
local tide = require "tide"

-- Fields: trainer; train, validation (loaders); total (batches in an epoch, nil if unknown);
-- validation_total; every (batches between validations; nil for the end of the epoch); epochs
-- (completed) and batch (in the current epoch); values (logged); loss_sum and loss_weight (of the
-- epoch's losses, weighted by samples); good (number of steps with a finite loss before the first
-- other one); unfinished ("batch" or "epoch", whose validation was interrupted); results (of the
-- epoch's last validation).
local FitLoop = class "FitLoop"

local kInterval <const> = 0.25 -- seconds between two reads of values

function FitLoop:init(trainer, train, validation)
  local options = trainer.options
  self.trainer, self.options = trainer, options
  self.train, self.validation = train, trainer.task.has.validation and validation or nil
  if self.validation then
    self.validation_total = batches.limited("fit", "limit_val_batches", options.limit_val_batches,
      validation)
    if self.validation_total == 0 then self:check_no_validation() end
  end
  self.total = batches.limited("fit", "limit_train_batches", options.limit_train_batches, train)
  if self.total == 0 then
    local count = batches.count(train)
    if count == 0 then raise "fit: nothing to train on: the loader is empty" end
    raise("fit: limit_train_batches = %s selects no batch out of %d", tostring(options.limit_train_batches), count)
  end
  self.every = self:validation_interval(options.val_check_interval)
  self.epochs, self.batch, self.seconds, self.began = 0, 0, 0.0, tide.time()
  self.values, self.loss_sum, self.loss_weight = LogValues(true), nil, 0
  self.good, self.read_at = tide.zeros({}, {dtype = "int64", device = trainer.device}), tide.time()
  self.done, self.max_epochs = {}, options.max_epochs
  self.compute = function()
    return task.loss_of("training_step", trainer.task.step("training", self.current, self.batch))
  end
end

--- Raises an error if validation has no batches, unless the options ask for that.
function FitLoop:check_no_validation()
  local limit, count = self.options.limit_val_batches, batches.count(self.validation)
  if limit ~= 0 and count == 0 then raise "fit: the validation loader is empty" end
  if limit ~= 0 then
    raise("fit: limit_val_batches = %s selects no batch out of %d", tostring(limit), count)
  end
  self.validation = nil
end

--- Batches between two validations; nil for the end of the epoch.
function FitLoop:validation_interval(interval)
  if interval == 1.0 and math.type(interval) == "float" or not self.validation then return nil end
  local batches_between = interval
  if math.type(interval) == "float" then
    if not self.total then
      raise "fit: val_check_interval: a fraction needs a loader with a length: give an integer"
    end
    batches_between = self.total * interval // 1 | 0
  end
  if batches_between < 1 or self.total and batches_between > self.total then
    raise("fit: val_check_interval: %s of %s batches is not within an epoch", tostring(interval),
      tostring(self.total or "?"))
  end
  return batches_between
end

-- Stopping ----------------------------------------------------------------------------------------

--- Whether min_epochs and min_steps are reached, so that the training may stop early.
function FitLoop:may_stop()
  return self.epochs >= self.options.min_epochs
    and self.trainer.global_step >= self.options.min_steps
end

--- Whether the training ends here, in the middle of an epoch or after one.
function FitLoop:is_over()
  local trainer, options = self.trainer, self.options
  return trainer.interrupted or trainer.should_stop and self:may_stop()
    or options.max_steps ~= nil and trainer.global_step >= options.max_steps
    or self.max_epochs ~= nil and self.epochs >= self.max_epochs
end

-- Reading values ----------------------------------------------------------------------------------

--- Reads the mean loss and `values` together; stops the training if a loss was not finite. Waits.
function FitLoop:read(values)
  values.loss = values.loss or self.loss_sum / self.loss_weight
  values[1], values[2] = self.loss_sum, self.good
  local read = LogValues.read(values)
  self.read_at = tide.time()
  if read[1] - read[1] ~= 0 and self.trainer.stops_at_nonfinite then
    nonfinite.fail(self, math.tointeger(read[2]))
  end
  read[1], read[2] = nil, nil
  return read
end

--- Shows the progress of the training, at most four times a second.
function FitLoop:look()
  local trainer = self.trainer
  local due = self.stepped and trainer.global_step % self.options.log_every_n_steps == 0
    and #trainer.loggers > 0
  if due then
    local values = self.values:of_step "logger"
    if not self.values.entries.loss then values.loss_step = self.last_loss end
    values.epoch = trainer.current_epoch
    trainer:log_metrics(values)
  end
  local bar = trainer.bar
  if (due or bar.on_terminal) and tide.time() - self.read_at >= kInterval then
    bar:draw(self.batch, self.total, self:read(self.values:shown()))
  end
end

-- Steps -------------------------------------------------------------------------------------------

--- Adds the loss of a step to the mean.
function FitLoop:take_loss(loss)
  loss = loss:detach()
  self.last_loss = loss
  local size = self.trainer.batch_size or 1
  local weighted = loss:to("float64") * size
  self.loss_sum = self.loss_sum and self.loss_sum + weighted or weighted
  self.loss_weight = self.loss_weight + size
  -- The sum is finite until the first loss that is not.
  self.good:add_(self.loss_sum:isfinite())
end

--- Trains on a batch.
function FitLoop:step(batch)
  local trainer = self.trainer
  self.batch, self.validated = self.batch + 1, false
  local last = self.batch == self.total
  batch = batches.moved(batch, trainer.device)
  self.current, trainer.batch_size = batch, batches.size(batch)
  trainer.values, trainer.in_step = self.values, true
  trainer.call("on_train_batch_start", batch, self.batch)
  local loss, outputs, stepped = trainer.optimization:run(self.compute, last)
  self:take_loss(loss)
  self.stepped = stepped
  if stepped then self:count_step() end
  trainer.call("on_train_batch_end", outputs, batch, self.batch)
  trainer.in_step = false
  self:look()
end

function FitLoop:count_step()
  local trainer = self.trainer
  trainer.global_step = trainer.global_step + 1
  trainer.optimization:advance_schedules("step", trainer.global_step)
end

-- After a step ------------------------------------------------------------------------------------

--- Whether a validation follows this batch.
function FitLoop:validation_due(last)
  if not self.validation or (self.epochs + 1) % self.options.check_val_every_n_epoch ~= 0 then
    return false
  end
  if not self.every then return last end
  return self.batch % self.every == 0
end

--- Runs a validation. If it is interrupted, restores the state before it, so that it can be repeated.
function FitLoop:validate(last)
  local trainer = self.trainer
  local random, place = tide.get_rng_state(), batches.state_of(self.validation, false)
  trainer.bar:clear()
  local results = evaluation_loop.run(trainer, "validation", self.validation, self.validation_total,
    true)
  if not results then
    tide.set_rng_state(random)
    batches.restore(self.validation, place)
    trainer.interrupted, self.unfinished = true, last and "epoch" or "batch"
    return false
  end
  self.validated, self.results = true, results
  trainer:log_metrics(results)
  return true
end

--- Seconds of the epoch so far, including the time before a resumed checkpoint.
function FitLoop:take_seconds()
  local now = tide.time()
  self.seconds, self.began = self.seconds + now - self.began, now
  return self.seconds
end

--- The metrics of the epoch as numbers, which are also stored in callback_metrics. Waits.
function FitLoop:read_epoch()
  local metrics, row = self.trainer.callback_metrics, self:read(self.values:of_epoch())
  for name, value in pairs(LogValues.read(self.values:of_step())) do metrics[name] = value end
  for name, value in pairs(row) do metrics[name] = value end
  return row
end

--- Adds the metrics of the epoch to the history.
function FitLoop:end_row()
  local trainer = self.trainer
  local row = self:read_epoch()
  row.epoch = trainer.current_epoch
  trainer:log_metrics(row)
  for name, value in pairs(self.results or {}) do row[name] = value end
  row.seconds = self:take_seconds()
  trainer.history:add(row)
  trainer.bar:epoch(row)
end

--- Ends the epoch: adds its row, and sets the learning rates of the next epoch.
function FitLoop:finish_epoch()
  local trainer = self.trainer
  if trainer.optimization.pending > 0 then
    trainer.optimization:step()
    self:count_step()
    self.stepped = true
  end
  trainer.values = self.values
  -- The hook sees the metrics of its epoch, and may log more.
  if trainer.listens "on_train_epoch_end" then self:read_epoch() end
  trainer.call "on_train_epoch_end"
  self:end_row()
  self.epochs, self.batch, self.results, self.seconds = self.epochs + 1, 0, nil, 0.0
  trainer.optimization:advance_schedules("epoch", self.epochs)
end

--- Does the work after a step, whether the last of an epoch or not; the state is complete afterwards.
function FitLoop:complete(last)
  local trainer, done = self.trainer, self.done
  self.unfinished = nil
  local complete = not self:validation_due(last) or self.validated or self:validate(last)
  if complete and last then self:finish_epoch() end
  if self.stepped and native.take_interrupt() then trainer.interrupted = true end
  done.stepped, done.validated, done.epoch_ended = self.stepped, self.validated, complete and last
  done.stopping = self:is_over()
  trainer.call("on_advance_end", done)
end

-- Epochs ------------------------------------------------------------------------------------------

function FitLoop:start_epoch()
  local trainer = self.trainer
  self.values:reset()
  self.loss_sum, self.loss_weight = nil, 0
  trainer.values = self.values
  trainer.call "on_train_epoch_start"
end

--- Trains to the end of the epoch, or until it is over.
function FitLoop:run_epoch()
  local trainer = self.trainer
  trainer.current_epoch, self.began = self.epochs + 1, tide.time()
  trainer.bar:start(trainer.current_epoch, self.max_epochs)
  if self.batch == 0 then self:start_epoch() end
  local next_batch, closing = batches.open(self.train, self.batch)
  local _ <close> = closing
  local epoch = self.epochs
  while self.epochs == epoch and not self:is_over() do
    self.failing = self.batch + 1 -- the batch to name in errors from here on
    local batch = next_batch()
    if batch == nil and self.batch == 0 then
      raise "fit: nothing to train on: the loader is empty"
    end
    if batch ~= nil then self:step(batch) end
    self.failing = nil
    self:complete(batch == nil or self.batch == self.total)
  end
end

--- Trains to the end, from the current state.
function FitLoop:run()
  local _ <close> = setmetatable({}, {__close = native.release_interrupts})
  native.hold_interrupts()
  if self.unfinished then
    self.began = tide.time()
    self:complete(self.unfinished == "epoch")
    -- The pass is over, but the loader's state is still that of a pass whose batches are all taken.
    if self.batch == 0 then batches.restore(self.train, batches.state_of(self.train, false)) end
  end
  while not self:is_over() do self:run_epoch() end
  if self.batch > 0 and self.loss_sum then self:end_row() end -- of a partial epoch
end

-- State -------------------------------------------------------------------------------------------

function FitLoop:state_dict()
  local in_epoch = self.batch > 0
  return {
    epochs = self.epochs, batch = self.batch, unfinished = self.unfinished, good = self.good,
    seconds = self:take_seconds(),
    stepped = self.stepped, results = self.results, values = self.values:state_dict(),
    loss_sum = self.loss_sum, loss_weight = self.loss_weight,
    train = batches.state_of(self.train, in_epoch),
    validation = self.validation and batches.state_of(self.validation, false),
  }
end

local kPlain <const> = {
  "epochs", "batch", "unfinished", "seconds", "stepped", "results", "loss_weight",
}

function FitLoop:load_state_dict(state)
  local device = self.trainer.device
  for _, name in ipairs(kPlain) do self[name] = state[name] end
  self.good = state.good:to(device)
  self.loss_sum = state.loss_sum and state.loss_sum:to(device)
  self.values:load_state_dict(state.values, device)
  batches.restore(self.train, state.train)
  if self.validation and state.validation then
    batches.restore(self.validation, state.validation)
  end
end

return FitLoop

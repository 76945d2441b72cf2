-- loggers.SummaryWriter: events for TensorBoard, with the method names of torch.utils.tensorboard.
local define = require "tide.internal.declare.define"
local EventFile = require "tide.training.loggers.event_file"
local hyperparams = require "tide.training.loggers.hyperparams"
local Logger = require "tide.training.loggers.logger"
local methods = require "tide.internal.declare.methods"
local native = require "tide.native"
local raise = require "tide.internal.raise"
local summary = require "tide.training.loggers.summary"
local tide = require "tide"

-- Fields in addition to those of Logger: file and its path; pending (a list of {wall_time, step, make}, where make()
-- reads the value and returns it encoded); others (by folder: the writers of add_scalars).
--- Logs to an event file for TensorBoard, by default in runs/DATE_TIME.
---@param log_dir string = nil  the folder; nil is runs/DATE_TIME
---@param comment string = ""  suffix of the default folder's name
---@waits at most once a second, when it writes
---@see loggers.CSVLogger loggers.TensorBoardLogger tide.Trainer
---@example
--- local writer = tide.loggers.SummaryWriter(tide.scratch())
--- writer:add_scalar("loss", 0.5, 1)
--- writer:close()
--- tide.loggers.read_events(writer.path)[1].value --> 0.5
local SummaryWriter, read_options = define("loggers.SummaryWriter", Logger)

--- SummaryWriter{log_dir =, comment =}: the default folder is runs/DATE_TIME and the comment.
function SummaryWriter:init(...)
  local given = read_options(...)
  self:open("SummaryWriter", given.log_dir or "runs/" .. os.date "%b%d_%H-%M-%S" .. given.comment)
end

--- Creates the folder and the file.
function SummaryWriter:open(caller, log_dir)
  native.make_folders(log_dir)
  self:start(caller, log_dir)
  self.pending, self.others = {}, {}
  self.file = EventFile(caller, log_dir, self:wall_time())
  self.path = self.file.path
end

--- Queues an event for the next write.
function SummaryWriter:add(step, make)
  self:check_open()
  self.pending[#self.pending + 1] = {wall_time = self:wall_time(), step = self:checked_step(step), make = make}
end

--- Writes all pending events. If one cannot be read, drops it and raises its error; the others stay
--- pending for the next write.
function SummaryWriter:write(all)
  local events, pending = {}, self.pending
  for i, event in ipairs(pending) do
    if not event.data then
      local made, value = pcall(event.make)
      if not made then
        table.remove(pending, i)
        error(value, 0)
      end
      event.data, event.make = summary.event(event.wall_time, event.step, value), nil
    end
    events[i] = event.data
  end
  if #events > 0 then self.file:append(events) end
  self.pending = {}
  for _, other in pairs(self.others) do other:write_now(all) end
end

--- Logs a number, or a one-element tensor, as float32.
---@param tag string  name in TensorBoard
---@param value number | tensor | boolean  the value
---@param step integer = nil  the step; nil is 0
---@example
--- local writer = tide.loggers.SummaryWriter(tide.scratch())
--- writer:add_scalar("loss", tide.tensor(0.5), 3)
--- writer:close()
--- tide.loggers.read_events(writer.path)[1].value --> 0.5
function SummaryWriter:add_scalar(tag, value, step)
  local kept = self:scalar(tag, value)
  self:add(step, function() return summary.scalar(tag, Logger.number(kept)) end)
  self:write_sometimes()
end

--- Logs numbers by name, drawn in one plot: each is written to a separate folder.
---@param main_tag string  name of the group
---@param values table  values by name
---@param step integer = nil  the step; nil is 0
---@example
--- local writer = tide.loggers.SummaryWriter(tide.scratch())
--- writer:add_scalars("loss", {train = 0.5, test = 0.75}, 3)
--- writer:close()
--- local folder = writer.log_dir .. "/loss_train"
--- os.rename(folder, folder) --> true
function SummaryWriter:add_scalars(main_tag, values, step)
  self:check_open()
  self:check_tag(main_tag)
  for name, value in pairs(values) do
    self:check_tag(name)
    local folder = self.log_dir .. "/" .. main_tag:gsub("/", "_") .. "_" .. name:gsub("/", "_")
    local other = self.others[folder] or SummaryWriter(folder)
    self.others[folder] = other
    other:add_scalar(main_tag, value, step)
  end
end

--- Logs text, shown as Markdown.
---@param tag string  name in TensorBoard
---@param text string  the text
---@param step integer = nil  the step; nil is 0
---@example
--- local writer = tide.loggers.SummaryWriter(tide.scratch())
--- writer:add_text("note", "as *before*", 3)
--- writer:close()
--- tide.loggers.read_events(writer.path)[1].value --> "as *before*"
function SummaryWriter:add_text(tag, text, step)
  self:check_tag(tag)
  self:add(step, function() return summary.text(tag .. "/text_summary", text) end)
  self:write_sometimes()
end

-- Histograms --------------------------------------------------------------------------------------

--- TensorFlow's bucket limits, each 1.1 times as far from 0 as the previous one.
local function exponential_edges()
  local positive, edges = {}, {}
  local value = 1e-12
  while value < 1e20 do positive[#positive + 1], value = value, value * 1.1 end
  for i = #positive, 1, -1 do edges[#edges + 1] = -positive[i] end
  edges[#edges + 1] = 0.0
  return table.move(positive, 1, #positive, #edges + 1, edges)
end

--- The limits of equal buckets from the smallest value to the largest.
local function equal_edges(low, high, count)
  if low == high then low, high = low - 0.5, high + 0.5 end
  local edges = {}
  for i = 0, count do edges[i + 1] = low + (high - low) * i / count end
  return edges
end

--- The range of nonempty buckets, preceded by one empty bucket.
local function trimmed(counts, edges)
  local first, last = 1, #counts
  while first < last and counts[first] == 0 do first = first + 1 end
  while last > first and counts[last] == 0 do last = last - 1 end
  local kept = table.move(counts, first, last, 2, {0.0})
  return kept, table.move(edges, first, last + 1, 1, {})
end

local function histogram_value(tag, values, bins)
  values = values:to("float64"):reshape(-1)
  local finite = values[values:isfinite()]
  if finite:numel() == 0 then raise("add_histogram: %s: expected at least one finite value", tag) end
  local figures = {
    min = finite:min():item(), max = finite:max():item(), num = finite:numel(), sum = finite:sum():item(),
    sum_squares = (finite * finite):sum():item(),
  }
  local edges = bins and equal_edges(figures.min, figures.max, bins) or exponential_edges()
  local counts = finite:histogram(tide.tensor(edges, {dtype = "float64", device = finite.device}))
  local kept, limits = trimmed(counts:tolist(), edges)
  return summary.histogram(tag, figures, limits, kept)
end

--- Logs a histogram of the finite values.
---@param tag string  name in TensorBoard
---@param values tensor | table | number  the values
---@param step integer = nil  the step; nil is 0
---@param bins integer > 0 | "tensorflow" = "tensorflow"  number of equal bins, or TensorFlow's bins
---@example
--- local writer = tide.loggers.SummaryWriter(tide.scratch())
--- writer:add_histogram("weights", tide.tensor{1.0, 2, 2}, 3, 2)
--- writer:close()
--- tide.loggers.read_events(writer.path)[1].value.bucket --> {0.0, 1.0, 2.0}
function SummaryWriter:add_histogram(tag, values, step, bins)
  self:check_tag(tag)
  values = tide.as_tensor(values):detach():clone()
  if values:numel() == 0 then raise("%s: add_histogram: %s: expected at least one value", self.caller, tag) end
  if bins == "tensorflow" then bins = nil end
  self:add(step, function() return histogram_value(tag, values, bins) end)
  self:write_sometimes()
end

-- Images ------------------------------------------------------------------------------------------

--- The permutation of each format's dimensions to (channels, height, width).
local kFormats <const> = {CHW = {1, 2, 3}, HWC = {3, 1, 2}, HW = {}}

--- Logs an image of bytes, or of floats from 0 to 1.
---@param tag string  name in TensorBoard
---@param image tensor  (channels, height, width)
---@param step integer = nil  the step; nil is 0
---@param format "CHW" | "HWC" | "HW" = "CHW"  order of the dimensions
---@example
--- local writer = tide.loggers.SummaryWriter(tide.scratch())
--- writer:add_image("digit", tide.ones(1, 3, 5), 3)
--- writer:close()
--- tide.loggers.read_events(writer.path)[1].value.width --> 5
function SummaryWriter:add_image(tag, image, step, format)
  self:check_tag(tag)
  if image:dim() ~= #format then
    raise("%s: add_image: %s: expected a tensor of %d dimensions (%s), got shape (%s)", self.caller, tag, #format,
      format, table.concat(image.shape, ", "))
  end
  image = format == "HW" and image:unsqueeze(1) or image:permute(table.unpack(kFormats[format]))
  local channels, height, width = table.unpack(image.shape)
  if channels < 1 or channels > 4 or height == 0 or width == 0 then
    raise("%s: add_image: %s: expected 1 to 4 channels and at least one pixel, got shape (%s) as %s", self.caller,
      tag, table.concat(image.shape, ", "), "CHW")
  end
  image = image:detach():clone()
  if image.dtype ~= "uint8" then image = (image:to("float32") * 255):clamp(0, 255):to("uint8") end
  self:add(step, function()
    local png = tide.vision.encode_png(image:to("cpu"):contiguous()):bytes()
    return summary.image(tag, height, width, channels, png)
  end)
  self:write_sometimes()
end

-- The logger interface ----------------------------------------------------------------------------

--- Logs numbers or one-element tensors by name, like add_scalar.
---@param metrics table  numbers or tensors by name
---@param step integer = nil  the step; nil is 0
---@example
--- local writer = tide.loggers.SummaryWriter(tide.scratch())
--- writer:log_metrics({loss = 0.5}, 3)
--- writer:close()
--- tide.loggers.read_events(writer.path)[1].tag --> "loss"
function SummaryWriter:log_metrics(metrics, step)
  self:check_open()
  for name in pairs(metrics) do self:check_tag(name) end
  for _, name in ipairs(hyperparams.names(metrics)) do self:add_scalar(name, metrics[name], step) end
end

--- Logs hyperparameters to hparams.yaml and for TensorBoard's table.
---@like logger:log_hyperparams in training/loggers/logger.lua
---@example
--- local writer = tide.loggers.SummaryWriter(tide.scratch())
--- writer:log_hyperparams {lr = 0.1}
--- writer:close()
--- io.open(writer.log_dir .. "/hparams.yaml"):read() --> "lr: 0.1"
function SummaryWriter:log_hyperparams(values)
  Logger.log_hyperparams(self, values)
  for _, value in ipairs {summary.hyperparams(self.hparams, self:wall_time())} do
    self:add(0, function() return value end)
  end
  self:write_sometimes()
end

function SummaryWriter:close()
  Logger.close(self)
  for _, other in pairs(self.others) do other:close() end
end

methods(SummaryWriter, "writer")

return SummaryWriter

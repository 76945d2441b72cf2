-- tide.watch: statistics of the activations, parameters, gradients and updates of a network by layer.
local add_hook = require "tide.internal.add_hook"
local class = require "tide.internal.class"
local reader = require "tide.internal.declare.reader"
local find_first = require "tide.tools.watch.first_nonfinite"
local kind_of = require "tide.internal.kind_of"
local Live = require "tide.tools.watch.live"
local methods = require "tide.internal.declare.methods"
local Module = require "tide.nn.module"
local Optimizer = require "tide.nn.optim.optimizer"
local raise = require "tide.internal.raise"
local Sample = require "tide.tools.watch.sample"
local statistics = require "tide.tools.watch.statistics"
local table_text = require "tide.tools.watch.table_text"
local tide = require "tide"

local kMostSamples <const> = 100 -- that are kept

-- Fields: net; every; steps (that are over); sample (of the step that runs, if it is looked at); samples (that are
-- over, the newest last); memory (of samples for the next one); live (a live plot, if there is one); optimizer;
-- unhook (takes the optimizer's hook away).
local Watch = class "Watch"

--- Collects statistics of inputs, activations, parameters, gradients and updates by layer, in the first step and then
--- in each `every`-th one: mean, std, min and max of finite values; fractions of 0, nan and inf; dead units of ReLUs (0
--- in the last 10 samples); the ratio of the norms of update and parameter. A step ends with the optimizer's step, or
--- with watch:step(). Values are read only on request, and the results of the training are bitwise unchanged.
--- print(watch) shows the newest sample and the first nan or infinity. Keeps 100 samples.
---@param net module  the network
---@param optimizer optimizer = nil  the optimizer whose steps are sampled; also adds statistics of updates
---@param every integer >= 0 = 1  interval of sampled steps
---@param live "ratio" | "gradient" | "dead" = nil  plot this for at most 8 layers during the training, like
---  tide.plot.live: ratios of updates to parameters, norms of gradients, or fractions of dead units
---@example
--- local net = tide.nn.Linear(2, 1)
--- local w <close> = tide.watch(net, {every = 10})
--- net(tide.ones(1, 2)):sum():backward()
--- w:step()
--- #w:table() --> 8
local read = reader "watch"

--- tide.watch(net, {optimizer =, every = 1, live =}): looks at the first step, and then at each `every`-th one. A step
--- ends with the optimizer's step or, without an optimizer, with a call of `step`. live: what is plotted meanwhile.
function Watch:init(...)
  local given = read(...)
  if not class.is_a(given.net, Module) then
    raise("watch: net: expected a module, got %s", tide.is_tensor(given.net) and "tensor" or kind_of(given.net))
  end
  if given.optimizer and not class.is_a(given.optimizer, Optimizer) then
    raise("watch: optimizer: expected an optimizer, got %s", kind_of(given.optimizer))
  end
  if given.every == 0 then raise "watch: every must be positive, got 0" end
  self.net, self.optimizer, self.every = given.net, given.optimizer, given.every
  self.live = given.live ~= nil and Live(given.live) or nil
  self.steps, self.samples, self.memory = 0, {}, {}
  if self.optimizer then
    self.unhook = self.optimizer:register_step_post_hook(function() self:end_step() end)
  end
  self:begin_step()
end

function Watch:begin_step()
  if self.steps % self.every == 0 then self.sample = Sample(self.net, self.steps + 1, self.memory) end
end

--- Ends the sample, if there is one. Queues work only.
function Watch:end_step()
  local sample = self.sample
  if sample then
    self.sample = nil
    sample:close()
    if sample.values then
      self.samples[#self.samples + 1] = sample
      if #self.samples > kMostSamples then table.remove(self.samples, 1) end
      if self.live then self.live:add(sample) end
    end
  end
  self.steps = self.steps + 1
  self:begin_step()
  if sample then
    for _, hook in ipairs(rawget(self, "_hooks") or {}) do hook[1](self) end
  end
end

--- Ends a step, if no optimizer was given. Call it after the step, before gradients are cleared.
---@example
--- local net = tide.nn.Sequential(tide.nn.Linear(2, 3), tide.nn.ReLU())
--- local w = tide.watch(net)
--- w:step()
--- tostring(w) --> "watch of Sequential: no step yet"
function Watch:step()
  if self.optimizer then raise "step: the optimizer's own steps are counted: leave the call away" end
  if self.closed then raise "step: the watch is closed" end
  self:end_step()
end

--- Calls fn(w) after each sampled step; returns a function that removes the hook.
---@param fn function  the function to call
---@example
--- local net = tide.nn.Sequential(tide.nn.Linear(2, 3), tide.nn.ReLU())
--- local w = tide.watch(net)
--- local remove = w:register_hook(function(watch) end)
--- remove()
function Watch:register_hook(fn) return add_hook(self, "_hooks", fn) end

--- Ends the watch and keeps its samples. Shows a live plot and returns its figure. A <close> variable does so
--- automatically.
---@example
--- local net = tide.nn.Sequential(tide.nn.Linear(2, 3), tide.nn.ReLU())
--- local w = tide.watch(net)
--- w:close()
function Watch:close()
  if self.sample then self.sample:unhook() end
  if self.unhook then self.unhook() end
  self.closed, self.unhook = true, nil
  return self.live and self.live:close()
end

-- Where an error passes, it matters more than what showing the curves may find wrong.
function Watch:__close(passing)
  if passing then pcall(self.close, self) else self:close() end
end

-- Reading -----------------------------------------------------------------------------------------

--- The size of an update beside that of its parameter: the ratio of their norms.
local function add_ratios(rows)
  local sizes = {}
  for _, row in ipairs(rows) do
    local size = math.sqrt(row.mean ^ 2 + row.std ^ 2)
    if row.kind == "parameter" then sizes[row.name] = size end
    local ratio = row.kind == "update" and size / sizes[row.name]
    if ratio and ratio == ratio then row.ratio = ratio end
  end
end

--- Reads what is unread of the samples: one wait in all.
local function read_samples(samples)
  local unread, values = {}, {}
  for _, sample in ipairs(samples) do
    if sample.values then
      unread[#unread + 1] = sample
      values[#values + 1] = sample.values:to {device = "cpu", dtype = "float64", non_blocking = true}
    end
  end
  if #unread == 0 then return end
  local figures, at = tide.cat(values):tolist(), 0
  for _, sample in ipairs(unread) do
    for _, row in ipairs(sample.rows) do
      at = at + 1
      for name, value in pairs(statistics.read(figures[at])) do row[name] = value end
      if not row.units then row.dead = nil end
    end
    sample.values = nil
    add_ratios(sample.rows)
  end
end

--- The samples, read. Before the first step is over, what has been seen of it.
local function seen(self)
  local samples = self.samples
  if #samples == 0 and self.sample then
    self.sample:gather()
    samples = self.sample.values and {self.sample} or samples
  end
  read_samples(samples)
  return samples
end

local kColumns <const> = {"mean", "std", "min", "max", "zeros", "nan", "inf", "dead", "ratio"}

--- A row as scripts get it.
local function plain(row)
  local result = {
    step = row.step, kind = row.kind, layer = row.layer, class = row.class, name = row.name,
    parameter = row.parameter, number = row.number, line = row.line, size = row.size, units = row.units,
  }
  for _, name in ipairs(kColumns) do result[name] = row[name] end
  return result
end

local function plain_rows(samples)
  local rows = {}
  for _, sample in ipairs(samples) do
    for _, row in ipairs(sample.rows) do rows[#rows + 1] = plain(row) end
  end
  return rows
end

--- The newest sample: a list of rows {step, kind, layer, class, name, parameter, number, line, size, mean, std, min,
--- max, zeros, nan, inf, units, dead, ratio}; kind is input, activation, parameter, gradient or update; number is the
--- index of an output of a module with several outputs. Waits once.
---@example
--- local net = tide.nn.Sequential(tide.nn.Linear(2, 3), tide.nn.ReLU())
--- local w = tide.watch(net)
--- net(tide.ones(1, 2)):sum():backward()
--- w:step()
--- w:table()[1].kind --> "input"
function Watch:table()
  local samples = seen(self)
  return plain_rows {samples[#samples]}
end

--- The rows of all kept samples, oldest first, for example for a plot. Waits once.
---@example
--- local net = tide.nn.Sequential(tide.nn.Linear(2, 3), tide.nn.ReLU())
--- local w = tide.watch(net)
--- net(tide.ones(1, 2)):sum():backward()
--- w:step()
--- w:rows()[2].layer --> "net[1]"
function Watch:rows() return plain_rows(seen(self)) end

--- Logs the newest sample under tags such as gradient/0.weight/std.
---@param logger logger  the logger
---@param step integer = nil  the step to log; nil is that of the sample
---@example
--- local net = tide.nn.Sequential(tide.nn.Linear(2, 3), tide.nn.ReLU())
--- local w = tide.watch(net)
--- net(tide.ones(1, 2)):sum():backward()
--- w:step()
--- local tags = 0
--- w:log({log_metrics = function(_, metrics) for _ in pairs(metrics) do tags = tags + 1 end end})
--- tags --> 66
function Watch:log(logger, step)
  if type(logger) ~= "table" or not logger.log_metrics then
    raise("log: logger: expected a logger, got %s", kind_of(logger))
  end
  local metrics = {}
  local rows = self:table()
  for _, row in ipairs(rows) do
    local number = (row.number or 1) > 1 and "." .. row.number or ""
    for _, name in ipairs(kColumns) do
      metrics[("%s/%s%s/%s"):format(row.kind, row.name, number, name)] = row[name]
    end
  end
  if #rows > 0 then logger:log_metrics(metrics, step or rows[1].step) end
end

--- The first nan or infinity: {step, kind, layer, class, parameters, line, text}, or nil. Waits once.
---@example
--- local net = tide.nn.Sequential(tide.nn.Linear(2, 3), tide.nn.ReLU())
--- local w = tide.watch(net)
--- net(tide.full({1, 2}, 0 / 0))
--- w:first_nonfinite().text --> "the input of net (Sequential) has nan or infinite values"
function Watch:first_nonfinite()
  -- Of each thing the row where it became bad, else the newest.
  local row_of, rows = {}, {}
  for _, sample in ipairs(seen(self)) do
    for _, row in ipairs(sample.rows) do
      local place = row_of[row.key] or #rows + 1
      row_of[row.key] = place
      if not (rows[place] and rows[place].since) then rows[place] = row end
    end
  end
  return find_first(rows)
end

function Watch:__tostring()
  local samples = seen(self)
  local sample = samples[#samples]
  if not sample then return ("watch of %s: no step yet"):format(getmetatable(self.net).name) end
  local text = ("step %d\n%s"):format(sample.step, table_text(sample:by_layer()))
  local first = self:first_nonfinite()
  if not first then return text end
  return ("%s\nnan or infinite since step %d: %s%s"):format(text, first.step, first.text,
    first.line and " (" .. first.line .. ")" or "")
end

methods(Watch, "watch")

return Watch

-- tide.plot.live: curves that are redrawn while a training runs, without stalling its queue.
local class = require "tide.internal.class"
local data = require "tide.plot.data"
local Figure = require "tide.plot.figure"
local forms = require "tide.display.forms"
local kind_of = require "tide.internal.kind_of"
local methods = require "tide.internal.declare.methods"
local notebook = require "tide.display.notebook"
local options = require "tide.plot.options"
local present = require "tide.internal.input_number"
local raise = require "tide.internal.raise"
local show = require "tide.plot.show"
local draw_text = require "tide.plot.text"
local tide = require "tide"

-- Added values are collected in `fresh`. When a drawing is due, the values sent for the previous one
-- are read if they have arrived, the curves are drawn, and the fresh values are sent: copies to the
-- host are queued, followed by an event that signals their arrival. So the curves lag by one drawing,
-- and nothing waits before close().
--
-- Fields: size, axes (options of the figure); names (curves in order); curves (by name: {x, y}, numbers);
-- fresh, sent (lists of {name, step, value}); arrivals (tensors that were sent, by device:
-- {entries, values, events}); drawn_at; lines (of the drawing in the terminal), input (that drew it); id (of the
-- image in a notebook, once shown); closed; figure (once closed).
local Live = class "Live"

local kInterval <const> = 0.25 -- seconds between two drawings
local kMostRows <const> = 20   -- maximum height of a drawing

--- Curves that a terminal or a notebook redraws while they grow, at most four times a second; elsewhere close draws
--- them.
---@use plot: size = {640, 480}
---@use axes
---@example
--- tostring(tide.plot.live{title = "loss"}) --> "live plot (open)"
local read_live = options.reader "plot.live"

function Live:init(...)
  local given, axes = read_live(...)
  self.size, self.axes = given.size, axes
  self.names, self.curves, self.fresh, self.sent, self.arrivals = {}, {}, {}, {}, {}
  self.drawn_at, self.lines, self.closed = tide.time(), 0, false
end

--- A number, or a copy of a tensor's current value, unread.
local function checked_value(name, value)
  if type(value) == "number" then return value end
  if not tide.is_tensor(value) then
    raise("add: %s: expected a number or a tensor, got %s", name, kind_of(value))
  end
  if value:numel() ~= 1 then
    raise("add: %s: expected a single value, got shape (%s)", name, table.concat(value.shape, ", "))
  end
  return value:detach():reshape({1}):clone()
end

--- Queues copies of the fresh values to the host, followed by events.
local function send(self)
  local by_device = {}
  for _, entry in ipairs(self.fresh) do
    if tide.is_tensor(entry.value) then
      local device = tostring(entry.value.device)
      local group = by_device[device] or {entries = {}, tensors = {}}
      by_device[device] = group
      group.entries[#group.entries + 1] = entry
      group.tensors[#group.tensors + 1] = entry.value:to "float64"
    end
  end
  self.sent, self.fresh, self.arrivals = self.fresh, {}, {}
  for device, group in pairs(by_device) do
    self.arrivals[#self.arrivals + 1] = {
      entries = group.entries,
      values = tide.cat(group.tensors):to {device = "cpu", non_blocking = true},
      events = {tide.Event {device = device}:record(), tide.Event {device = "cpu"}:record()},
    }
  end
end

--- Whether all sent values have arrived.
local function has_arrived(self)
  for _, arrival in ipairs(self.arrivals) do
    for _, event in ipairs(arrival.events) do
      if not event:query() then return false end
    end
  end
  return true
end

--- Adds entries, whose values are numbers, to the curves.
local function append(self, entries)
  for _, entry in ipairs(entries) do
    local curve = self.curves[entry.name]
    if not curve then
      curve = {x = {}, y = {}}
      self.names[#self.names + 1], self.curves[entry.name] = entry.name, curve
    end
    curve.x[#curve.x + 1], curve.y[#curve.y + 1] = entry.step, entry.value
  end
end

--- Adds the sent values, which must have arrived, to the curves.
local function receive(self)
  for _, arrival in ipairs(self.arrivals) do
    for i, value in ipairs(arrival.values:tolist()) do arrival.entries[i].value = value end
  end
  append(self, self.sent)
end

--- Adds all remaining values to the curves. Waits once.
local function receive_remaining(self)
  local entries = table.move(self.fresh, 1, #self.fresh, #self.sent + 1, self.sent)
  local values = {}
  for i, entry in ipairs(entries) do values[i] = entry.value end
  if #values == 0 then return end
  local taken = data.take("close", "values", values, {1})
  data.read {taken}
  for i, entry in ipairs(entries) do entry.value = taken.numbers[i] end
  append(self, entries)
  self.sent, self.fresh, self.arrivals = {}, {}, {}
end

--- A figure of the curves so far.
local function figure_of(self)
  local figure = Figure(1, 1, self.size, self.axes)
  for _, name in ipairs(self.names) do
    local curve = self.curves[name]
    figure:line(curve.x, curve.y, {label = #self.names > 1 and name or nil})
  end
  return figure
end

local count = 0 -- of images in notebooks

--- Shows the curves in a notebook, replacing their last image.
local function show_in_notebook(self, figure)
  local again = self.id ~= nil
  if not again then
    count = count + 1
    self.id = ("tide-live-%x-%d"):format(os.time(), count) -- unique across kernels
  end
  notebook.show(forms.of(figure), self.id, again)
end

--- Draws the curves in a terminal, over their last drawing; at a prompt only if the same input drew it.
local function draw_in_terminal(self, figure, terminal)
  if self.input ~= present.number then self.input, self.lines = present.number, 0 end
  local columns, rows = show.cells(terminal, figure.size)
  local text = draw_text(figure, columns, math.min(rows, kMostRows), terminal.color)
  local up = self.lines > 0 and ("\27[%dA\r"):format(self.lines) or ""
  io.stdout:write(up, (text:gsub("\n", "\27[K\n")), "\27[K\n\27[J")
  io.stdout:flush()
  self.lines = select(2, text:gsub("\n", "")) + 1
end

--- Draws a figure of the curves if the output supports redrawing; else returns false.
local function draw(self, figure)
  if notebook.show then
    show_in_notebook(self, figure)
    return true
  end
  local terminal = show.terminal()
  if not terminal or not terminal.moves then return false end
  draw_in_terminal(self, figure, terminal)
  return true
end

--- Draws the values that have arrived, and sends those added since.
local function redraw(self)
  self.drawn_at = tide.time()
  if not has_arrived(self) then return end
  receive(self)
  send(self)
  if #self.names > 0 then draw(self, figure_of(self)) end
end

--- Adds a point to the curve, or to several curves by name.
---@param step number  x coordinate of the point
---@param value number | tensor | table  the value, or values by curve name; tensors stay unread until they
---  have arrived
---@waits no
---@example
--- local live = tide.plot.live()
--- live:add(1, {train = tide.tensor(0.5), val = 0.75})
function Live:add(step, values)
  if self.closed then raise "add: the plot is closed" end
  if type(step) ~= "number" then raise("add: step: expected a number, got %s", kind_of(step)) end
  if values == nil then raise "add: value is missing" end
  if type(values) ~= "table" or tide.is_tensor(values) then values = {value = values} end
  local entries = {}
  for name, value in pairs(values) do
    if type(name) ~= "string" then
      raise("add: expected values by name, got the key %s", tostring(name))
    end
    entries[#entries + 1] = {name = name, step = step + 0.0, value = checked_value(name, value)}
  end
  table.sort(entries, function(a, b) return a.name < b.name end)
  table.move(entries, 1, #entries, #self.fresh + 1, self.fresh)
  if tide.time() - self.drawn_at >= kInterval then redraw(self) end
end

--- Reads the remaining values, shows the curves and returns their figure; a <close> variable does so automatically.
---@example
--- local live = tide.plot.live{size = {640, 200}}
--- live:add(1, 0.5)
--- live:add(2, 0.25)
--- tostring(live:close()) --> "figure 640 x 200: line (2 points)"
function Live:close()
  if self.closed then return self.figure end
  receive_remaining(self)
  self.closed, self.figure = true, figure_of(self)
  if not draw(self, self.figure) then io.stdout:write(self.figure:text(), "\n") end
  return self.figure
end

-- During an error, errors of closing are ignored, so as not to hide it.
function Live:__close(problem)
  if problem then pcall(self.close, self) else self:close() end
end

function Live:__tostring() return ("live plot (%s)"):format(self.closed and "closed" or "open") end

methods(Live, "live")

return {live = function(...) return Live(...) end}

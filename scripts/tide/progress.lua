-- tide.progress: iterates over a list, an iterator or 1..n and shows a progress line in the terminal or notebook.
local kind_of = require "tide.internal.kind_of"
local native = require "tide.native"
local notebook = require "tide.display.notebook"
local raise = require "tide.internal.raise"
local reader = require "tide.internal.declare.reader"
local refuse_more = require "tide.internal.declare.refuse_more"
local tide = require "tide"

local kBetween = 0.25 -- seconds between two drawings: a terminal must not slow the loop down

local function line(label, done, total, seconds)
  local rate = done / math.max(seconds, 1e-9)
  if not total then return ("%s%d  %.1f/s"):format(label, done, rate) end
  local left = rate > 0 and (total - done) / rate or 0
  local share = 100 * done / math.max(total, 1)
  return ("%s%3.0f%%  %d/%d  %.1f/s  %.0f s left"):format(label, share, done, total, rate, left)
end

local count = 0 -- of lines in notebooks, for their ids

--- Returns a function that redraws the line, or nil without a terminal or notebook. `last` ends the line.
local function new_drawing()
  if notebook.show then
    count = count + 1
    local id, again = ("tide-progress-%x-%d"):format(os.time(), count), false -- that of no kernel before this one
    return function(text)
      notebook.show({["text/plain"] = text}, id, again)
      again = true
    end
  end
  if native.terminal_columns() == nil then return nil end
  return function(text, last)
    io.stderr:write("\r", text, "\27[K", last and "\n" or "")
    io.stderr:flush()
  end
end

--- An object that draws the line; `finish` draws it a last time.
local function new_meter(total, label)
  local start, drawn, done = tide.time(), 0, 0
  local draw = new_drawing()
  local meter = {}
  function meter.advance()
    local now = tide.time() - start
    if draw and now - drawn >= kBetween then
      drawn = now
      draw(line(label, done, total, now))
    end
    done = done + 1
  end
  function meter.finish()
    if drawn == 0 then return end -- over before the first drawing: nothing to show
    draw(line(label, done, total, tide.time() - start), true)
  end
  return meter
end

--- The length of an object that has one; nil for others.
local function length_of(object)
  local found, length = pcall(function() return #object end)
  return found and length or nil
end

--- Iterates while a line shows the progress: `for i in tide.progress(n)`, `for i, v in tide.progress(list)`, `for x, y
--- in tide.progress(loader)`, `for k, v in tide.progress(pairs(t))`. Reads no tensor and so never waits for a device.
---@param iterable integer | table | function  number of iterations, the values or the loader to iterate over, or an
---  iterator
---@param state... any  the state of the iterator
---@param label string = nil  text at the start of the line
---@param total integer = nil  total number of iterations
---@example
--- local sum = 0
--- for i in tide.progress(3) do sum = sum + i end
--- sum --> 6
local _, read_options, _, read_values = reader "progress"

local function progress(...)
  local iterable, rest, options = read_values(...), table.pack(select(2, ...)), {}
  local last, is_iterator = rest[rest.n], type(iterable) == "function"
  if type(last) == "table" and (not is_iterator or last.label or last.total) then
    options, rest.n = read_options(last), rest.n - 1
  end
  if not is_iterator then refuse_more("progress", 1, table.unpack(rest, 1, rest.n)) end
  local step, state, control, closing = iterable, rest[1], rest[2], rest[3]
  local total = options.total
  if math.type(iterable) == "integer" then
    total = iterable
    step, state, control = function(_, i) if i < total then return i + 1 end end, nil, 0
  elseif type(iterable) == "table" and not getmetatable(iterable) then
    total = #iterable
    step, state, control = ipairs(iterable)
  elseif type(iterable) == "table" and type(iterable.iter) == "function" then
    total = total or length_of(iterable)
    step, state, control, closing = iterable:iter()
  elseif not is_iterator then
    raise("progress: expected a number, a list, a loader or an iterator, got %s", kind_of(iterable))
  end
  local meter = new_meter(total, options.label and options.label .. " " or "")
  local function advance(...)
    if (...) == nil then meter.finish() else meter.advance() end
    control = ...
    return ...
  end
  return function() return advance(step(state, control)) end, nil, nil, closing
end

return progress

-- The progress of a training: a bar on a terminal, and a line for each epoch.
local class = require "tide.internal.class"
local History = require "tide.training.history"
local native = require "tide.native"
local tide = require "tide"

-- The bar goes to stderr, only on a terminal; permanent output, a line for each epoch and tables of
-- results, goes to stdout. Fields: enabled; on_terminal; color; columns; epoch, epochs; began, done
-- (the start of the rate measurement).
local ProgressBar = class "ProgressBar"

local kCells <const> = 20

function ProgressBar:init(enabled)
  local columns = enabled and native.terminal_columns()
  self.enabled, self.columns, self.on_terminal = enabled, columns or nil, columns and true or false
  self.color = self.on_terminal and (os.getenv "NO_COLOR" or "") == "" and os.getenv "TERM" ~= "dumb"
end

local function clock(seconds)
  seconds = seconds // 1 | 0
  if seconds < 3600 then return ("%d:%02d"):format(seconds // 60, seconds % 60) end
  return ("%d:%02d:%02d"):format(seconds // 3600, seconds // 60 % 60, seconds % 60)
end

local function figures(values)
  local parts = {}
  for _, name in ipairs(History.names {values}) do
    if name ~= "epoch" and name ~= "seconds" then
      parts[#parts + 1] = name .. " " .. History.text(name, values[name])
    end
  end
  return table.concat(parts, "  ")
end

--- Begins an epoch, one of `epochs` if the number is known.
function ProgressBar:start(epoch, epochs)
  self.title = epochs and ("epoch %d/%d"):format(epoch, epochs) or ("epoch %d"):format(epoch)
  self.began, self.first, self.drawn = tide.time(), nil, false
end

local function cells(self, share)
  local full = math.min(kCells, share * kCells // 1 | 0)
  local filled, empty = ("━"):rep(full), ("─"):rep(kCells - full)
  return self.color and ("\27[32m%s\27[2m%s\27[0m"):format(filled, empty) or filled .. empty
end

--- Draws the bar: `done` batches of `total`, nil if unknown, and values.
function ProgressBar:draw(done, total, values)
  if not self.on_terminal then return end
  local seconds = tide.time() - self.began
  self.first = self.first or done - 1 -- in a resumed epoch, earlier batches do not count for the rate
  local rate = (done - self.first) / math.max(seconds, 1e-9)
  local head = self.title .. " "
  local share = total and done / total
  local tail = total and (" %d/%d  %.1f/s  %s left  "):format(done, total, rate,
    clock((total - done) / rate))
    or (" %d  %.1f/s  "):format(done, rate)
  local width = #head + #tail + (share and kCells or 0)
  local available = math.max(0, self.columns - 1 - width)
  io.stderr:write("\r", head, share and cells(self, share) or "", tail,
    figures(values):sub(1, available), "\27[K")
  io.stderr:flush()
  self.drawn = true
end

--- Removes the bar.
function ProgressBar:clear()
  if not self.drawn then return end
  io.stderr:write "\r\27[K"
  io.stderr:flush()
  self.drawn = false
end

--- Prints the line of a finished epoch.
function ProgressBar:epoch(row)
  self:clear()
  self:print(("%s  %s  %.1f s"):format(self.title, figures(row), row.seconds))
end

function ProgressBar:print(text)
  if not self.enabled then return end
  self:clear()
  print(text)
end

return ProgressBar

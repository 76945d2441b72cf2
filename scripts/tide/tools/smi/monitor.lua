-- `tide smi dmon`: prints figures of the devices repeatedly, as lines or as a chart.
local Chart = require "tide.tools.smi.chart"
local native = require "tide.native"
local show = require "tide.plot.show"
local tide = require "tide"

local kLook <const> = 0.2          -- seconds of the first measurement
local kBetweenLines <const> = 1    -- seconds
local kBetweenDrawings <const> = 0.25
local kHeadEvery <const> = 20      -- times

-- Columns: title, width, figure, and what it is divided by.
local kColumns <const> = {
  {"# gpu", 5, "name"}, {"pwr W", 6, "power", 1}, {"temp C", 6, "temperature", 1}, {"sm %", 6, "use", 1},
  {"mem %", 6, "memory_use", 1}, {"mclk MHz", 8, "memory_clock", 1}, {"pclk MHz", 8, "clock", 1},
  {"used MB", 10, "memory", 1 << 20}, {"queue", 7, "queue", 1},
}

--- A line of the texts returned by text(column).
local function line(text)
  local parts = {}
  for i, column in ipairs(kColumns) do parts[i] = ("%%%ds"):format(column[2]):format(text(column)) end
  return table.concat(parts, " ") .. "\n"
end

local function head() return line(function(column) return column[1] end) end

local function row(device)
  return line(function(column)
    local value, unit = device[column[3]], column[4]
    if value == nil then return "-" end
    return unit and ("%.0f"):format(value / unit) or value
  end)
end

--- Parses the arguments: the number of times to print (infinity if unlimited), and whether as a chart; nil if they are
--- invalid.
local function read_words(words)
  local times, chart
  for _, word in ipairs(words) do
    if word == "--chart" and not chart then
      chart = true
    elseif word:find "^%d+$" and not times then
      times = math.tointeger(word)
    else
      return nil
    end
  end
  return times or math.huge, chart or false
end

local function print_lines(times)
  local seconds = kLook
  for i = 0, times - 1 do
    tide.sleep(seconds)
    seconds = kBetweenLines
    if i % kHeadEvery == 0 then io.write(head()) end
    for _, device in ipairs(native.device_figures()) do io.write(row(device)) end
    io.flush()
  end
end

local function draw_charts(times)
  local chart = Chart()
  for _ = 1, times do
    tide.sleep(kBetweenDrawings)
    chart:add(native.device_figures())
    local terminal = show.terminal()
    io.write(chart:again(terminal.columns, terminal.rows, terminal.color))
    io.flush()
  end
end

local monitor = {}

--- run(words...): prints until it is interrupted, or the requested number of times. For invalid arguments returns a
--- message and false.
function monitor.run(...)
  local times, chart = read_words {...}
  if not times then
    return "smi dmon: expected the number of times to print, and --chart, got " .. table.concat({...}, " "), false
  end
  native.device_figures() -- use is measured from here on
  local terminal = show.terminal()
  local print_all = chart and terminal and terminal.moves and draw_charts or print_lines
  print_all(times)
end

return monitor

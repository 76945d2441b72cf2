-- The chart and the arguments of `tide smi dmon`; other processes are covered by timing_test.
local Chart = require "tide.tools.smi.chart"
local monitor = require "tide.tools.smi.monitor"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal = test.equal

local kMegabyte <const> = 1 << 20

describe("the chart of the devices", function()
  --- A chart of the figures of one device.
  local function chart_of(list)
    local chart = Chart()
    for _, figures in ipairs(list) do chart:add {figures} end
    return chart
  end

  it("shows use up to 100 %, memory up to its total, and the queue up to its maximum", function()
    local list = {}
    for i = 0, 8 do
      list[i + 1] = {name = "sim:0", use = 12.5 * i, memory = i * kMegabyte, total = 16 * kMegabyte, queue = 10 * i}
    end
    equal(chart_of(list):text(80, 40, false), {
      "sim:0   use               100 % ▁▁▂▃▄▅▆▇█",
      "        memory        8 / 16 MB ▁▁▁▂▂▃▃▄▄",
      "        queue            80 ops ▁▁▂▃▄▅▆▇█",
    })
  end)
  it("shows the newest values that fit, in color if enabled", function()
    local list = {}
    for i = 1, 50 do list[i] = {name = "cpu", use = i > 45 and 100 or 0, memory = 0, queue = 0} end
    local lines = chart_of(list):text(43, 40, true)
    equal(lines[1], "cpu     use               100 % \27[32m▁▁▁▁▁█████\27[0m")
    equal(lines[3], "        queue             0 ops \27[33m▁▁▁▁▁▁▁▁▁▁\27[0m")
  end)
  it("omits unknown values", function()
    local lines = chart_of {{name = "cpu", memory = kMegabyte, queue = 1}}:text(80, 40, false)
    equal(lines[1], "cpu     use                   -  ")
    equal(lines[2], "        memory             1 MB █")
  end)
  it("counts devices that do not fit", function()
    local chart = Chart()
    local devices = {}
    for i = 0, 3 do devices[i + 1] = {name = "sim:" .. i, use = 0, memory = 0, queue = 0} end
    chart:add(devices)
    local lines = chart:text(80, 9, false)
    equal({#lines, lines[7]}, {7, "and 2 more devices"})
  end)
  it("is drawn over the previous one", function()
    local chart = chart_of {{name = "cpu", use = 0, memory = 0, queue = 0}}
    equal(chart:again(80, 40, false):sub(1, 4), "\rcpu")
    equal(chart:again(80, 40, false):sub(1, 8), "\27[3A\rcpu")
  end)
end)

describe("smi dmon", function()
  it("rejects unknown and repeated arguments", function()
    for _, words in ipairs {{"3x"}, {"-1"}, {"1.5"}, {"2", "3"}, {"--chart", "--chart"}, {"--charts"}} do
      local text, right = monitor.run(table.unpack(words))
      equal(right, false)
      equal(text, "smi dmon: expected the number of times to print, and --chart, got " .. table.concat(words, " "))
    end
  end)
end)

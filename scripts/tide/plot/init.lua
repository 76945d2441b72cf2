-- The table `tide.plot`: figures of numbers and pictures.
local Figure = require "tide.plot.figure"
local kinds = require "tide.plot.kinds"
local strict_table = require "tide.internal.strict_table"

local plot = {figure = Figure.new, subplots = Figure.subplots}

-- A figure of one series in one call.
for name in pairs(kinds) do
  plot[name] = function(...)
    local figure = Figure.new()
    return figure[name](figure, ...)
  end
end

for _, file in ipairs {"live", "pictures"} do
  for name, value in pairs(require("tide.plot." .. file)) do plot[name] = value end
end

return strict_table("tide.plot", plot)

-- The table `tide.plot`: figures of numbers and images.
local Figure = require "tide.plot.figure"
local kinds = require "tide.plot.kinds"
local unknown_name = require "tide.native".unknown_name

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

-- Names in matplotlib that differ here.
local kOthers <const> = {
  imshow = "image", matshow = "heatmap", pcolormesh = "heatmap", plot = "line", semilogx = "line",
  semilogy = "line", loglog = "line",
}

--- Figures in the terminal and in files: see tide.plot.NAME.
---@type table
---@example
--- tide.plot.line ~= nil --> true
return setmetatable(plot, { -- "tide.plot"
  __index = function(self, name)
    if type(name) ~= "string" then return nil end
    local other = kOthers[name]
    unknown_name("tide.plot", name, self, other and ("; did you mean '%s'?"):format(other))
  end,
})

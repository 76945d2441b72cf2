-- The live plot of a watch: a curve for each layer, drawn while a training runs.
local class = require "tide.internal.class"
local kind_of = require "tide.internal.kind_of"
local plot = require("tide.plot.live").live
local raise = require "tide.internal.raise"
local statistics = require "tide.tools.watch.statistics"
local tide = require "tide"

local kMostCurves <const> = 8 -- more are hard to tell from each other

--- Adds a value to those of a layer.
local function add(sums, layer, value) sums[layer] = sums[layer] and sums[layer] + value or value end

--- The norms of rows of a kind, by layer, for these layers. Not read yet.
local function norms(sample, kind, layers)
  local norm_of = {}
  for i, row in ipairs(sample.rows) do
    if row.kind == kind and layers[row.layer] then
      add(norm_of, row.layer, statistics.square_sum(sample.values[i], row.size))
    end
  end
  for layer, sum in pairs(norm_of) do norm_of[layer] = sum:sqrt() end
  return norm_of
end

-- What can be drawn: options of the plot; has, whether a row gives its layer a curve; values(sample, layers), by
-- layer.
local kFigures <const> = {
  ratio = {
    options = {title = "update / parameter", xlabel = "step", yscale = "log"},
    has = function(row) return row.kind == "update" end,
    values = function(sample, layers)
      local ratio_of, parameter_of = norms(sample, "update", layers), norms(sample, "parameter", layers)
      for layer, update in pairs(ratio_of) do ratio_of[layer] = update / parameter_of[layer] end
      return ratio_of
    end,
  },
  gradient = {
    options = {title = "norm of the gradient", xlabel = "step", yscale = "log"},
    has = function(row) return row.kind == "gradient" end,
    values = function(sample, layers) return norms(sample, "gradient", layers) end,
  },
  dead = {
    options = {title = "share of dead units", xlabel = "step", ylim = {0, 1}},
    has = function(row) return row.units ~= nil end,
    values = function(sample, layers)
      local dead_of, units_of = {}, {}
      for i, row in ipairs(sample.rows) do
        if row.units and layers[row.layer] then
          add(dead_of, row.layer, statistics.dead(sample.values[i]))
          add(units_of, row.layer, row.units)
        end
      end
      for layer, dead in pairs(dead_of) do dead_of[layer] = dead / units_of[layer] end
      return dead_of
    end,
  },
}

--- The layers that get a curve, as a set: all, or some from the first to the last.
local function choose_layers(figure, sample)
  local names, seen = {}, {}
  for _, row in ipairs(sample:by_layer()) do
    if figure.has(row) and not seen[row.layer] then
      seen[row.layer] = true
      names[#names + 1] = row.layer
    end
  end
  if #names <= kMostCurves then return seen end
  local chosen = {}
  for k = 0, kMostCurves - 1 do chosen[names[1 + k * (#names - 1) // (kMostCurves - 1)]] = true end
  return chosen
end

-- Fields: figure (a row of kFigures), plot (what draws), layers (a set, once a sample has some).
local Live = class "WatchLive"

--- `name`: what is drawn.
function Live:init(name)
  self.figure = kFigures[name]
  if not self.figure then
    raise("watch: live: expected 'dead', 'gradient' or 'ratio', got %s",
      type(name) == "string" and "'" .. name .. "'" or kind_of(name))
  end
  self.plot = plot(self.figure.options)
end

--- Adds a point of a sample that is over, and unread, to each curve. Waits for nothing.
function Live:add(sample)
  local _ <close> = tide.no_grad()
  if not self.layers or next(self.layers) == nil then self.layers = choose_layers(self.figure, sample) end
  local values = self.figure.values(sample, self.layers)
  if next(values) ~= nil then self.plot:add(sample.step, values) end
end

--- Shows the curves and returns their figure. Waits.
function Live:close() return self.plot:close() end

return Live

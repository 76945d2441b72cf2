-- Figures in one call: filters of a convolution, confusion matrices.
local checked = require "tide.internal.declare.checked"
local Figure = require "tide.plot.figure"
local kind_of = require "tide.internal.kind_of"
local of_type = require "tide.internal.declare.of_type"
local raise = require "tide.internal.raise"
local tide = require "tide"

local pictures = {}

local function shape_text(x) return "(" .. table.concat(x.shape, ", ") .. ")" end

-- Size of a figure of filters, in pixels; kMargin is the space above and below the filters.
local kWidth <const>, kMostHeight <const>, kMargin <const> = 640, 480, 60

--- Draws the filters of a convolution (out, in, height, width) in a grid, each scaled to its range of values.
---@param weight tensor  the filters: (out, in, height, width)
---@param nrow integer >= 0 = 8  filters per row
---@use plot: cmap = nil
---@param title string = nil  title of the figure
---@example
--- tostring(tide.plot.filters(nn.Conv2d(3, 4, 5).weight)) --> "figure 640 x 239: image (3 x 7 x 25)"
pictures.filters = checked("plot.filters", function(weight, nrow, cmap, title)
  -- Draws filters with three input channels in color, others with an image for each channel.
  if weight:dim() ~= 4 or weight:numel() == 0 then
    raise("filters: weight: expected shape (out, in, height, width), got %s", shape_text(weight))
  end
  if nrow < 1 then raise("filters: nrow must be at least 1, got %d", nrow) end
  local is_color = weight:size(2) == 3
  if is_color and cmap then
    raise("filters: cmap cannot be used for filters with 3 channels, got shape %s", shape_text(weight))
  end
  local planes = weight:detach():to("float32")
  if not is_color then planes = planes:reshape(-1, 1, weight:size(3), weight:size(4)) end
  local grid = tide.vision.make_grid(planes, {
    nrow = nrow, padding = 1, pad_value = 0.5, normalize = true, scale_each = true,
  })
  local height = kWidth * grid:size(2) // grid:size(3) + kMargin
  local figure = Figure.new {title = title, size = {kWidth, math.min(height, kMostHeight)}}
  -- make_grid returns a single filter unchanged, and repeats a single channel three times.
  if not is_color then grid = grid[{{1, 1}}] end
  return figure:image(grid, {cmap = cmap, vmin = cmap and 0, vmax = cmap and 1})
end)

--- Draws a confusion matrix, given as a matrix of counts, or computed from predictions (n) or scores (n, classes).
---@param matrix tensor | table  counts, rows true and columns predicted; or predicted classes, or scores (n, classes)
---@param target tensor = nil  true classes, from 1, for predictions
---@param classes string[] | number[] = nil  names of the classes
---@param normalize boolean = false  show fractions of rows instead of counts
---@param title string = "confusion matrix"  title of the figure
---@use plot: cmap = "blues"
---@example
--- local fig = tide.plot.confusion_matrix(tide.tensor{1, 2, 2}, tide.tensor{1, 2, 1})
--- tostring(fig) --> "figure 640 x 480: heatmap (2 x 2)"
pictures.confusion_matrix = checked("plot.confusion_matrix", function(matrix, target, classes, normalize, title, cmap)
  if target then
    local count = classes and #classes or nil
    local predictions = matrix
    if not tide.is_tensor(predictions) then
      raise("confusion_matrix: predictions: expected a tensor, got %s", kind_of(predictions))
    end
    if not count and predictions:dim() == 1 then
      count = 0
      for name, values in pairs {predictions = predictions, target = target} do
        count = math.max(count, of_type("confusion_matrix", name, values:max():item(), "number"))
      end
    end
    matrix = tide.metrics.ConfusionMatrix(count)(predictions, target)
  elseif type(matrix) == "table" and not tide.is_tensor(matrix) and getmetatable(matrix) == nil then
    matrix = tide.tensor(matrix, {device = "cpu"})
  end
  if not tide.is_tensor(matrix) or matrix:dim() ~= 2 or matrix:size(1) ~= matrix:size(2) then
    raise("confusion_matrix: expected a square matrix, or predictions and targets, got %s",
      tide.is_tensor(matrix) and "shape " .. shape_text(matrix) or kind_of(matrix))
  end
  if classes and #classes ~= #matrix then
    raise("confusion_matrix: %d classes for a matrix of shape %s", #classes, shape_text(matrix))
  end
  if normalize then
    matrix = matrix:to("float64")
    matrix = matrix / matrix:sum(2, {keepdim = true}):clamp(1)
  end
  local names = {}
  for i = 1, #matrix do names[i] = tostring(classes and classes[i] or i) end
  return Figure.new():heatmap(matrix, {
    annotate = #names <= 20, cmap = cmap, vmin = 0, title = title,
    xticks = names, yticks = names, xlabel = "predicted", ylabel = "true",
  })
end)

return pictures

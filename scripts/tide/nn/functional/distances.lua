-- tide.nn.functional: losses and distances of pairs and triples.
local reader = require "tide.internal.declare.reader"
local of_type = require "tide.internal.declare.of_type"
local raise = require "tide.internal.raise"
local reduce = require "tide.nn.functional.reduce"
local tide = require "tide"

--- Makes an anchor closer to a positive than to a negative example, by any distance.
---@param anchor tensor  vectors as rows
---@param positive tensor  vectors that should be close
---@param negative tensor  vectors that should be far
---@use nn: distance_function = nil, margin = 1.0, swap = false, reduction = "mean"
---@formula l = max(0, d(anchor, positive) - d(anchor, negative) + margin)
---@see nn.TripletMarginLoss F.triplet_margin_loss
---@example
--- F.triplet_margin_with_distance_loss(tide.tensor{{0.0}}, tide.tensor{{3.0}}, tide.tensor{{1.0}}) --> 3.0
local read_triplet = reader "nn.functional.triplet_margin_with_distance_loss"

--- Hinge loss for several target classes, whose list ends at the first -1.
---@param x tensor  scores of the classes: (n, classes)
---@param target tensor  classes, from 1, up to the first negative one: (n, classes)
---@use nn: reduction = "mean"
---@formula l = sum over targets t and other classes i of max(0, 1 - (x[t] - x[i])) / classes
---@counts target, from 1 to classes
---@example
--- F.multilabel_margin_loss(tide.tensor{0.1, 0.2, 0.4, 0.8}, tide.tensor{4, 1, -1, 2}) --> 0.85
local read_margin = reader "nn.functional.multilabel_margin_loss"

return function(F)
  --- With `swap` the negative's distance is measured from the anchor or the positive, whichever is smaller.
  function F.triplet_margin_with_distance_loss(...)
    local given = read_triplet(...)
    if given.margin <= 0 then
      raise("triplet_margin_with_distance_loss: the margin must be positive, got %s", given.margin)
    end
    local function distance(a, b)
      local result = (given.distance_function or F.pairwise_distance)(a, b)
      return of_type("triplet_margin_with_distance_loss", "the result of distance_function", result, "tensor")
    end
    local near = distance(given.anchor, given.positive)
    local far = distance(given.anchor, given.negative)
    if given.swap then far = far:minimum(distance(given.positive, given.negative)) end
    local values = (near - far + given.margin):clamp(0)
    return reduce("triplet_margin_with_distance_loss", values, given.reduction)
  end

  function F.multilabel_margin_loss(...)
    local given = read_margin(...)
    local x, target = given.x, given.target
    local single = x:dim() < 2
    local function sizes(t) return table.concat(tide.atleast_1d(t).shape, ", ") end
    if x:dim() > 2 or sizes(x) ~= sizes(target) then
      raise("multilabel_margin_loss: expected scores and targets of the same shape, got (%s) and (%s)",
        table.concat(x.shape, ", "), table.concat(target.shape, ", "))
    end
    if single then x, target = x:reshape(1, -1), target:reshape(1, -1) end
    local named = target:ge(0):to("int64"):cumprod(2):to("bool")
    local places = tide.where(named, target, 1)
    local is_target = tide.zeros_like(places):scatter_add(2, places, named:to("int64")):gt(0)
    local gap = 1 - x:gather(2, places):unsqueeze(3) + x:unsqueeze(2)
    local counted = named:unsqueeze(3):logical_and(is_target:logical_not():unsqueeze(2))
    local values = tide.where(counted, gap:clamp(0), 0.0):sum({2, 3}) / x:size(2)
    if single then values = values:squeeze(1) end
    return reduce("multilabel_margin_loss", values, given.reduction)
  end
end

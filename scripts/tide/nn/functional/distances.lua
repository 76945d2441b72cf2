-- tide.nn.functional: losses and distances of pairs and triples.
local arguments = require "tide.internal.arguments"
local of_kind = require "tide.internal.of_kind"
local raise = require "tide.internal.raise"
local reduce = require "tide.nn.functional.reduce"
local tide = require "tide"

return function(F)
  local read_triplet = arguments("triplet_margin_with_distance_loss", {
    "anchor", "positive", "negative", {"distance_function"}, {"margin", 1.0}, {"swap", false},
    {"reduction", "mean"},
  }, {
    anchor = "tensor", positive = "tensor", negative = "tensor", distance_function = "callable", margin = "number",
    swap = "boolean",
  })

  --- How much nearer than `margin` the negative is than the positive, by any distance. With `swap`
  --- the negative's distance is that from the anchor or the positive, whichever is less.
  function F.triplet_margin_with_distance_loss(...)
    local given = read_triplet(...)
    if given.margin <= 0 then
      raise("triplet_margin_with_distance_loss: the margin must be positive, got %s", given.margin)
    end
    local function distance(a, b)
      local result = (given.distance_function or F.pairwise_distance)(a, b)
      return of_kind("triplet_margin_with_distance_loss", "the result of distance_function", result, "tensor")
    end
    local near = distance(given.anchor, given.positive)
    local far = distance(given.anchor, given.negative)
    if given.swap then far = far:minimum(distance(given.positive, given.negative)) end
    local values = (near - far + given.margin):clamp(0)
    return reduce("triplet_margin_with_distance_loss", values, given.reduction)
  end

  local read_margin = arguments("multilabel_margin_loss", {
    "x", "target", {"reduction", "mean"},
  }, {x = "tensor", target = "tensor"})

  --- How far other classes' scores come within 1 of those of the target's classes, which are
  --- positions up to the first that is negative.
  function F.multilabel_margin_loss(...)
    local given = read_margin(...)
    local x, target = given.x, given.target
    local single = x:dim() < 2
    local function sizes(t) return table.concat(tide.atleast_1d(t).shape, ", ") end
    if x:dim() > 2 or sizes(x) ~= sizes(target) then
      raise("multilabel_margin_loss: expected scores and targets of one shape, got (%s) and (%s)",
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

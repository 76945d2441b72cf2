-- Linear models.
local constants = require "tide.onnx.ml.constants"
local F = require "tide.nn.functional"
local raise = require "tide.internal.raise"
local scores = require "tide.onnx.ml.scores"
local tide = require "tide"

local ops = {}

-- multi_class is documented, but has no effect in ONNX Runtime.
ops.attributes = {
  LinearClassifier = "classlabels_ints classlabels_strings coefficients intercepts multi_class post_transform",
  LinearRegressor = "coefficients intercepts post_transform targets",
}

--- x W' + b for `count` results.
local function product(node, x, count)
  local a = node.attributes
  if x:dim() == 1 then x = x:unsqueeze(1) end
  if not a.coefficients or #a.coefficients ~= count * x:size(2) then
    raise("%d coefficients for %d results of %d columns", a.coefficients and #a.coefficients or 0, count, x:size(2))
  end
  local own = constants(node, x.device, function()
    local intercepts = a.intercepts or {}
    if #intercepts ~= 0 and #intercepts ~= count then raise("%d intercepts for %d results", #intercepts, count) end
    return {
      weight = tide.tensor(a.coefficients, {dtype = "float32"}):reshape(count, -1),
      bias = #intercepts > 0 and tide.tensor(intercepts, {dtype = "float32"}) or nil,
    }
  end)
  return F.linear(x:to("float32"), own.weight, own.bias)
end

function ops.LinearRegressor(node, x)
  return scores.transform(product(node, x, node.attributes.targets or 1), node.attributes.post_transform)
end

--- The label and the scores of each class.
function ops.LinearClassifier(node, x)
  local a, labels = node.attributes, scores.labels_of(node)
  if not labels then raise "expected classlabels_ints or classlabels_strings" end
  local count = a.intercepts and #a.intercepts or #a.coefficients // x:size(-1)
  local y = product(node, x, count)
  if count == 1 and #labels == 2 then
    return scores.pick(labels, y:select(2, 1):gt(0):to("int64") + 1), scores.both(y, a.post_transform, true)
  end
  if count ~= #labels then raise("%d scores for %d labels", count, #labels) end
  return scores.pick(labels, y:argmax(2)), scores.transform(y, a.post_transform)
end

return ops

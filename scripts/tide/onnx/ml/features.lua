-- Features: scaling, missing values, thresholds, selecting and joining columns.
local constants = require "tide.onnx.ml.constants"
local raise = require "tide.internal.raise"
local tide = require "tide"
local values = require "tide.onnx.values"

local ops = {}

ops.text = {ArrayFeatureExtractor = true}

ops.attributes = {
  Binarizer = "threshold",
  FeatureVectorizer = "inputdimensions",
  Imputer = "imputed_value_floats imputed_value_int64s replaced_value_float replaced_value_int64",
  Normalizer = "norm",
  Scaler = "offset scale",
}

--- The values of an attribute for the columns of x: one for each, or one for all.
local function columns(node, name, x, default)
  local list = node.attributes[name] or {default}
  if #list ~= 1 and #list ~= x:size(-1) then
    raise("%s has %d values for %d columns", name, #list, x:size(-1))
  end
  return tide.tensor(list, {dtype = "float32"})
end

--- x as floats.
local function floats(x) return x:is_floating_point() and x or x:to("float32") end

function ops.Scaler(node, x)
  local own = constants(node, x.device, function()
    return {offset = columns(node, "offset", x, 0.0), scale = columns(node, "scale", x, 1.0)}
  end)
  return ((floats(x) - own.offset) * own.scale):to("float32")
end

--- Rows divided by their largest value or their norm; zero rows stay unchanged.
function ops.Normalizer(node, x)
  local norm, own, size = node.attributes.norm or "MAX", floats(x), nil
  if norm == "MAX" then size = own:amax(-1, true)
  elseif norm == "L1" then size = own:abs():sum(-1, true)
  elseif norm == "L2" then size = (own * own):sum(-1, true):sqrt()
  else raise("norm '%s' is not supported: expected MAX, L1 or L2", norm) end
  return (own / tide.where(size:eq(0), 1.0, size)):to("float32")
end

function ops.Imputer(node, x)
  local a = node.attributes
  local is_float = x:is_floating_point()
  local replaced = is_float and (a.replaced_value_float or 0.0) or a.replaced_value_int64 or 0
  local list = is_float and a.imputed_value_floats or a.imputed_value_int64s
  if not list or #list ~= 1 and #list ~= x:size(-1) then
    raise("expected 1 imputed value or %d for %s, got %d", x:size(-1), x.dtype, list and #list or 0)
  end
  local own = constants(node, x.device, function() return {imputed = tide.tensor(list, {dtype = x.dtype})} end)
  return tide.where(replaced ~= replaced and x:isnan() or x:eq(replaced), own.imputed, x)
end

function ops.Binarizer(node, x) return x:gt(node.attributes.threshold or 0.0):to(x.dtype) end

--- The columns at these positions; for a list of text, its entries.
function ops.ArrayFeatureExtractor(_, x, positions)
  if not tide.is_tensor(x) then
    local picked = {}
    for i, position in ipairs(values.list(positions)) do
      picked[i] = x[position + 1] or raise("position %d of %d", position, #x)
    end
    return picked
  end
  if x:dim() == 1 then x = x:unsqueeze(1) end
  return x:index_select(-1, values.positions(positions:flatten(), x:size(-1)))
end

--- Concatenates the inputs, each truncated or zero-padded to its number of columns.
function ops.FeatureVectorizer(node, ...)
  local parts, sizes = {...}, node.attributes.inputdimensions
  for i, x in ipairs(parts) do
    if x:dim() == 1 then x = x:unsqueeze(1) end
    local size = sizes and sizes[i] or x:size(2)
    local cut = x:to("float32"):narrow(2, 1, math.min(size, x:size(2)))
    local missing = size - cut:size(2)
    parts[i] = missing == 0 and cut or tide.cat({cut, tide.zeros({x:size(1), missing}, {device = x.device})}, 2)
  end
  return tide.cat(parts, 2)
end

return ops

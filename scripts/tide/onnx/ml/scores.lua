-- Labels and probabilities from the scores of a model.
local F = require "tide.nn.functional"
local raise = require "tide.internal.raise"
local tide = require "tide"

local scores = {}

local transforms = {}

function transforms.NONE(x) return x end

function transforms.LOGISTIC(x) return x:sigmoid() end

function transforms.SOFTMAX(x) return F.softmax(x, -1) end

--- A softmax in which scores of 0 stay 0.
function transforms.SOFTMAX_ZERO(x)
  local shifted = (x - x:amax(-1, true)):exp():masked_fill(x:abs():le(1e-7), 0)
  return shifted / shifted:sum(-1, true)
end

function transforms.PROBIT(x) return (x * 2 - 1):erfinv() * math.sqrt(2) end

--- The scores after the post_transform of this name (NONE).
function scores.transform(x, name)
  local apply = transforms[name or "NONE"]
  if not apply then raise("post_transform '%s' is not supported", tostring(name)) end
  return apply(x)
end

--- Both columns for two classes with one score, (n, 1); `positive`: the score is a probability.
function scores.both(x, name, positive)
  if name == "LOGISTIC" then return tide.cat({(-x):sigmoid(), x:sigmoid()}, 2) end
  if name == "PROBIT" then raise "post_transform 'PROBIT' is not supported for two classes with one score" end
  return tide.cat({positive and 1 - x or -x, x}, 2)
end

--- The labels of a node, as a list of integers or text; nil if it has none.
function scores.labels_of(node)
  local a = node.attributes
  for _, name in ipairs {"classlabels_strings", "classlabels_int64s", "classlabels_ints"} do
    if a[name] and #a[name] > 0 then return a[name] end
  end
  return nil
end

--- Entries of a list by positions from 1: a tensor of integers, or a list of text, which waits.
function scores.pick(list, positions)
  if type(list[1]) ~= "string" then
    return tide.tensor(list, {dtype = "int64", device = positions.device})[positions]
  end
  local texts = positions:tolist()
  for i, position in ipairs(texts) do texts[i] = list[position] end
  return texts
end

return scores

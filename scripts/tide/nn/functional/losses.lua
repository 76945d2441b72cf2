-- tide.nn.functional: losses composed of ops.
local checked = require "tide.internal.declare.checked"
local reader = require "tide.internal.declare.reader"
local of_type = require "tide.internal.declare.of_type"
local F = require "tide.nn.functional"
local raise = require "tide.internal.raise"
local reduce = require "tide.nn.functional.reduce"
local tide = require "tide"

local function check_same_shape(name, x, target)
  local a, b = table.concat(x.shape, ", "), table.concat(target.shape, ", ")
  if a ~= b then raise("%s: shapes differ: (%s) and (%s)", name, a, b) end
end

--- Negative log-likelihood of Poisson-distributed counts.
---@param x tensor  rates, or their logarithms
---@param target tensor  counts
---@use nn: log_input = true, full = false
---@param eps number = 1e-8  added to the rates before taking the logarithm
---@use nn: reduction = "mean"
---@formula l = exp(x) - target x; without log_input x - target log(x + eps)
---@example
--- F.poisson_nll_loss(tide.tensor{0.0}, tide.tensor{2.0}) --> 1.0
F.poisson_nll_loss = checked("nn.functional.poisson_nll_loss", function(x, target, log_input, full, eps, reduction)
  local values = log_input and x:exp() - target * x or x - target * (x + eps):log()
  if full then
    local stirling = target * target:log() - target + 0.5 * (2 * math.pi * target):log()
    values = values + tide.where(target:gt(1), stirling, 0.0)
  end
  return reduce("poisson_nll_loss", values, reduction)
end)

--- log(1 + exp(-target * x)).
---@param x tensor  scores
---@param target tensor  1 or -1
---@use nn: reduction = "mean"
---@formula l = log(1 + exp(-target x))
---@see nn.SoftMarginLoss
---@example
--- F.soft_margin_loss(tide.tensor{0.0, 3}, tide.tensor{1.0, 1}) --> 0.3709
F.soft_margin_loss = checked("nn.functional.soft_margin_loss", function(x, target, reduction)
  -- Targets are 1 or -1.
  check_same_shape("soft_margin_loss", x, target)
  local values = -F.logsigmoid(target * x)
  return reduce("soft_margin_loss", values, reduction)
end)

--- Binary cross entropy of each class, from logits, averaged over classes.
---@param x tensor  scores of the classes: (n, classes)
---@param target tensor  1 for classes that apply, else 0: (n, classes)
---@use nn: weight = nil, reduction = "mean"
---@formula l = -mean over classes of weight (target log s + (1 - target) log(1 - s)), s = sigmoid(x)
---@see nn.BCEWithLogitsLoss
---@example
--- F.multilabel_soft_margin_loss(tide.tensor{{0.0, 3}}, tide.tensor{{1.0, 1}}) --> 0.3709
local read_multilabel = reader "nn.functional.multilabel_soft_margin_loss"

function F.multilabel_soft_margin_loss(...)
  local given = read_multilabel(...)
  local x, target = given.x, given.target
  check_same_shape("multilabel_soft_margin_loss", x, target)
  local values = -(target * F.logsigmoid(x) + (1 - target) * F.logsigmoid(-x))
  if given.weight then values = values * given.weight end
  return reduce("multilabel_soft_margin_loss", values:mean(-1), given.reduction)
end

--- Hinge loss: every other class should score lower than the target by a margin.
---@param x tensor  scores of the classes: (n, classes)
---@param target tensor  classes, from 1: (n)
---@param p integer = 1  exponent, 1 or 2
---@param margin number = 1.0  margin by which the target's score should exceed the others
---@use nn: weight = nil, reduction = "mean"
---@formula l = sum over i ~= t of max(0, margin - x[t] + x[i])^p / classes
---@counts target, from 1 to classes
---@see nn.CrossEntropyLoss
---@example
--- F.multi_margin_loss(tide.tensor{{0.1, 0.8}}, tide.tensor{1}) --> 0.85
F.multi_margin_loss = checked("nn.functional.multi_margin_loss", function(x, target, p, margin, weight, reduction)
  if p ~= 1 and p ~= 2 then
    raise("multi_margin_loss: p must be 1 or 2, got %s", tostring(p))
  end
  local single = x:dim() < 2
  if x:dim() > 2 or target:dim() > 1 or target:numel() ~= (single and 1 or #x) then
    raise("multi_margin_loss: expected scores (n, classes) and targets (n), got (%s) and (%s)",
      table.concat(x.shape, ", "), table.concat(target.shape, ", "))
  end
  local shape = target.shape
  if single then x = x:reshape(1, -1) end
  target = target:reshape(-1)
  local targets = target:unsqueeze(-1)
  local distance = (margin - x:gather(2, targets) + x):clamp(0.0)
  if p == 2 then distance = distance * distance end
  if weight then distance = distance * weight:index_select(1, target):unsqueeze(-1) end
  local is_target = F.one_hot(target, x:size(2)):bool()
  local values = distance:masked_fill(is_target, 0.0):sum(2) / x:size(2)
  return reduce("multi_margin_loss", values:reshape(shape), reduction)
end)

--- Connectionist temporal classification loss: sequences with unknown alignment. Waits for the lengths.
---@param log_probs tensor  log-probabilities: (length, n, classes)
---@param targets tensor  classes, from 1: (n, longest), or concatenated in one dimension
---@param input_lengths tensor | integer | integer[]  length of each sequence of log_probs
---@param target_lengths tensor | integer | integer[]  length of each target
---@param blank integer >= 0 = 1  class of the blank label, from 1
---@use nn: reduction = "mean", zero_infinity = false
---@formula l = -log(total probability of all alignments of the target); the mean divides by the target lengths
---@counts targets and blank
---@see nn.CTCLoss nn.LogSoftmax
---@example
--- F.ctc_loss(tide.tensor{{0.6, 0.4}, {0.5, 0.5}}:log(), tide.tensor{2}, 2, 1) --> 0.3567
local read_ctc = reader "nn.functional.ctc_loss"

-- log(0), but finite, so that the difference of two is not nan.
local kNever <const> = -1e30

--- Lengths as a list of integers; reading a tensor waits.
local function lengths_of(name, value, count)
  local list = tide.is_tensor(value) and value:reshape(-1):tolist() or value
  if math.type(list) == "integer" then list = {list} end
  if type(list) ~= "table" or #list ~= count then
    raise("ctc_loss: %s: expected %d lengths", name, count)
  end
  for i, length in ipairs(list) do of_type("ctc_loss", ("%s[%d]"):format(name, i), length, "integer >= 0") end
  return list
end

--- Classes with a blank before and after each, (n, 2 * longest + 1), padded with blanks.
local function with_blanks(targets, lengths, longest, blank)
  local rows, first = {}, 1
  for i, length in ipairs(lengths) do
    local labels
    if targets:dim() == 2 then
      labels = targets[i]:narrow(1, 1, length)
    else -- concatenated
      labels, first = targets:narrow(1, first, length), first + length
    end
    rows[i] = F.pad(labels, {0, longest - length}, {value = blank})
  end
  local classes = tide.stack(rows)
  local pairs_of = tide.stack({tide.full_like(classes, blank), classes}, 3):flatten(2)
  return F.pad(pairs_of, {0, 1}, {value = blank})
end

--- The forward algorithm of Graves et al. (2006). log_probs is (length, n, classes) or (length, classes).
function F.ctc_loss(...)
  local given = read_ctc(...)
  local log_probs, targets, blank = given.log_probs, given.targets, given.blank
  local single = log_probs:dim() == 2
  if single then log_probs, targets = log_probs:unsqueeze(2), targets:reshape(1, -1) end
  if log_probs:dim() ~= 3 then
    raise("ctc_loss: expected log-probabilities (length, n, classes), got (%s)",
      table.concat(given.log_probs.shape, ", "))
  end
  local steps, n, classes = table.unpack(log_probs.shape)
  if blank > classes then raise("ctc_loss: blank is %d, but there are %d classes", blank, classes) end
  local inputs = lengths_of("input_lengths", given.input_lengths, n)
  local lengths = lengths_of("target_lengths", given.target_lengths, n)
  local longest = math.max(1, table.unpack(lengths))
  for i = 1, n do
    if inputs[i] > steps then
      raise("ctc_loss: an input length of %d exceeds the length of log_probs, %d", inputs[i], steps)
    end
  end
  local marks = with_blanks(targets, lengths, longest, blank)
  local count = marks:size(2)
  local at = log_probs:gather(3, marks:unsqueeze(1):broadcast_to(steps, n, count))

  -- A class may follow another without a blank between them, unless both are the same.
  local skips = marks:ne(blank)
  local same = marks[{{}, {3, -1}}]:eq(marks[{{}, {1, -3}}])
  skips = skips:logical_and(F.pad(same, {2, 0}, {value = 1}):logical_not())
  local start = tide.range(1, count, {device = marks.device}):le(2)
  local alpha = tide.where(start, at[1], kNever)
  local device = {device = log_probs.device}
  local ends = tide.tensor(inputs, device):unsqueeze(2)
  for t = 2, steps do
    local stay = alpha
    local step = F.pad(alpha:narrow(2, 1, count - 1), {1, 0}, {value = kNever})
    local skip = F.pad(alpha:narrow(2, 1, count - 2), {2, 0}, {value = kNever})
    local all = tide.stack({stay, step, tide.where(skips, skip, kNever)}, 3)
    alpha = tide.where(ends:ge(t), all:logsumexp(3) + at[t], alpha)
  end

  local target_lengths = tide.tensor(lengths, device)
  local last = (target_lengths * 2 + 1):unsqueeze(2)
  local final = alpha:gather(2, last)
  local before = tide.where(last:gt(1), alpha:gather(2, (last - 1):clamp(1)), kNever)
  local values = -tide.cat({final, before}, 2):logsumexp(2)
  local impossible = values:gt(-kNever / 2)
  values = tide.where(impossible, given.zero_infinity and 0.0 or math.huge, values)
  if given.reduction == "mean" then values = values / target_lengths:clamp(1) end
  if single and given.reduction == "none" then values = values:squeeze(1) end
  return reduce("ctc_loss", values, given.reduction)
end

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

--- Hinge loss for several target classes, whose list ends at the first -1.
---@param x tensor  scores of the classes: (n, classes)
---@param target tensor  classes, from 1, up to the first negative one: (n, classes)
---@use nn: reduction = "mean"
---@formula l = sum over targets t and other classes i of max(0, 1 - (x[t] - x[i])) / classes
---@counts target, from 1 to classes
---@example
--- F.multilabel_margin_loss(tide.tensor{0.1, 0.2, 0.4, 0.8}, tide.tensor{4, 1, -1, 2}) --> 0.85
F.multilabel_margin_loss = checked("nn.functional.multilabel_margin_loss", function(x, target, reduction)
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
  return reduce("multilabel_margin_loss", values, reduction)
end)

return F

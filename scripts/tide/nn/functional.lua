-- tide.nn.functional: layers as functions. Most are ops of the runtime; this file has those composed of ops.
local checked = require "tide.internal.declare.checked"
local reader = require "tide.internal.declare.reader"
local of_type = require "tide.internal.declare.of_type"
local raise = require "tide.internal.raise"
local reduce = require "tide.nn.functional.reduce"
local strict_table = require "tide.internal.strict_table"
local tide = require "tide"

local F = require("tide.native").functional

local function check_floating(name, x)
  if not x:is_floating_point() then raise("%s: expected a floating type, got %s", name, x.dtype) end
end

--- One half of x, gated by the sigmoid of the other.
---@use nn: x
---@param dim number = -1  dimension to split in half, from 1
---@formula a sigmoid(b), where a and b are the halves of x
---@example
--- F.glu(tide.tensor{3.0, 0}) --> {1.5}
local read_glu = reader "nn.functional.glu"

function F.glu(...)
  local given = read_glu(...)
  local x, dim = given.x, given.dim
  check_floating("glu", x)
  local size = x:size(dim)
  if size % 2 ~= 0 then
    raise("glu: dimension %d must have an even size, got %d", dim, size)
  end
  local half = size // 2
  return x:narrow(dim, 1, half) * x:narrow(dim, half + 1, half):sigmoid()
end

--- x; below 0, weight * x.
---@use nn: x
---@param weight tensor  slopes below 0: one for all channels, or one for each
---@formula x if x > 0, else weight x
---@see nn.PReLU nn.LeakyReLU
---@example
--- F.prelu(tide.tensor{-2.0, 3}, tide.tensor{0.5}) --> {-1.0, 3.0}
local read_prelu = reader "nn.functional.prelu"

function F.prelu(...)
  local given = read_prelu(...)
  local x, weight = given.x, given.weight
  check_floating("prelu", x)
  if weight:dim() > 1 then
    raise("prelu: expected a weight of at most 1 dimension, got %d", weight:dim())
  end
  if weight:numel() ~= 1 then
    local channels = x:dim() > 1 and x:size(2) or 1
    if weight:numel() ~= channels then
      raise("prelu: expected 1 weight or one for each channel, got %d for %d channels", weight:numel(), channels)
    end
    local shape = {1, channels}
    for d = 3, x:dim() do shape[d] = 1 end
    weight = weight:reshape(shape)
  elseif weight:dim() == 1 and x:dim() == 0 then
    weight = weight:reshape({})
  end
  return tide.where(x:gt(0), x, weight * x)
end

-- Activations -------------------------------------------------------------------------------------

--- Writes y into x if `inplace`; returns the result.
local function store(x, y, inplace)
  return inplace and x:copy_(y) or y
end

--- x where |x| is above lambd, else 0.
---@use nn: x, lambd = 0.5
---@formula x if |x| > lambd, else 0
---@see nn.Softshrink
---@example
--- F.hardshrink(tide.tensor{0.4, 2}) --> {0.0, 2.0}
local read_hardshrink = reader "nn.functional.hardshrink"

function F.hardshrink(...)
  local given = read_hardshrink(...)
  check_floating("hardshrink", given.x)
  return tide.where(given.x:abs():le(given.lambd), 0.0, given.x)
end

--- Shrinks x towards 0 by lambd; 0 where |x| is at most lambd.
---@like nn.functional.hardshrink
---@formula sign(x) max(|x| - lambd, 0)
---@see nn.Softshrink nn.Hardshrink
---@example
--- F.softshrink(tide.tensor{0.4, 2}) --> {0.0, 1.5}
local read_softshrink = reader "nn.functional.softshrink"

function F.softshrink(...)
  local given = read_softshrink(...)
  if given.lambd < 0 then raise("softshrink: lambd must be non-negative, got %g", given.lambd) end
  check_floating("softshrink", given.x)
  return given.x - given.x:clamp(-given.lambd, given.lambd)
end

--- x - tanh(x).
---@use nn: x
---@example
--- F.tanhshrink(tide.tensor{0.0, 1}) --> {0.0, 0.2384}
local read_tanhshrink = reader "nn.functional.tanhshrink"

function F.tanhshrink(...)
  local x = read_tanhshrink(...).x
  return x - x:tanh()
end

--- x where it exceeds a threshold, else a fixed value.
---@use nn: x, threshold
---@param value number  result where x does not exceed threshold
---@use nn: inplace = false
---@formula x if x > threshold, else value
---@see nn.Threshold nn.ReLU
---@example
--- F.threshold(tide.tensor{0.0, 2}, 1, 7) --> {7.0, 2.0}
local read_threshold = reader "nn.functional.threshold"

--- A nan stays.
function F.threshold(...)
  local given = read_threshold(...)
  local y = given.x:masked_fill(given.x:le(given.threshold), given.value)
  return store(given.x, y, given.inplace)
end

--- x; below 0, x times a slope, random in training and the mean slope otherwise.
---@use nn: x, lower = 1 / 8, upper = 1 / 3
---@param training boolean = false  random slopes; otherwise their mean
---@use nn: inplace = false
---@formula x if x > 0, else a x, with a uniform in lower..upper
---@see nn.LeakyReLU
---@example
--- F.rrelu(tide.tensor{-24.0, 3}) --> {-5.5, 3.0}
local read_rrelu = reader "nn.functional.rrelu"

--- In training, each element has its own slope.
function F.rrelu(...)
  local given = read_rrelu(...)
  local x, lower, upper = given.x, given.lower, given.upper
  if lower > upper then raise("rrelu: lower is larger than upper: %g and %g", lower, upper) end
  local slope = (lower + upper) / 2
  if given.training then slope = tide.rand_like(x) * (upper - lower) + lower end
  return store(x, tide.where(x:gt(0), x, x * slope), given.inplace)
end

--- Differentiable random sample of a class from logits.
---@param logits tensor  unnormalized log-probabilities
---@param tau number = 1  temperature; a smaller one is closer to one-hot
---@param hard boolean = false  one-hot results, with the gradient of the soft ones
---@param dim number = -1  dimension of the classes, from 1
---@formula softmax((logits + g) / tau), g = -log(-log(uniform))
---@see F.softmax
---@example
--- F.gumbel_softmax(tide.zeros(5, 3), {hard = true}):sum(2) --> {1.0, 1.0, 1.0, 1.0, 1.0}
local read_gumbel = reader "nn.functional.gumbel_softmax"

function F.gumbel_softmax(...)
  local given = read_gumbel(...)
  local noise = -tide.empty_like(given.logits):exponential_():log()
  local soft = F.softmax((given.logits + noise) / given.tau, given.dim)
  if not given.hard then return soft end
  local best = soft:argmax(given.dim, true)
  local one_hot = tide.zeros_like(soft):scatter(given.dim, best, 1.0)
  return one_hot - soft:detach() + soft
end

-- Losses ------------------------------------------------------------------------------------------

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
local read_poisson = reader "nn.functional.poisson_nll_loss"

function F.poisson_nll_loss(...)
  local given = read_poisson(...)
  local x, target = given.x, given.target
  local values = given.log_input and x:exp() - target * x or x - target * (x + given.eps):log()
  if given.full then
    local stirling = target * target:log() - target + 0.5 * (2 * math.pi * target):log()
    values = values + tide.where(target:gt(1), stirling, 0.0)
  end
  return reduce("poisson_nll_loss", values, given.reduction)
end

--- log(1 + exp(-target * x)).
---@param x tensor  scores
---@param target tensor  1 or -1
---@use nn: reduction = "mean"
---@formula l = log(1 + exp(-target x))
---@see nn.SoftMarginLoss
---@example
--- F.soft_margin_loss(tide.tensor{0.0, 3}, tide.tensor{1.0, 1}) --> 0.3709
local read_soft_margin = reader "nn.functional.soft_margin_loss"

--- Targets are 1 or -1.
function F.soft_margin_loss(...)
  local given = read_soft_margin(...)
  check_same_shape("soft_margin_loss", given.x, given.target)
  local values = -F.logsigmoid(given.target * given.x)
  return reduce("soft_margin_loss", values, given.reduction)
end

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
local read_multi_margin = reader "nn.functional.multi_margin_loss"

function F.multi_margin_loss(...)
  local given = read_multi_margin(...)
  local x, target, weight = given.x, given.target, given.weight
  if given.p ~= 1 and given.p ~= 2 then
    raise("multi_margin_loss: p must be 1 or 2, got %s", tostring(given.p))
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
  local distance = (given.margin - x:gather(2, targets) + x):clamp(0.0)
  if given.p == 2 then distance = distance * distance end
  if weight then distance = distance * weight:index_select(1, target):unsqueeze(-1) end
  local is_target = F.one_hot(target, x:size(2)):bool()
  local values = distance:masked_fill(is_target, 0.0):sum(2) / x:size(2)
  return reduce("multi_margin_loss", values:reshape(shape), given.reduction)
end

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

-- Layers ------------------------------------------------------------------------------------------

--- x1' A x2 + b, with a matrix A for each output feature.
---@param input1 tensor  first input: (..., in1_features)
---@param input2 tensor  second input: (..., in2_features)
---@param weight tensor  (out_features, in1_features, in2_features)
---@param bias tensor = nil  one element for each feature of the result
---@formula y[k] = x1' A[k] x2 + b[k]
---@shapes x1 (..., in1_features), x2 (..., in2_features) -> (..., out_features)
---@see nn.Bilinear nn.Linear
---@example
--- F.bilinear(tide.ones(4, 3), tide.ones(4, 5), tide.ones(2, 3, 5)).shape --> {4, 2}
local read_bilinear = reader "nn.functional.bilinear"

function F.bilinear(...)
  local given = read_bilinear(...)
  local y = tide.einsum("...i,oij,...j->...o", given.input1, given.weight, given.input2)
  return given.bias and y + given.bias or y
end

--- Normalizes each element by the squares of neighboring channels.
---@use nn: x
---@param size integer >= 0  number of neighboring channels
---@use nn: alpha = 0.0001, beta = 0.75, k = 1.0
---@formula y[c] = x[c] / (k + alpha / size * sum over size neighboring channels of x^2)^beta
---@example
--- F.local_response_norm(tide.ones(1, 3, 4), 2).shape --> {1, 3, 4}
local read_response = reader "nn.functional.local_response_norm"

function F.local_response_norm(...)
  local given = read_response(...)
  local x, size = given.x, given.size
  if x:dim() < 3 then
    raise("local_response_norm: expected 3 dimensions or more, got %d", x:dim())
  end
  local rows = (x * x):flatten(3):transpose(2, 3)
  local padded = F.pad(rows, {size // 2, (size - 1) // 2})
  local means = F.avg_pool1d(padded, size, 1):transpose(2, 3):reshape(x.shape)
  return x / (means * given.alpha + given.k) ^ given.beta
end

--- Interleaves the channels of groups.
---@use nn: x
---@param groups integer >= 0  number of groups; must divide the number of channels
---@shapes x (n, channels, ...) -> the same
---@see nn.PixelShuffle
---@example
--- F.channel_shuffle(tide.arange(4):reshape(1, 4, 1), 2):flatten() --> {0, 2, 1, 3}
local read_shuffle = reader "nn.functional.channel_shuffle"

function F.channel_shuffle(...)
  local given = read_shuffle(...)
  local x, groups = given.x, given.groups
  if x:dim() < 2 then raise("channel_shuffle: expected 2 dimensions or more, got %d", x:dim()) end
  if groups < 1 or x:size(2) % groups ~= 0 then
    raise("channel_shuffle: %d channels do not divide into %d groups", x:size(2), groups)
  end
  local group_size = x:size(2) // groups
  if groups == 1 or group_size == 1 then return x:clone() end
  return x:unflatten(2, {groups, group_size}):transpose(2, 3):flatten(2, 3)
end

--- Resamples to another size: the old name of interpolate.
---@use nn: input, size = nil, scale_factor = nil, mode = "nearest", align_corners = nil
---@shapes x (n, channels, size...) -> (n, channels, size or floor(scale_factor size))
---@errors not exactly one of size and scale_factor is given
---@see nn.Upsample F.interpolate nn.ConvTranspose2d
---@example
--- F.upsample(tide.tensor{{{1.0, 3}}}, {scale_factor = 2}) --> {{{1.0, 1.0, 3.0, 3.0}}}
local read_upsample = reader "nn.functional.upsample"

function F.upsample(...)
  local given = read_upsample(...)
  return F.interpolate(given.input, given.size, given.scale_factor, given.mode,
    given.align_corners)
end

--- Resamples by repeating the nearest element.
---@use nn: input, size = nil, scale_factor = nil
---@example
--- F.upsample_nearest(tide.tensor{{{1.0, 3}}}, 4) --> {{{1.0, 1.0, 3.0, 3.0}}}
F.upsample_nearest = checked("nn.functional.upsample_nearest", function(input, size, scale_factor)
  return F.interpolate(input, size, scale_factor, "nearest")
end)

--- Resamples by bilinear interpolation with aligned corners.
---@like nn.functional.upsample_nearest
---@example
--- F.upsample_bilinear(tide.tensor{{{{1.0, 3}}}}, {1, 3}) --> {{{{1.0, 2.0, 3.0}}}}
F.upsample_bilinear = checked("nn.functional.upsample_bilinear", function(input, size, scale_factor)
  return F.interpolate(input, size, scale_factor, "bilinear", true)
end)

F.multi_head_attention_forward = require("tide.nn.functional.multi_head_attention").forward

require "tide.nn.functional.distances"(F)
require "tide.nn.functional.pools"(F)
require "tide.nn.functional.variants"(F)

--- Layers as functions: see tide.nn.functional.NAME.
---@type table
---@example
--- tide.nn.functional.relu(tide.tensor{-1, 2}) --> {0, 2}
return strict_table("tide.nn.functional", F)
